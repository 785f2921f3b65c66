import type { ReactNode } from "react";
import style from "./badge.module.css";
import { classes } from "./classes.ts";

/** Outcome of an event: passed, advised or denied. */
export type Tone = "passed" | "advised" | "denied" | "neutral";

export const TONE_MARKS: { readonly [T in Tone]: string } = { passed: "✓", advised: "!", denied: "✗", neutral: "" };

/** A label with a tone; its mark shows the tone without colour. */
export function Badge({
  tone = "neutral",
  children,
  mark = true,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
  readonly mark?: boolean;
}) {
  return (
    <span className={classes(style.badge, style[tone])}>
      {mark && TONE_MARKS[tone] !== "" && <span aria-hidden="true">{TONE_MARKS[tone]} </span>}
      {children}
    </span>
  );
}

/** Shows a number; renders nothing for 0. */
export function Count({ of, label }: { readonly of: number; readonly label: string }) {
  if (of === 0) return null;
  return (
    <span className={style.count}>
      {of > 999 ? "999+" : of}
      <span className="unseen"> {label}</span>
    </span>
  );
}
