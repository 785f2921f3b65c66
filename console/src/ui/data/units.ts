/** Formats `340 ms`, `1.2 s`, `3 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return minutes % 60 === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats US dollars: `$4.12`, and small amounts as `$0.0031`. */
export function moneyText(dollars: number): string {
  if (dollars === 0) return "$0";
  if (dollars < 0.000_1) return "<$0.0001";
  return `$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`;
}
