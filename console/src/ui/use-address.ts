import { useCallback, useMemo, useRef } from "react";
import { useLocation, useSearch } from "wouter";

/** Returns the query parameters and a function that changes them; an empty text removes one. */
export function useAddress(): readonly [URLSearchParams, (changes: { readonly [name: string]: string }) => void] {
  const [path, go] = useLocation();
  const search = useSearch();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const newest = useRef({ path, search });
  newest.current = { path, search };
  const set = useCallback(
    (changes: { readonly [name: string]: string }) => {
      const next = new URLSearchParams(newest.current.search);
      for (const [name, value] of Object.entries(changes)) {
        if (value === "") next.delete(name);
        else next.set(name, value);
      }
      const text = next.toString();
      go(`${newest.current.path}${text === "" ? "" : `?${text}`}`, { replace: true });
    },
    [go],
  );
  return [params, set];
}
