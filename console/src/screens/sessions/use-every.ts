import { useEffect } from "react";

/**
 * Runs regularly while the page is visible, because the stream has no events that other processes write to the
 * journal.
 */
export function useEvery(ms: number, run: () => void, when = true): void {
  useEffect(() => {
    if (!when) return;
    const timer = setInterval(() => document.visibilityState === "visible" && run(), ms);
    return () => clearInterval(timer);
  }, [ms, run, when]);
}
