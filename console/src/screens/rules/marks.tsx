import { Button } from "../../ui/button.tsx";
import { Text } from "../../ui/text.tsx";
import type { Mark } from "./code-editor.tsx";
import style from "./rules.module.css";

/** Lists the faults; each line number jumps to its line. */
export function Marks({
  label,
  marks,
  onGo,
}: {
  readonly label: string;
  readonly marks: readonly Mark[];
  readonly onGo: (line: number, column: number) => void;
}) {
  if (marks.length === 0) return null;
  return (
    <ul className={style.marks} aria-label={label}>
      {marks.map(({ line, column, message, hint, level }) => (
        <li key={`${line}:${column} ${message}`} className={style[level]}>
          <Button look="link" onClick={() => onGo(line, column)}>
            line {line}
          </Button>{" "}
          <span aria-hidden="true">{level === "error" ? "✗" : "!"} </span>
          <Text>{message}</Text>
          {hint !== undefined && (
            <span className="quiet">
              {" "}
              → <Text>{hint}</Text>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
