import type { GovernanceEntry, GovernanceHead, GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import { CHAIN_START, type ChainCheck, verifyChain } from "../../../../engine/journal/governance-chain.ts";
import { clip, oneLine } from "../../../shared/printable.ts";
import type { JournalVerifyArgs } from "../../declared/contract-commands.ts";
import { badArgument, done, type Failure, failed, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import {
  type GovernanceCommand,
  type OpenContract,
  onThisMachine,
  REPAIR,
  withContract,
} from "../../stores/with-contract.ts";

type Broken = Extract<ChainCheck, { readonly kind: "broken" }>;

export const runVerify: GovernanceCommand<JournalVerifyArgs> = async (args, terminal, world) => {
  const kept = readHead(args.head);
  if (kept !== undefined && "ok" in kept) return kept;
  return withContract(world, "read", (contract) => verify(contract, kept, terminal));
};

/** `conduct journal verify [--head SEQ:HASH]` */
export const journalVerify = onThisMachine(runVerify);

async function verify(
  { journal, service }: OpenContract,
  kept: GovernanceHead | undefined,
  { paint }: Terminal,
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
    const message = `the entries are whole, and the journal cannot be relied on all the same: ${fault.message}`;
    return failed("JOURNAL_DAMAGED", message, FIX, { result: { head, fault }, next: [REPAIR] });
  }
  const word = written(head);
  const since = kept === undefined ? "" : `, and has the head that you kept (${written(kept)})`;
  const text = [
    "\n",
    `  ${paint("green", "✓ the journal is whole")}: ${head.seq} ${head.seq === 1 ? "entry" : "entries"}${since}\n`,
    `  head  ${paint("bold", word)}\n`,
    `  ${paint("dim", "keep it where nobody who can write the store can change it; later:")} conduct journal verify --head=${word}\n\n`,
  ].join("");
  const next = [{ command: `conduct journal verify --head=${word}`, description: "Later: is all of it still there?" }];
  return done({ entries: head.seq, head, kept }, text, next);
}

const FIX = "every call is denied until it is repaired: conduct journal repair (it shows what is lost, and asks first)";

const FAULTS: Readonly<Record<Broken["fault"], string>> = {
  altered: "is not what was written",
  missing: "does not follow the one before it: entries are gone",
  unlinked: "was not written after the one before it: one of the two was replaced",
};

function broken({ seq, fault }: Broken, good: GovernanceHead): Outcome {
  const message = `entry ${seq} ${FAULTS[fault]}; up to entry ${good.seq} the journal is whole`;
  const save = { command: `conduct journal export --to=${good.seq}`, description: "Save what can be relied on" };
  const next = [REPAIR, save];
  return failed("JOURNAL_BROKEN", message, FIX, { result: { broken: { seq, fault }, good }, next });
}

function otherHead(kept: GovernanceHead, head: GovernanceHead, seen: string | undefined): Outcome {
  const message =
    seen === undefined
      ? `entry ${kept.seq}, which you kept the hash of, is not there: the journal ends at ${head.seq}`
      : `entry ${kept.seq} has another hash than the one that you kept: the journal was written anew`;
  return failed("JOURNAL_BROKEN", message, FIX, { result: { kept, head }, next: [REPAIR] });
}

function written({ seq, hash }: GovernanceHead): string {
  return `${seq}:${hash}`;
}

function readHead(text: string | undefined): GovernanceHead | Failure | undefined {
  if (text === undefined) return undefined;
  const [, seq, hash] = /^(\d{1,10}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash };
  const message = `--head: '${clip(oneLine(text), 80)}' is no head`;
  return badArgument(message, "give it as an earlier verify printed it: SEQ:HASH");
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
