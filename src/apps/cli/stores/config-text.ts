import { homedir } from "node:os";
import { relative } from "node:path";
import type { ConfigUsed } from "../../../edge/host/daemon/daemon-agents.ts";
import { hang } from "../../shared/printable.ts";
import type { Terminal } from "../line/terminal.ts";

/** The file in one line, and a line for every file of the workspace that has no effect. */
export function configLines(used: ConfigUsed, { cwd, paint, columns, invocation }: Terminal): string {
  const row = (label: string, text: string) =>
    hang(`  ${label.padEnd(8)} `, text, columns).map((line) => paint("dim", line));
  const skipped = used.faults.flatMap(({ where, message }) =>
    row("skipped", skippedText(where, message, { cwd, invocation })),
  );
  return ["", ...row("config", configText(used, cwd)), ...skipped, ""].join("\n");
}

/** `~/.conduct/conduct.yaml + conduct.yaml` */
export function configText({ file, added }: ConfigUsed, cwd: string): string {
  const base = file === undefined ? "built in (no conduct.yaml found)" : shortPath(file, cwd);
  return added === undefined ? base : `${base} + ${shortPath(added, cwd)}`;
}

/** A file of the workspace that has no effect, with the reason and what to do. */
export function skippedText(
  where: string,
  message: string,
  { cwd, invocation }: Pick<Terminal, "cwd" | "invocation">,
): string {
  const text = message.replace(/; it is left out$/, "").replace("conduct trust", `${invocation} trust`);
  return `${shortPath(where, cwd)}: ${text}`;
}

/** Relative to the folder if inside it, else below `~` if possible. */
export function shortPath(path: string, cwd: string): string {
  if (path.startsWith(`${cwd}/`)) return relative(cwd, path);
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
