import style from "./token-bar.module.css";

const count = new Intl.NumberFormat("en");

/** Formats `61,204` in every locale. */
export function figure(n: number): string {
  return count.format(n);
}

/** Formats `61k`. */
export function shortFigure(n: number): string {
  if (n < 1_000) return String(n);
  if (n < 10_000) return `${(Math.floor(n / 100) / 10).toFixed(1)}k`;
  if (n < 1_000_000) return `${Math.floor(n / 1_000)}k`;
  return `${(Math.floor(n / 100_000) / 10).toFixed(1)}M`;
}

/** Shows a share as a bar, with a text. */
export function TokenBar({ part, of, label }: { readonly part: number; readonly of: number; readonly label: string }) {
  const share = of <= 0 ? 0 : Math.min(1, Math.max(0, part / of));
  return (
    <span
      className={style.bar}
      role="img"
      aria-label={`${label}: ${figure(part)} of ${figure(of)}`}
      title={`${label}: ${figure(part)} of ${figure(of)}`}
    >
      <span className={style.part} style={{ width: `${share * 100}%` }} />
    </span>
  );
}
