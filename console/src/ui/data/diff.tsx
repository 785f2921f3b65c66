import { classes } from "../classes.ts";
import { Text } from "../text.tsx";
import style from "./diff.module.css";

export type DiffLine = { readonly kind: "same" | "gone" | "new"; readonly text: string };

const SIGNS = { same: " ", gone: "-", new: "+" } as const;
const WORDS = { same: "", gone: "removed: ", new: "added: " } as const;

/** Shows removed and added lines; a sign marks them without colour. */
export function Diff({ lines, label }: { readonly lines: readonly DiffLine[]; readonly label: string }) {
  return (
    <ol className={style.diff} aria-label={label}>
      {lines.map(({ kind, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one diff never move
        <li key={at} className={classes(style.line, style[kind])}>
          <span aria-hidden="true" className={style.sign}>
            {SIGNS[kind]}
          </span>
          <span>
            <span className="unseen">{WORDS[kind]}</span>
            <Text>{text}</Text>
          </span>
        </li>
      ))}
    </ol>
  );
}
