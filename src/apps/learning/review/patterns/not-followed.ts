import type { AdherenceRow } from "../../../../base/ports/stores/adherence.ts";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { BehaviorDirective } from "../../../../base/words/contract.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { grownConfidence, MOST_EVIDENCE, wordsOfCall } from "../count-seen.ts";
import type { Evidence, Finding, ReviewThresholds } from "../steps.ts";

const BASE = 0.6;

type Sum = {
  readonly row: AdherenceRow;
  readonly followed: number;
  readonly violated: number;
  readonly shown: string[];
};

/**
 * Directives and rules violated more often than followed, according to their checks. `now`: rows of the window;
 * `before`: rows of the runs in the look-back period.
 */
export async function notFollowed(
  rows: { readonly now: readonly AdherenceRow[]; readonly before: readonly AdherenceRow[] },
  directives: readonly BehaviorDirective[],
  events: Pick<EventJournal, "find">,
  { times }: ReviewThresholds,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [id, some] of Map.groupBy(rows.now, (row) => row.id)) {
    const { followed, violated, shown, row } = sumOf([...rows.before.filter((one) => one.id === id), ...some]);
    const wanted = wantedBy(row, directives);
    if (wanted === undefined || !some.some((one) => one.violated > 0)) continue;
    if (violated < times || violated <= followed) continue;
    const evidence = await evidenceOf(shown, events);
    if (evidence.length === 0) continue;
    findings.push({
      ...{ pattern: "not-followed", good: false, type: "start", ...wanted, subject: id },
      confidence: grownConfidence(BASE, violated, times),
      evidence,
      seen: `violated in ${violated} turns and followed in ${followed}, according to ${row.by ?? "its check"}`,
    });
  }
  return findings;
}

/** Returns nothing for a directive or rule that is no longer in force. */
function wantedBy(
  { of, id, scope = "global" }: AdherenceRow,
  directives: readonly BehaviorDirective[],
): Pick<Finding, "text" | "scope"> | undefined {
  if (of === "rule") return { text: `doing what rule ${id} asks for before the call`, scope };
  const found = directives.find((one) => one.id === id);
  if (found === undefined) return undefined;
  return { text: `checking before every reply: ${found.type} ${found.text}`, scope: found.scope };
}

function sumOf(rows: readonly AdherenceRow[]): Sum {
  const add = (of: "followed" | "violated") => rows.reduce((sum, row) => sum + row[of], 0);
  const [row = NONE] = rows.slice(-1);
  return {
    row,
    followed: add("followed"),
    violated: add("violated"),
    shown: rows.flatMap((one) => one.shown.violated),
  };
}

const NONE: AdherenceRow = {
  ...{ day: "", of: "directive", id: "", inForce: 0, followed: 0, violated: 0, cannotTell: 0 },
  shown: { followed: [], violated: [] },
};

async function evidenceOf(ids: readonly string[], events: Pick<EventJournal, "find">): Promise<readonly Evidence[]> {
  const evidence: Evidence[] = [];
  for (const id of [...new Set(ids)].slice(-MOST_EVIDENCE)) {
    const event = (await events.find(id))?.event;
    const quote = event === undefined ? undefined : firstLine(wordsOf(event));
    if (event !== undefined && quote !== undefined) evidence.push({ session: event.session, event: id, quote });
  }
  return evidence;
}

function wordsOf(event: ConductEvent): string {
  if (event.type === "call") return objectionTo(event) ?? wordsOfCall(event.call);
  if (event.type === "notice" && event.notice.kind === "reply") return event.notice.text;
  return event.type === "message" ? event.text : "";
}

function objectionTo({ decision, shadows }: Extract<ConductEvent, { type: "call" }>): string | undefined {
  if (decision.kind === "deny") return decision.reason;
  return decision.kind === "ask" ? decision.question : shadows?.[0]?.reason;
}

function firstLine(text: string): string | undefined {
  return text.split("\n").find((line) => line.trim() !== "");
}
