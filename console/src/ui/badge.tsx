import type { ReactNode } from "react";
import style from "./badge.module.css";
import { classes } from "./classes.ts";

/** What became of something: it passed, something was said about it, or it was stopped. */
export type Tone = "passed" | "advised" | "denied" | "neutral";

export const TONE_MARKS: { readonly [T in Tone]: string } = { passed: "✓", advised: "!", denied: "✗", neutral: "" };

/** A word with its tone; the mark says it without the colour. */
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

/** How many there are; nothing for none. */
export function Count({ of, label }: { readonly of: number; readonly label: string }) {
  if (of === 0) return null;
  return (
    <span className={style.count}>
      {of > 999 ? "999+" : of}
      <span className="unseen"> {label}</span>
    </span>
  );
}
