import type { FoundJournal, JournalReplacement } from "../../../../../base/ports/stores/governance-repair.ts";
import type { AgentAround } from "../../../../../edge/host/trust/inside-agent.ts";
import { type Diagnosis, diagnoseJournal } from "../../../../../engine/governance/diagnose-journal.ts";
import { planRepair, type RepairPlan } from "../../../../../engine/governance/plan-repair.ts";
import { confirm } from "../../../line/confirm.ts";
import type { Outcome } from "../../../line/outcome.ts";
import type { Terminal } from "../../../line/terminal.ts";
import { badArgument, VERIFY, type Wrong } from "../../behavior/answers.ts";
import { type GovernanceCommand, onThisMachine, textOf, withContract } from "../../behavior/world.ts";
import { renderHeads, renderPlan, renderRepaired } from "./repair-render.ts";

const AGAIN = { command: "conduct journal repair --yes", description: "Repair it as shown" };

/** `conduct journal repair [--accept SEQS] [--dry-run] [--yes]` */
export const journalRepair = onThisMachine((args, terminal, world) => runRepair(args, terminal, world));

/** Shows what is broken, asks, sets the damaged entries aside and begins a new part of the chain. */
export const runRepair: GovernanceCommand = async (args, terminal, world) => {
  const around = await world.inside();
  if (around !== undefined) return refuseAgent(around);
  const accept = readSeqs(textOf(args.accept));
  if ("ok" in accept) return accept;
  const sure = args.yes === true;
  const dryRun = args["dry-run"] === true;
  return withContract(world, "write", async ({ repair: openRepair, service }) => {
    const repair = await openRepair?.();
    if (repair === undefined) return noRepair();
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
    if (dryRun) return { ok: true, result: { ...result, dryRun }, text: shown, next: [AGAIN] };
    if (!sure) {
      terminal.error(shown);
      const answer = await confirm("  Repair the journal as shown? [y/N] ");
      if (answer !== true) return notConfirmed(answer, result);
    }
    const evidence = await repair.replace(prepared.replacement);
    // Readers that run already notice it within seconds; this one shows that it is whole, and tells a hot contract.
    const { fault } = await service.state();
    if (fault !== undefined) return stillDamaged(fault.message);
    const text = `${sure ? shown : ""}${renderRepaired(evidence, who.repair, terminal)}`;
    return { ok: true, result: { ...result, repair: who.repair, evidence }, text, next: [VERIFY] };
  });
};

/** What is shown before the repair, what a program gets, and what is written. */
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
    ...{ seq, kind, by, at, body, proof, fate },
    ...(why === undefined ? {} : { why }),
  }));
  const rules = [...plan.after.rules].map(([id, { status }]) => ({ id, status }));
  const result = { kind: "broken", fault, good: keep.head, entries, rules };
  return { shown: renderPlan(plan, diagnosis, terminal), result, replacement: plan.replacement };
}

/** `3,5-7` or `all`. */
function readSeqs(text: string | undefined): { has(seq: number): boolean } | Wrong {
  if (text === undefined) return { has: () => false };
  if (text === "all") return { has: () => true };
  const ranges = text.split(",").map((part) => /^\s*(\d{1,10})(?:-(\d{1,10}))?\s*$/.exec(part));
  if (ranges.some((range) => range === null))
    return badArgument(`--accept: '${text.slice(0, 80)}' names no entries`, "name them like 3,5-7, or write all");
  const spans = ranges.map((range) => [Number(range?.[1]), Number(range?.[2] ?? range?.[1])] as const);
  return { has: (seq) => spans.some(([from, to]) => seq >= from && seq <= to) };
}

function nothingToDo({ fold }: Extract<Diagnosis, { readonly kind: "whole" }>, { paint }: Terminal): Outcome {
  const { seq } = fold.head;
  const text = `\n  ${paint("green", "✓ the journal is whole")}: ${seq} ${seq === 1 ? "entry" : "entries"}, nothing to repair\n\n`;
  return { ok: true, result: { kind: "whole", head: fold.head }, text, next: [VERIFY] };
}

function notConfirmed(answer: boolean | undefined, result: object): Outcome {
  const message =
    answer === undefined ? "nobody is at this terminal to confirm the repair" : "the repair was not confirmed";
  const fix = "nothing was changed; to repair it as shown: conduct journal repair --yes";
  return { ok: false, code: "NOT_CONFIRMED", message, fix, result, next: [AGAIN] };
}

function stillDamaged(why: string): Outcome {
  const message = `the journal is still damaged: ${why}`;
  return { ok: false, code: "JOURNAL_BROKEN", message, fix: "run it again: conduct journal repair", next: [VERIFY] };
}

function noRepair(): Outcome {
  const message = "this store has no journal that could be repaired";
  return { ok: false, code: "STORE_UNAVAILABLE", message, fix: "look at CONDUCT_STORE and CONDUCT_HOME", next: [] };
}

function refuseAgent({ agent, sign }: AgentAround): Outcome {
  return {
    ok: false,
    code: "INSIDE_AGENT",
    message: `this is run by ${agent} (${sign}), and the journal is a person's to repair`,
    fix: "run it yourself, in a terminal of your own: conduct journal repair",
    next: [],
  };
}
