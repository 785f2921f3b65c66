import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { StandingRule } from "../../../base/words/contract.ts";
import type { Objection } from "../../../base/words/decision.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import { standingPlace } from "../../../engine/governance/standing-place.ts";

/** How many of the newest calls are searched for names that no definition has. */
const CALLS = 2_000;

/** Tools and actions that a rule can name: declared by agents or seen recently. */
export async function knownNames(
  agents: readonly Pick<Agent, "tools" | "actions">[],
  journal: EventJournal | undefined,
): Promise<readonly string[]> {
  const declared = agents.flatMap(({ tools, actions }) => [...tools.map(({ name }) => name), ...Object.keys(actions)]);
  const page = await journal?.read({ types: ["call"], limit: CALLS });
  const seen = (page?.events ?? []).flatMap(({ event }) =>
    event.type === "call" ? [event.call.tool, ...event.call.actions] : [],
  );
  return [...new Set([...declared, ...seen])].sort();
}

/**
 * How often a rule denied or asked, or would have, since its creation. `examples`: explainable decisions, newest
 * first.
 */
export type RuleCount = {
  readonly rule: string;
  readonly wouldHaveBlocked: number;
  readonly blocked: number;
  readonly sessions: number;
  readonly examples: readonly { readonly decision: string; readonly session: string; readonly at: number }[];
  /** True if there were too many objections and only the newest were counted. */
  readonly partial: boolean;
};

const PAGE = 1_000;
const MOST_CALLS = 100_000;
const EXAMPLES = 3;

type Tally = { would: number; did: number; sessions: Set<string>; examples: RuleCount["examples"][number][] };

/** Counts the objections of all rules in one pass over the journal, newest first. */
export async function countRules(journal: EventJournal, rules: readonly StandingRule[]): Promise<readonly RuleCount[]> {
  const tallies = new Map(rules.map((rule) => [rule, newTally()]));
  const since = Math.min(...rules.map(({ createdAt }) => Date.parse(createdAt)));
  let before: number | undefined;
  let seen = 0;
  do {
    if (rules.length === 0) break;
    const page = await journal.read({ objected: true, since, limit: PAGE, ...(before ? { before } : {}) });
    for (const { event } of page.events) if (event.type === "call") count(event, tallies);
    seen += page.events.length;
    before = page.next;
  } while (before !== undefined && seen < MOST_CALLS);
  return rules.map((rule) => {
    const { would, did, sessions, examples } = tallies.get(rule) ?? newTally();
    return {
      rule: rule.id,
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
  tallies: ReadonlyMap<StandingRule, Tally>,
): void {
  const spoke = objectionsOf(decision);
  for (const [rule, tally] of tallies) {
    // A rule that was removed and added again starts from zero.
    if (at < Date.parse(rule.createdAt)) continue;
    const did = spoke.some((one) => isOf(rule, one));
    const would = !did && shadows.some((one) => isOf(rule, one));
    if (!did && !would) continue;
    if (did) tally.did += 1;
    else tally.would += 1;
    tally.sessions.add(session);
    if (tally.examples.length < EXAMPLES) tally.examples.push({ decision: decision.id, session, at });
  }
}

type Spoke = Pick<Objection, "rule" | "place">;

function objectionsOf(decision: Extract<ConductEvent, { type: "call" }>["decision"]): readonly Spoke[] {
  switch (decision.kind) {
    case "deny":
      return [decision, ...decision.others];
    case "ask": {
      // Rules that ask together share one question, which has no location.
      const names = decision.rule.split(" + ");
      return names.length === 1 ? [decision] : names.map((rule) => ({ rule }));
    }
    case "allow":
      return [];
  }
}

/** An agent's own rule with the same id is a different rule. */
function isOf({ id }: StandingRule, { rule, place }: Spoke): boolean {
  return rule === id && (place === undefined || place.file === standingPlace(id));
}
