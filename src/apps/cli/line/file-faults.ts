import { relative, resolve } from "node:path";
import { loadConfigFile } from "../../../edge/host/opening/load-config.ts";
import type { ConfigFault } from "../../../engine/agent/config/config-source.ts";
import type { ParsedConfig } from "../../../engine/agent/config/parse-config.ts";
import { oneLine, plural, quoted } from "../../shared/printable.ts";
import { type Failure, failed, type NextAction } from "./outcome.ts";
import type { Paint, Terminal } from "./terminal.ts";

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

/** A conduct.yaml without faults. `file` is its name in messages, `texts` are all files that were read. */
export type UsableConfig = {
  readonly path: string;
  readonly file: string;
  readonly texts: ReadonlyMap<string, string>;
  readonly parsed: Exclude<ParsedConfig, { readonly faults: unknown }>;
};

/** Reads a conduct.yaml and the files it names. Faults, and files that cannot be read, become a failure. */
export async function loadConfig(
  given: string,
  { cwd, paint }: Pick<Terminal, "cwd" | "paint">,
  next?: readonly NextAction[],
): Promise<UsableConfig | Failure> {
  const path = resolve(cwd, given);
  const file = path.startsWith(`${cwd}/`) ? relative(cwd, path) : given;
  const check = { command: `conduct config check ${quoted(file)}`, description: "Check the file again" };
  const loaded = await loadConfigFile(path, file);
  if ("error" in loaded) return { ok: false, ...loaded.error, next: next ?? [check] };
  const { texts, parsed } = loaded;
  if (!("faults" in parsed)) return { path, file, texts, parsed };
  const failure = faultsFound("CONFIG_INVALID", parsed.faults, texts, paint, [check, ...(next ?? [])]);
  return { ...failure, result: { file, faults: parsed.faults } };
}
