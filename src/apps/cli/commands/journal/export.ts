import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { errorText } from "../../../../base/kernel/error-text.ts";
import type { GovernanceEntry } from "../../../../base/ports/stores/governance.ts";
import { count } from "../../../shared/printable.ts";
import type { JournalExportArgs } from "../../declared/contract-commands.ts";
import { done, failed, type Outcome } from "../../line/outcome.ts";
import { type GovernanceCommand, onThisMachine, VERIFY, withContract } from "../../stores/with-contract.ts";
import { readVersion } from "../behavior/read-options.ts";
import { readPages } from "./verify.ts";

export const runExport: GovernanceCommand<JournalExportArgs> = async (args, terminal, world) => {
  const [from, to] = [readVersion(args.from, "--from"), readVersion(args.to, "--to")];
  if (typeof from === "object") return from;
  if (typeof to === "object") return to;
  const { out: file } = args;
  return withContract(world, "read", async ({ journal }) => {
    const pages = readPages(journal, { from, to });
    if (file !== undefined) return toFile(resolve(terminal.cwd, file), pages);
    const entries: GovernanceEntry[] = [];
    for await (const page of pages) {
      if (terminal.json) entries.push(...page);
      else terminal.out(linesOf(page));
    }
    return done({ entries }, "", [VERIFY]);
  });
};

/** `conduct journal export [--out FILE] [--from N] [--to N]`: one JSON object per line. */
export const journalExport = onThisMachine(runExport);

/** Readable by this account only, like the store; never overwrites a file. */
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
    return failed("FILE_NOT_WRITTEN", message, "name a file that is not there yet");
  }
  const text = `\n  ✓ ${count(entries)} ${entries === 1 ? "entry" : "entries"} in ${path}\n\n`;
  return done({ file: path, entries }, text, [VERIFY]);
}

function linesOf(entries: readonly GovernanceEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}
