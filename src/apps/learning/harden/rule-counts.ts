import type { EventJournal } from "../../../base/ports/event-journal.ts";
import type { StandingRule } from "../../../base/words/contract.ts";
import type { ConductEvent } from "../../../base/words/event.ts";

/** What a rule did, or would have done, since it is there. `examples`: decisions that can be asked about, the newest first. */
export type RuleCount = {
  readonly rule: string;
  readonly wouldHaveBlocked: number;
  readonly blocked: number;
  readonly sessions: number;
  readonly examples: readonly { readonly decision: string; readonly session: string; readonly at: number }[];
  /** There are too many events: only the newest were looked at. */
  readonly partial: boolean;
};

const PAGE = 1_000;
const MOST_EVENTS = 100_000;
const EXAMPLES = 3;

type Tally = { would: number; did: number; sessions: Set<string>; examples: RuleCount["examples"][number][] };

/** Counts what the journal has of all rules in one pass, the newest first. */
export async function countRules(journal: EventJournal, rules: readonly StandingRule[]): Promise<readonly RuleCount[]> {
  const tallies = new Map(rules.map(({ id }) => [id, newTally()]));
  const since = Math.min(...rules.map(({ createdAt }) => Date.parse(createdAt)));
  let before: number | undefined;
  let seen = 0;
  do {
    if (rules.length === 0) break;
    const page = await journal.read({ types: ["call"], since, limit: PAGE, ...(before ? { before } : {}) });
    for (const { event } of page.events) if (event.type === "call") count(event, tallies);
    seen += page.events.length;
    before = page.next;
  } while (before !== undefined && seen < MOST_EVENTS);
  return rules.map(({ id }) => {
    const { would, did, sessions, examples } = tallies.get(id) ?? newTally();
    return {
      rule: id,
      wouldHaveBlocked: would,
      blocked: did,
      sessions: sessions.size,
      examples,
      partial: before !== undefined,
    };
  });
}

function newTally(): Tally {
  return { would: 0, did: 0, sessions: new Set(), examples: [] };
}

function count(
  { decision, shadows = [], session, at }: Extract<ConductEvent, { type: "call" }>,
  tallies: ReadonlyMap<string, Tally>,
): void {
  const denied = decision.kind === "deny" ? [decision.rule, ...decision.others.map(({ rule }) => rule)] : [];
  for (const [rule, tally] of tallies) {
    const did = denied.includes(rule);
    const would = !did && shadows.some((one) => one.rule === rule);
    if (!did && !would) continue;
    if (did) tally.did += 1;
    else tally.would += 1;
    tally.sessions.add(session);
    if (tally.examples.length < EXAMPLES) tally.examples.push({ decision: decision.id, session, at });
  }
}
