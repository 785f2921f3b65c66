import type {
  FoundJournal,
  JournalReplacement,
  RepairEvidence,
} from "../../../../base/ports/stores/governance-repair.ts";
import { allDirectives } from "../../../../behavior/contract/contract-state.ts";
import { readEntry } from "../../../../behavior/contract/journal-entry.ts";
import {
  type AsideEntry,
  type Diagnosis,
  diagnoseJournal,
  planRepair,
  type RepairPlan,
} from "../../../../engine/governance/repair-journal.ts";
import { describeEvent } from "../../../shared/contract-words.ts";
import { clip, count, oneLine, plural } from "../../../shared/printable.ts";
import type { JournalRepairArgs } from "../../declared/contract-commands.ts";
import { badArgument, done, type Failure, failed, type Outcome, refuseAgent } from "../../line/outcome.ts";
import { askFirst, requirePerson } from "../../line/person.ts";
import type { Terminal } from "../../line/terminal.ts";
import { type GovernanceCommand, thisMachine, VERIFY, withContract } from "../../stores/with-contract.ts";

const MOST_ENTRIES = 200;

const FATES = {
  kept: ["green", "kept"],
  accepted: ["amber", "accepted as is"],
  "left-out": ["red", "left out"],
} as const;

/** Renders the damage, what happens to every later entry, and which rules are in force afterwards. */
export function renderPlan(
  { aside, after }: RepairPlan,
  { fault, keep }: Extract<Diagnosis, { readonly kind: "broken" }>,
  { paint, invocation }: Terminal,
): string {
  const left = aside.filter(({ fate }) => fate === "left-out").map(({ entry }) => entry.seq);
  const rules = [...after.rules].map(
    ([id, { status }]) => `${oneLine(id)} (${status === "enforced" ? "enforced" : "in shadow"})`,
  );
  const lines = [
    "",
    `  ${paint("red", "✗ the governance journal is damaged")}: ${oneLine(fault.message)}`,
    keep.head.seq === 0 ? "    no entry verifies" : `    entries 1 to ${keep.head.seq} verify and are kept`,
    "",
    ...(aside.length === 0 ? [] : [`  ${entryCount(aside.length)} after that:`]),
    ...aside.slice(0, MOST_ENTRIES).flatMap((one) => [asideLine(one, paint), ...nowText(one, paint)]),
    ...(aside.length > MOST_ENTRIES ? [`    and ${aside.length - MOST_ENTRIES} more (see them all with --json)`] : []),
    "",
    `  after the repair: ${plural(allDirectives(after).length, "directive")}, ${plural(after.rules.size, "shared rule")}${rules.length === 0 ? "" : `: ${rules.join(", ")}`}`,
    ...(left.length === 0
      ? []
      : [
          `  ${paint("amber", "left out")} entries are no longer in force. Add them again, or accept them as they are:`,
          `    ${invocation} journal repair --accept ${left.length > 10 ? `${left[0]}-${left.at(-1)}` : left.join(",")}`,
        ]),
    "",
    "",
  ];
  return lines.join("\n");
}

/** The chain is intact; only the heads of this machine are saved again. */
export function renderHeads(
  { why, fold }: Extract<Diagnosis, { readonly kind: "heads" }>,
  { paint }: Terminal,
): string {
  return [
    "",
    `  ${paint("red", "✗ the stored heads do not match the governance journal")}: ${oneLine(why)}`,
    `    the chain itself is intact: ${entryCount(fold.head.seq)}, ${plural(fold.state.rules.size, "shared rule")}`,
    "    the repair saves its heads on this machine again, and keeps the old ones",
    "",
    "",
  ].join("\n");
}

export function renderRepaired({ table, headsFile }: RepairEvidence, repair: string, { paint }: Terminal): string {
  return [
    "",
    `  ${paint("green", "✓ the journal is repaired")} (${repair})`,
    ...(table === undefined ? [] : [`    the damaged entries are in the table ${table}, under repair = '${repair}'`]),
    ...(headsFile === undefined ? [] : [`    the old heads are in ${headsFile}`]),
    "    running gateways and daemons use it from the next turn on",
    "",
    "",
  ].join("\n");
}

/** The content of an entry that cannot be verified; an operator decides by it whether to accept the entry. */
function nowText({ entry, proof }: AsideEntry, paint: Terminal["paint"]): readonly string[] {
  return proof === "proven" ? [] : [`           ${paint("dim", clip(oneLine(JSON.stringify(entry.body)), 400))}`];
}

function asideLine({ entry, proof, fate, why }: AsideEntry, paint: Terminal["paint"]): string {
  const [colour, word] = FATES[fate];
  const event = readEntry(entry);
  const said = event === undefined ? entry.kind : "fault" in event ? `${entry.kind}, unreadable` : describeEvent(event);
  const reason = fate === "left-out" ? `: ${why}` : fate === "kept" ? `, ${proof}` : "";
  return `    ${String(entry.seq).padStart(5)}  ${clip(oneLine(String(said)), 100)}  ${paint(colour, word)}${reason}`;
}

function entryCount(entries: number): string {
  return `${count(entries)} ${entries === 1 ? "entry" : "entries"}`;
}

const AGAIN = { command: "conduct journal repair --yes", description: "Repair it as shown" };

const IN_TERMINAL = "run it in your own terminal: conduct journal repair";

/** Shows the damage, asks, sets the damaged entries aside and starts a new part of the chain. */
export const journalRepair: GovernanceCommand<JournalRepairArgs> = async (args, terminal, world = thisMachine()) => {
  const around = await world.inside();
  if (around !== undefined)
    return refuseAgent(around, "only a person can repair the journal", "conduct journal repair");
  const accept = readSeqs(args.accept);
  if ("ok" in accept) return accept;
  const sure = args.yes === true;
  const dryRun = args["dry-run"] === true;
  return withContract(world, "write", async ({ repair: openRepair, service }) => {
    const repair = await openRepair?.();
    if (repair === undefined) {
      const message = "this store has no journal to repair";
      return failed("STORE_UNAVAILABLE", message, "check CONDUCT_STORE and CONDUCT_HOME");
    }
    const found = await repair.find();
    const diagnosis = diagnoseJournal(found);
    if (diagnosis.kind === "whole") return nothingToDo(diagnosis, terminal);
    const who = { repair: world.ids.next("repair"), by: await world.by(), at: world.clock.now() };
    const prepared =
      diagnosis.kind === "heads"
        ? storeHeadsAgain(found, diagnosis, who.repair, terminal)
        : replaceTail(
            diagnosis,
            planRepair(found, diagnosis, (seq) => accept.has(seq), who),
            terminal,
          );
    const { shown, result } = prepared;
    if (dryRun) return done({ ...result, dryRun }, shown, [AGAIN]);
    const seen = await world.look();
    const person = requirePerson({ look: () => seen }, "can repair the journal", IN_TERMINAL);
    if ("ok" in person) return person;
    const asked = { yes: sure, shown, question: "Repair the journal as shown?" };
    const unconfirmed = await askFirst(asked, AGAIN.command, result, { ...terminal, out: terminal.error });
    if (unconfirmed !== undefined) return { ...unconfirmed, code: "NOT_CONFIRMED" };
    const evidence = await repair.replace(prepared.replacement);
    // Running readers notice the repair within seconds; this read verifies it, and updates a hot contract.
    const { fault } = await service.state();
    if (fault !== undefined) {
      const message = `the journal is still damaged: ${fault.message}`;
      return failed("JOURNAL_BROKEN", message, "run it again: conduct journal repair", { next: [VERIFY] });
    }
    const text = `${sure ? shown : ""}${renderRepaired(evidence, who.repair, terminal)}`;
    return done({ ...result, repair: who.repair, evidence }, text, [VERIFY]);
  });
};

/** The text shown before the repair, the JSON result, and the replacement to write. */
type Prepared = { readonly shown: string; readonly result: object; readonly replacement: JournalReplacement };

function storeHeadsAgain(
  { entries }: FoundJournal,
  diagnosis: Extract<Diagnosis, { readonly kind: "heads" }>,
  repair: string,
  terminal: Terminal,
): Prepared {
  const { why, heads } = diagnosis;
  const last = entries.at(-1);
  const keep = { seq: last?.seq ?? 0, hash: last?.hash ?? "" };
  const replacement = { repair, keep, aside: [], entries: [], heads };
  return { shown: renderHeads(diagnosis, terminal), result: { kind: "heads", why }, replacement };
}

function replaceTail(
  diagnosis: Extract<Diagnosis, { readonly kind: "broken" }>,
  plan: RepairPlan,
  terminal: Terminal,
): Prepared {
  const { fault, keep } = diagnosis;
  const entries = plan.aside.map(({ entry: { seq, kind, by, at, body }, proof, fate, why }) => ({
    ...{ seq, kind, by, at, body, proof, fate, why },
  }));
  const rules = [...plan.after.rules].map(([id, { status }]) => ({ id, status }));
  const result = { kind: "broken", fault, good: keep.head, entries, rules };
  return { shown: renderPlan(plan, diagnosis, terminal), result, replacement: plan.replacement };
}

/** `3,5-7` or `all`. */
function readSeqs(text: string | undefined): { has(seq: number): boolean } | Failure {
  if (text === undefined) return { has: () => false };
  if (text === "all") return { has: () => true };
  const ranges = text.split(",").map((part) => /^\s*(\d{1,10})(?:-(\d{1,10}))?\s*$/.exec(part));
  if (ranges.some((range) => range === null))
    return badArgument(`--accept: '${text.slice(0, 80)}' is not a list of entries`, "use 3,5-7 or all");
  const spans = ranges.map((range) => [Number(range?.[1]), Number(range?.[2] ?? range?.[1])] as const);
  return { has: (seq) => spans.some(([from, to]) => seq >= from && seq <= to) };
}

function nothingToDo({ fold }: Extract<Diagnosis, { readonly kind: "whole" }>, { paint }: Terminal): Outcome {
  const { seq } = fold.head;
  const text = `\n  ${paint("green", "✓ the journal is intact")}: ${seq} ${seq === 1 ? "entry" : "entries"}, nothing to repair\n\n`;
  return done({ kind: "whole", head: fold.head }, text, [VERIFY]);
}
