import { useCallback, useState } from "react";

export type Theme = "system" | "light" | "dark";
const PLACE = "conduct-theme";

/** The kept choice; `public/theme.js` applies it before the first paint. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(readTheme);
  const choose = useCallback((next: Theme) => {
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try {
      if (next === "system") localStorage.removeItem(PLACE);
      else localStorage.setItem(PLACE, next);
    } catch {
      // It holds until the page is left.
    }
    setTheme(next);
  }, []);
  return [theme, choose];
}

function readTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : "system";
}
