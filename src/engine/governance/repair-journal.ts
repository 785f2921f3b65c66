import { sha256 } from "../../base/kernel/canonical-json.ts";
import { isObject } from "../../base/kernel/json.ts";
import type { GovernanceDraft, GovernanceEntry, GovernanceHead } from "../../base/ports/stores/governance.ts";
import type { FoundJournal, JournalReplacement } from "../../base/ports/stores/governance-repair.ts";
import type { Json } from "../../base/words/json.ts";
import { applyEvent, type ContractState } from "../../behavior/contract/contract-state.ts";
import { readEntry } from "../../behavior/contract/journal-entry.ts";
import { hasOwnHash, sealEntries, verifyChain } from "../journal/governance-chain.ts";
import { EMPTY_FOLD, foldEntries, JOURNAL_REPAIRED, type JournalFault, type JournalFold } from "./journal-fold.ts";

/** Entries are sealed in parts of this size. */
const PART = 1_000;

/**
 * `proven`: its hash was stored outside the store. `unproven`: its hash is right, but was never stored outside.
 * `altered`: it was altered.
 */
type EntryProof = "proven" | "unproven" | "altered";

/** An entry after the break, and what a repair does with it. `why`: the reason to leave it out. */
export type AsideEntry = {
  readonly entry: GovernanceEntry;
  readonly proof: EntryProof;
  readonly fate: "kept" | "accepted" | "left-out";
  readonly why?: string;
};

export type RepairPlan = {
  readonly aside: readonly AsideEntry[];
  /** The contract and the rules after the repair. */
  readonly after: ContractState;
  readonly replacement: JournalReplacement;
};

type RepairWho = { readonly repair: string; readonly by: string; readonly at: number };

/** Entries before the break stay, one entry records the repair, and proven or accepted entries follow it. */
export function planRepair(
  found: FoundJournal,
  broken: Extract<Diagnosis, { readonly kind: "broken" }>,
  accept: (seq: number) => boolean,
  who: RepairWho,
): RepairPlan {
  const { fault, keep } = broken;
  const tail = found.entries.filter(({ seq }) => seq > keep.head.seq);
  let after = keep.state;
  let next = keep.head.seq + 2;
  const moved = new Map<number, number>();
  const drafts: GovernanceDraft[] = [];
  const aside = tail.map((entry): AsideEntry => {
    const proof = proofOf(entry, found.heads);
    const fate = proof === "proven" ? "kept" : accept(entry.seq) ? "accepted" : "left-out";
    if (fate === "left-out") return { entry, proof, fate, why: PROOF_TEXT[proof] };
    const taken = takeEntry(entry, next, moved, after);
    if ("why" in taken) return { entry, proof, fate: "left-out", why: taken.why };
    after = taken.state;
    drafts.push(taken.draft);
    moved.set(entry.seq, next);
    next += 1;
    return { entry, proof, fate };
  });
  const record: GovernanceDraft = {
    at: who.at,
    by: who.by,
    kind: JOURNAL_REPAIRED,
    body: {
      repair: who.repair,
      fault: { seq: fault.seq, message: fault.message },
      keep: { ...keep.head },
      evidence: { entries: tail.length, hash: evidenceHash(tail) },
      kept: seqsOf(aside, "kept"),
      accepted: seqsOf(aside, "accepted"),
      leftOut: seqsOf(aside, "left-out"),
    },
  };
  const entries = sealAll(keep.head, [record, ...drafts]);
  const heads = [...found.entries.filter(({ seq }) => seq <= keep.head.seq), ...entries].map(headOf);
  return { aside, after, replacement: { repair: who.repair, keep: keep.head, aside: tail, entries, heads } };
}

/** The hash that a repair records of the entries it has set aside: of every column as it was found. */
function evidenceHash(entries: readonly GovernanceEntry[]): string {
  return sha256(
    JSON.stringify(entries.map(({ seq, at, by, kind, body, prev, hash }) => [seq, at, by, kind, body, prev, hash])),
  );
}

const PROOF_TEXT: Readonly<Record<EntryProof, string>> = {
  proven: "",
  unproven: "no head was stored for it, so it cannot be verified",
  altered: "it was altered",
};

function proofOf(entry: GovernanceEntry, heads: FoundJournal["heads"]): EntryProof {
  if (!hasOwnHash(entry)) return "altered";
  const stored = heads.get(entry.seq);
  if (stored === undefined) return "unproven";
  return stored === entry.hash ? "proven" : "altered";
}

type Taken = { readonly draft: GovernanceDraft; readonly state: ContractState } | { readonly why: string };

/** The entry at its new place, unless it makes no sense there. */
function takeEntry(
  entry: GovernanceEntry,
  seq: number,
  moved: ReadonlyMap<number, number>,
  state: ContractState,
): Taken {
  const { at, by, kind } = entry;
  const body = movedBody(entry, moved);
  const event = readEntry({ seq, at, by, kind, body });
  if (event !== undefined && "fault" in event) return { why: "it cannot be read" };
  const after = event === undefined ? state : applyEvent(state, event);
  if (after.fault !== undefined) return { why: "it depends on entries that are left out" };
  return { draft: { at, by, kind, body }, state: after };
}

/** An undo names the entry that it undoes by its place. */
function movedBody({ kind, body }: GovernanceEntry, moved: ReadonlyMap<number, number>): Json {
  if (kind !== "contract-undone" || !isObject(body)) return body;
  const { undoes } = body;
  return typeof undoes === "number" ? { ...body, undoes: moved.get(undoes) ?? undoes } : body;
}

function sealAll(after: GovernanceHead, drafts: readonly GovernanceDraft[]): readonly GovernanceEntry[] {
  const sealed: GovernanceEntry[] = [];
  for (let from = 0; from < drafts.length; from += PART)
    sealed.push(...sealEntries(sealed.at(-1) ?? after, drafts.slice(from, from + PART)));
  return sealed;
}

function seqsOf(aside: readonly AsideEntry[], fate: AsideEntry["fate"]): readonly number[] {
  return aside.filter((one) => one.fate === fate).map(({ entry }) => entry.seq);
}

function headOf({ seq, hash }: GovernanceEntry): GovernanceHead {
  return { seq, hash };
}

/**
 * `heads`: the chain is intact, and only this machine's stored heads must be written again. `broken`: entries up to
 * `keep` can be trusted.
 */
export type Diagnosis =
  | { readonly kind: "whole"; readonly fold: JournalFold }
  | {
      readonly kind: "heads";
      readonly why: string;
      readonly fold: JournalFold;
      readonly heads: readonly GovernanceHead[];
    }
  | { readonly kind: "broken"; readonly fault: JournalFault; readonly keep: JournalFold };

/** Compares every entry with the chain and with the head that was stored for it. */
export function diagnoseJournal({ entries, heads, headsFault }: FoundJournal): Diagnosis {
  const alone = foldEntries(EMPTY_FOLD, entries);
  const elsewhere = repairedElsewhere(entries, heads);
  if (alone.fault === undefined && (headsFault !== undefined || elsewhere !== undefined)) {
    const why =
      headsFault ?? `the journal was repaired from another machine (entry ${elsewhere?.seq} by ${elsewhere?.by})`;
    return { kind: "heads", why, fold: alone.fold, heads: entries.map(({ seq, hash }) => ({ seq, hash })) };
  }
  const other = entries.find(({ seq, hash }) => heads.has(seq) && heads.get(seq) !== hash);
  const upTo = other === undefined ? entries : entries.slice(0, entries.indexOf(other));
  const read = foldEntries(EMPTY_FOLD, upTo);
  if (read.fault !== undefined)
    return { kind: "broken", fault: read.fault, keep: beforeReplaced(upTo, read.fold, heads) };
  if (other !== undefined) {
    const message = `entry ${other.seq} does not have the hash that was stored for it: the journal was rewritten`;
    return { kind: "broken", fault: { seq: other.seq, message }, keep: read.fold };
  }
  const newest = Math.max(0, ...heads.keys());
  if (newest <= read.fold.head.seq) return { kind: "whole", fold: read.fold };
  const end = read.fold.head.seq;
  const message = `the journal ends at entry ${end}, and entry ${newest} was written before: entries ${end + 1} to ${newest} are gone`;
  return { kind: "broken", fault: { seq: end + 1, message }, keep: read.fold };
}

/** If two entries are not linked, the first one may be forged; only its stored head proves that it is not. */
function beforeReplaced(
  entries: readonly GovernanceEntry[],
  fold: JournalFold,
  heads: FoundJournal["heads"],
): JournalFold {
  const check = verifyChain(entries);
  const { seq } = fold.head;
  if (check.kind !== "broken" || check.fault !== "unlinked" || heads.has(seq)) return fold;
  return foldEntries(
    EMPTY_FOLD,
    entries.filter((entry) => entry.seq < seq),
  ).fold;
}

/** A repair from another machine that explains why this machine's heads do not fit. */
function repairedElsewhere(
  entries: readonly GovernanceEntry[],
  heads: FoundJournal["heads"],
): GovernanceEntry | undefined {
  const hashes = new Map(entries.map(({ seq, hash }) => [seq, hash]));
  const wrong = [...heads].filter(([seq, hash]) => hashes.get(seq) !== hash).map(([seq]) => seq);
  if (wrong.length === 0) return undefined;
  const first = Math.min(...wrong);
  return entries.findLast(
    ({ kind, seq, hash }) => kind === JOURNAL_REPAIRED && seq <= first && heads.get(seq) !== hash,
  );
}
