import { resolve } from "node:path";
import { canonicalJson } from "../../../../base/kernel/canonical-json.ts";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { PersistentMap } from "../../../../base/kernel/persistent-map.ts";
import type { GovernanceEntry, GovernanceHead, GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import type { ContractEvent } from "../../../../base/words/contract.ts";
import { contractFor } from "../../../../behavior/contract/active-contract.ts";
import { type ContractState, foldContract } from "../../../../behavior/contract/contract-state.ts";
import { readEntry } from "../../../../behavior/contract/journal-entry.ts";
import { CHAIN_START, type ChainCheck, verifyChain } from "../../../../engine/journal/governance-chain.ts";
import { clip, count, oneLine, plural } from "../../../shared/printable.ts";
import type { JournalExportArgs, JournalVerifyArgs } from "../../declared/contract-commands.ts";
import { badArgument, done, type Failure, failed, type Outcome } from "../../line/outcome.ts";
import type { Paint, Terminal } from "../../line/terminal.ts";
import {
  damaged,
  type GovernanceCommand,
  type GovernanceWorld,
  type OpenContract,
  REPAIR,
  readVersion,
  thisMachine,
  VERIFY,
  withContract,
} from "../../stores/with-contract.ts";
import { versionText } from "../behavior/render.ts";

/** `conduct journal export [--out FILE] [--from N] [--to N]`: one JSON object per line. */
export const journalExport: GovernanceCommand<JournalExportArgs> = async (args, terminal, world = thisMachine()) => {
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

/** Readable by this account only, like the store; never overwrites a file. */
async function toFile(path: string, pages: AsyncIterable<readonly GovernanceEntry[]>): Promise<Outcome> {
  let entries = 0;
  try {
    const { open } = await import("node:fs/promises");
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
    return failed("FILE_NOT_WRITTEN", message, "name a file that does not exist yet");
  }
  const text = `\n  ✓ ${count(entries)} ${entries === 1 ? "entry" : "entries"} in ${path}\n\n`;
  return done({ file: path, entries }, text, [VERIFY]);
}

function linesOf(entries: readonly GovernanceEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

export const journalRebuild: GovernanceCommand = (_, { paint }, world = thisMachine()) =>
  withContract(world, "write", async ({ service, journal, events, adherence, rebuildSearch }) => {
    const live = await service.state();
    if (live.fault !== undefined) return damaged(live.fault);
    const contractEvents: ContractEvent[] = [];
    for await (const entries of readPages(journal, { to: live.seq })) {
      for (const entry of entries) {
        const event = readEntry(entry);
        if (event !== undefined && !("fault" in event)) contractEvents.push(event);
      }
    }
    const again = foldContract(contractEvents);
    if (imageOf(again) !== imageOf(live)) {
      const message = "the rebuilt contract differs from the one in use";
      const fix = "report this, with: conduct journal export";
      const next = [{ command: "conduct journal export", description: "Export the journal" }];
      return failed("PROJECTION_DIFFERS", message, fix, { next });
    }
    const sessions = await events?.rebuild();
    if (events !== undefined && adherence !== undefined) {
      const { followAdherence } = await import("../../../learning/adherence/follow-adherence.ts");
      await adherence.clear();
      await followAdherence({ events, adherence, contracts: service });
    }
    const search = await rebuildSearch?.();
    const indexed = await rebuildHistory(world, journal);
    const { version, hash } = contractFor(again, {}, world.clock.now());
    const figures =
      sessions === undefined
        ? ""
        : `  ${paint("green", "✓")} sessions: the figures of ${plural(sessions, "session")} were rebuilt\n`;
    const words =
      search === undefined
        ? ""
        : `  ${paint("green", "✓")} search: the words of ${plural(search.governance, "change")}, ${plural(search.events, "event")} and ${plural(search.notes, "note")} indexed again\n`;
    return done(
      {
        contract: { version, hash, events: contractEvents.length },
        sessions,
        search,
        history: indexed,
      },
      `\n  ${paint("green", "✓")} contract: ${plural(contractEvents.length, "change")} give ${versionText({ version, hash })}, the contract in use\n${figures}${words}${historyLine(indexed, paint)}\n`,
      [VERIFY],
    );
  });

type Indexed = { readonly entries: number } | { readonly problem: string };

/** Rebuilds the search index, if one is configured. An unreachable index is reported, but fails nothing. */
async function rebuildHistory(world: GovernanceWorld, journal: GovernanceJournal): Promise<Indexed | undefined> {
  const index = await world.index(journal);
  if (index === undefined) return undefined;
  try {
    const { rebuildIndex } = await import("../../../../edge/stores/typesense/history-index.ts");
    return { entries: (await rebuildIndex(journal, index)).taken };
  } catch (error) {
    return { problem: errorText(error) };
  }
}

function historyLine(indexed: Indexed | undefined, paint: Paint): string {
  if (indexed === undefined) return "";
  if ("problem" in indexed)
    return `  ${paint("amber", "!")} history: the index could not be rebuilt: ${indexed.problem}\n`;
  return `  ${paint("green", "✓")} history: ${plural(indexed.entries, "change")} indexed\n`;
}

/** The state as bytes, for comparison. */
function imageOf({ fault: _, ...state }: ContractState): string {
  const plain = Object.entries(state).map(([name, part]) => [
    name,
    part instanceof PersistentMap ? Object.fromEntries<unknown>(part) : part,
  ]);
  return canonicalJson(JSON.parse(JSON.stringify(Object.fromEntries(plain))));
}

type Broken = Extract<ChainCheck, { readonly kind: "broken" }>;

/** `conduct journal verify [--head SEQ:HASH]` */
export const journalVerify: GovernanceCommand<JournalVerifyArgs> = async (args, terminal, world = thisMachine()) => {
  const kept = readHead(args.head);
  if (kept !== undefined && "ok" in kept) return kept;
  return withContract(world, "read", (contract) => verify(contract, kept, terminal));
};

async function verify(
  { journal, service }: OpenContract,
  kept: GovernanceHead | undefined,
  { paint, invocation }: Terminal,
): Promise<Outcome> {
  let head = CHAIN_START;
  let seen: string | undefined;
  for await (const entries of readPages(journal)) {
    const check = verifyChain(entries, head);
    if (check.kind === "broken") {
      const last = entries[entries.findIndex(({ seq }) => seq === check.seq) - 1];
      return broken(check, last === undefined ? head : { seq: last.seq, hash: last.hash });
    }
    seen ??= entries.find(({ seq }) => seq === kept?.seq)?.hash;
    head = check.head;
  }
  if (kept !== undefined && kept.seq > 0 && seen !== kept.hash) return otherHead(kept, head, seen);
  const { fault } = await service.state();
  if (fault !== undefined) {
    const message = `every entry verifies, but the journal cannot be trusted: ${fault.message}`;
    return failed("JOURNAL_DAMAGED", message, FIX, { result: { head, fault }, next: [REPAIR] });
  }
  const word = written(head);
  const since = kept === undefined ? "" : `, and contains the head that you stored (${written(kept)})`;
  const text = [
    "\n",
    `  ${paint("green", "✓ the journal is intact")}: ${head.seq} ${head.seq === 1 ? "entry" : "entries"}${since}\n`,
    `  head  ${paint("bold", word)}\n`,
    `  ${paint("dim", "store it where nobody with write access to the store can change it. Later:")} ${invocation} journal verify --head=${word}\n\n`,
  ].join("");
  const next = [
    { command: `conduct journal verify --head=${word}`, description: "Check later that nothing is missing" },
  ];
  return done({ entries: head.seq, head, kept }, text, next);
}

const FIX = "every call is denied until it is repaired: conduct journal repair (shows what is lost, and asks first)";

const FAULTS: Readonly<Record<Broken["fault"], string>> = {
  altered: "was changed after it was written",
  missing: "does not follow the one before it: entries are missing",
  unlinked: "does not continue the one before it: one of them was replaced",
};

function broken({ seq, fault }: Broken, good: GovernanceHead): Outcome {
  const message = `entry ${seq} ${FAULTS[fault]}; until entry ${good.seq} the journal is intact`;
  const save = { command: `conduct journal export --to=${good.seq}`, description: "Export the intact part" };
  const next = [REPAIR, save];
  return failed("JOURNAL_BROKEN", message, FIX, { result: { broken: { seq, fault }, good }, next });
}

function otherHead(kept: GovernanceHead, head: GovernanceHead, seen: string | undefined): Outcome {
  const message =
    seen === undefined
      ? `entry ${kept.seq}, whose hash you stored, is missing: the journal ends at ${head.seq}`
      : `entry ${kept.seq} has another hash than the one you stored: the journal was rewritten`;
  return failed("JOURNAL_BROKEN", message, FIX, { result: { kept, head }, next: [REPAIR] });
}

function written({ seq, hash }: GovernanceHead): string {
  return `${seq}:${hash}`;
}

function readHead(text: string | undefined): GovernanceHead | Failure | undefined {
  if (text === undefined) return undefined;
  const [, seq, hash] = /^(\d{1,10}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash };
  const message = `--head: '${clip(oneLine(text), 80)}' is not a head`;
  return badArgument(message, "give it as verify printed it: SEQ:HASH");
}

const PAGE = 1_000;

/** The governance journal page by page, the oldest first. */
export async function* readPages(
  journal: Pick<GovernanceJournal, "read">,
  range: { readonly from?: number; readonly to?: number } = {},
): AsyncGenerator<readonly GovernanceEntry[]> {
  for (let from: number | undefined = range.from ?? 1; from !== undefined; ) {
    const page: Awaited<ReturnType<GovernanceJournal["read"]>> = await journal.read({ ...range, from, limit: PAGE });
    if (page.entries.length > 0) yield page.entries;
    from = page.next;
  }
}
