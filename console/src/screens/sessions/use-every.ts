import { useEffect } from "react";

/** Runs it now and then while somebody looks: other processes write to the same journal, and the stream does not tell of them. */
export function useEvery(ms: number, run: () => void, when = true): void {
  useEffect(() => {
    if (!when) return;
    const timer = setInterval(() => document.visibilityState === "visible" && run(), ms);
    return () => clearInterval(timer);
  }, [ms, run, when]);
}
