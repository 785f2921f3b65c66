import type { ConfigFault } from "../../../engine/agent/config/config-source.ts";
import { oneLine, plural } from "../../shared/printable.ts";
import { type Failure, failed, type NextAction } from "./outcome.ts";
import type { Paint } from "./terminal.ts";

const WIDEST = 88;

/** Each fault with its line and a mark under the place. `texts` are the files with the faults. */
export function renderFaults(
  faults: readonly ConfigFault[],
  texts: ReadonlyMap<string, string>,
  kind: "fault" | "warning",
  paint: Paint,
): string {
  const linesOf = new Map([...texts].map(([file, text]) => [file, text.replace(/^\uFEFF/, "").split(/\r?\n/)]));
  const style = kind === "fault" ? "red" : "amber";
  const mark = kind === "fault" ? "" : "warning: ";
  return faults
    .map(({ file, line, column, message, hint }) => {
      const number = String(line).padStart(6);
      const { shown, indent } = excerpt(linesOf.get(file)?.[line - 1] ?? "", column);
      return [
        `  ${paint("bold", `${file}:${line}:${column}`)}  ${paint(style, mark)}${message}`,
        `${paint("dim", `${number} │`)} ${shown}`,
        `${paint("dim", "       │")} ${" ".repeat(indent)}${paint(style, "^")}${hint === undefined ? "" : ` ${hint}`}`,
        "",
      ].join("\n");
    })
    .join("\n");
}

/** The line, or the part of a long line around the fault. Tabs count as one column, so that the mark aligns. */
function excerpt(line: string, column: number): { readonly shown: string; readonly indent: number } {
  const from = column - 1 > WIDEST - 20 ? column - 1 - 40 : 0;
  const part = line.slice(from, from + WIDEST);
  const before = from > 0 ? "…" : "";
  const after = from + WIDEST < line.length ? "…" : "";
  const lead = part.length - part.trimStart().length;
  return { shown: `${before}${" ".repeat(lead)}${oneLine(part)}${after}`, indent: before.length + column - 1 - from };
}

/** Reports the faults of files, each with its line. `texts` are the files. */
export function faultsFound(
  code: string,
  faults: readonly ConfigFault[],
  texts: ReadonlyMap<string, string>,
  paint: Paint,
  next: readonly NextAction[],
): Failure {
  const files = [...new Set(faults.map(({ file }) => file))];
  const message = `${plural(faults.length, "fault")} in ${files.join(", ")}`;
  const text = `\n${renderFaults(faults, texts, "fault", paint)}\n  ${paint("red", `✗ ${message}`)}\n\n`;
  return failed(code, message, "correct these lines, then try again", { result: { files, faults }, text, next });
}
