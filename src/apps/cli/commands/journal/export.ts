import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { errorText } from "../../../../base/kernel/error-text.ts";
import type { GovernanceEntry } from "../../../../base/ports/stores/governance.ts";
import type { Outcome } from "../../line/outcome.ts";
import { count } from "../../line/printable.ts";
import { VERIFY } from "../behavior/answers.ts";
import { readVersion } from "../behavior/views/point.ts";
import { type GovernanceCommand, onThisMachine, textOf, withContract } from "../behavior/world.ts";
import { readPages } from "./read.ts";

export const runExport: GovernanceCommand = async (args, terminal, world) => {
  const [from, to] = [readVersion(args.from, "--from"), readVersion(args.to, "--to")];
  for (const wrong of [from, to]) if (typeof wrong === "object") return wrong;
  const range = { ...(typeof from === "number" ? { from } : {}), ...(typeof to === "number" ? { to } : {}) };
  const file = textOf(args.out);
  return withContract(world, "read", async ({ journal }) => {
    const pages = readPages(journal, range);
    if (file !== undefined) return toFile(resolve(terminal.cwd, file), pages);
    const entries: GovernanceEntry[] = [];
    for await (const page of pages) {
      if (terminal.json) entries.push(...page);
      else terminal.out(linesOf(page));
    }
    return { ok: true, result: { entries }, text: "", next: [VERIFY] };
  });
};

/** `conduct journal export [--out FILE] [--from N] [--to N]`: one JSON object a line. */
export const journalExport = onThisMachine(runExport);

/** For this account alone, like the store; a file that is there is left alone. */
async function toFile(path: string, pages: AsyncIterable<readonly GovernanceEntry[]>): Promise<Outcome> {
  let entries = 0;
  try {
    const handle = await open(path, "wx", 0o600);
    try {
      for await (const page of pages) {
        await handle.appendFile(linesOf(page));
        entries += page.length;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (typeof error !== "object" || error === null || !("syscall" in error)) throw error;
    const message = `${path} cannot be written: ${errorText(error)}`;
    return { ok: false, code: "FILE_NOT_WRITTEN", message, fix: "name a file that is not there yet", next: [] };
  }
  const text = `\n  ✓ ${count(entries)} ${entries === 1 ? "entry" : "entries"} in ${path}\n\n`;
  return { ok: true, result: { file: path, entries }, text, next: [VERIFY] };
}

function linesOf(entries: readonly GovernanceEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}
