import type { GovernanceHead } from "../../../../base/ports/stores/governance.ts";
import { CHAIN_START, type ChainCheck, verifyChain } from "../../../../engine/journal/governance-chain.ts";
import type { Outcome } from "../../line/outcome.ts";
import { clip, oneLine } from "../../line/printable.ts";
import type { Terminal } from "../../line/terminal.ts";
import { badArgument } from "../behavior/answers.ts";
import { type GovernanceCommand, type OpenContract, onThisMachine, textOf, withContract } from "../behavior/world.ts";
import { readPages } from "./read.ts";

type Broken = Extract<ChainCheck, { readonly kind: "broken" }>;

export const runVerify: GovernanceCommand = async (args, terminal, world) => {
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
    return { ok: false, code: "JOURNAL_DAMAGED", message, fix: REPAIR, result: { head, fault }, next: [NEXT_REPAIR] };
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
  return { ok: true, result: { entries: head.seq, head, kept }, text, next };
}

const REPAIR =
  "every call is denied until it is repaired: conduct journal repair (it shows what is lost, and asks first)";
const NEXT_REPAIR = { command: "conduct journal repair --dry-run", description: "See what a repair would come to" };

const FAULTS: Readonly<Record<Broken["fault"], string>> = {
  altered: "is not what was written",
  missing: "does not follow the one before it: entries are gone",
  unlinked: "was not written after the one before it: one of the two was replaced",
};

function broken({ seq, fault }: Broken, good: GovernanceHead): Outcome {
  const message = `entry ${seq} ${FAULTS[fault]}; up to entry ${good.seq} the journal is whole`;
  const save = { command: `conduct journal export --to=${good.seq}`, description: "Save what can be relied on" };
  const next = [NEXT_REPAIR, save];
  return { ok: false, code: "JOURNAL_BROKEN", message, fix: REPAIR, result: { broken: { seq, fault }, good }, next };
}

function otherHead(kept: GovernanceHead, head: GovernanceHead, seen: string | undefined): Outcome {
  const message =
    seen === undefined
      ? `entry ${kept.seq}, which you kept the hash of, is not there: the journal ends at ${head.seq}`
      : `entry ${kept.seq} has another hash than the one that you kept: the journal was written anew`;
  return { ok: false, code: "JOURNAL_BROKEN", message, fix: REPAIR, result: { kept, head }, next: [NEXT_REPAIR] };
}

function written({ seq, hash }: GovernanceHead): string {
  return `${seq}:${hash}`;
}

function readHead(given: unknown): GovernanceHead | Extract<Outcome, { readonly ok: false }> | undefined {
  const text = textOf(given);
  if (text === undefined) return undefined;
  const [, seq, hash] = /^(\d{1,10}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash };
  return badArgument(
    `--head: '${clip(oneLine(text), 80)}' is no head`,
    "give it as an earlier verify printed it: SEQ:HASH",
  );
}
