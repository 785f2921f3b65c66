import type { RepairEvidence } from "../../../../../base/ports/stores/governance-repair.ts";
import { allDirectives } from "../../../../../behavior/contract/contract-state.ts";
import { readEntry } from "../../../../../behavior/contract/journal-entry.ts";
import type { Diagnosis } from "../../../../../engine/governance/diagnose-journal.ts";
import type { AsideEntry, RepairPlan } from "../../../../../engine/governance/plan-repair.ts";
import { clip, count, oneLine, plural } from "../../../line/printable.ts";
import type { Terminal } from "../../../line/terminal.ts";
import { describeEvent } from "../../behavior/render/describe-event.ts";

const MOST_ENTRIES = 200;

const FATES = {
  kept: ["green", "kept"],
  accepted: ["amber", "accepted as it is now"],
  "left-out": ["red", "left out"],
} as const;

/** What is broken and where, what happens to every entry after that, and which rules are in force afterwards. */
export function renderPlan(
  { aside, after }: RepairPlan,
  { fault, keep }: Extract<Diagnosis, { readonly kind: "broken" }>,
  { paint }: Terminal,
): string {
  const left = aside.filter(({ fate }) => fate === "left-out").map(({ entry }) => entry.seq);
  const rules = [...after.rules].map(
    ([id, { status }]) => `${oneLine(id)} (${status === "enforced" ? "enforced" : "in shadow"})`,
  );
  const lines = [
    "",
    `  ${paint("red", "✗ the governance journal is damaged")}: ${oneLine(fault.message)}`,
    keep.head.seq === 0 ? "    no entry before that" : `    entries 1 to ${keep.head.seq} verify and stay`,
    "",
    ...(aside.length === 0 ? [] : [`  ${entryCount(aside.length)} after that:`]),
    ...aside.slice(0, MOST_ENTRIES).flatMap((one) => [asideLine(one, paint), ...nowText(one, paint)]),
    ...(aside.length > MOST_ENTRIES ? [`    and ${aside.length - MOST_ENTRIES} more (see them all with --json)`] : []),
    "",
    `  after the repair: ${plural(allDirectives(after).length, "directive")}, ${plural(after.rules.size, "standing rule")}${rules.length === 0 ? "" : `: ${rules.join(", ")}`}`,
    ...(left.length === 0
      ? []
      : [
          `  ${paint("amber", "left out")} entries are in force no longer. Add again what you want of them, or take them as they are now:`,
          `    conduct journal repair --accept ${left.length > 10 ? `${left[0]}-${left.at(-1)}` : left.join(",")}`,
        ]),
    "",
    "",
  ];
  return lines.join("\n");
}

/** The chain is whole; only the heads of this machine are stored again. */
export function renderHeads(
  { why, fold }: Extract<Diagnosis, { readonly kind: "heads" }>,
  { paint }: Terminal,
): string {
  return [
    "",
    `  ${paint("red", "✗ the stored heads do not fit the governance journal")}: ${oneLine(why)}`,
    `    the chain itself is whole: ${entryCount(fold.head.seq)}, ${plural(fold.state.rules.size, "standing rule")}`,
    "    the repair stores its heads on this machine again, and keeps those from before",
    "",
    "",
  ].join("\n");
}

export function renderRepaired({ table, headsFile }: RepairEvidence, repair: string, { paint }: Terminal): string {
  return [
    "",
    `  ${paint("green", "✓ the journal is repaired")} (${repair})`,
    ...(table === undefined
      ? []
      : [`    the damaged entries are kept in the table ${table}, under repair = '${repair}'`]),
    ...(headsFile === undefined ? [] : [`    the heads from before are kept in ${headsFile}`]),
    "    running gateways and daemons take it up at the next turn",
    "",
    "",
  ].join("\n");
}

/** What an entry says that nobody can verify: an operator decides by it whether to accept the entry. */
function nowText({ entry, proof }: AsideEntry, paint: Terminal["paint"]): readonly string[] {
  return proof === "proven" ? [] : [`           ${paint("dim", clip(oneLine(JSON.stringify(entry.body)), 400))}`];
}

function asideLine({ entry, proof, fate, why }: AsideEntry, paint: Terminal["paint"]): string {
  const [colour, word] = FATES[fate];
  const event = readEntry(entry);
  const said =
    event === undefined ? entry.kind : "fault" in event ? `${entry.kind}, cannot be read` : describeEvent(event);
  const reason = fate === "left-out" ? `: ${why}` : fate === "kept" ? `, ${proof}` : "";
  return `    ${String(entry.seq).padStart(5)}  ${clip(oneLine(String(said)), 100)}  ${paint(colour, word)}${reason}`;
}

function entryCount(entries: number): string {
  return `${count(entries)} ${entries === 1 ? "entry" : "entries"}`;
}
