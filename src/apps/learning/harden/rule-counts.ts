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
 * How many calls a rule denied, asked about, or would have denied or asked about. `examples`: explainable decisions,
 * newest first.
 */
export type RuleCount = {
  readonly rule: string;
  readonly wouldHaveBlocked: number;
  readonly blocked: number;
  readonly asked: number;
  readonly sessions: number;
  readonly examples: readonly { readonly decision: string; readonly session: string; readonly at: number }[];
  /** True if there were too many objections and only the newest were counted. */
  readonly partial: boolean;
};

/** Which objections count for a rule: those of its id since this time, from its place and of its agents if given. */
export type CountedRule = {
  readonly id: string;
  readonly since: number;
  readonly file?: string;
  readonly agents?: readonly string[];
};

/** A rule with objections in the journal that is none of the given ones, as its newest objection shows it. */
export type OtherRule = {
  readonly said: Pick<Objection, "rule" | "place" | "reason">;
  readonly agents: readonly string[];
  readonly count: RuleCount;
};

const PAGE = 1_000;
const MOST_CALLS = 100_000;
const EXAMPLES = 3;

type Call = Extract<ConductEvent, { type: "call" }>;
type Spoke = Pick<Objection, "rule" | "place" | "reason"> & { readonly how: "blocked" | "asked" | "would" };

class Tally {
  readonly calls = { blocked: 0, asked: 0, would: 0 };
  readonly agents = new Set<string>();
  readonly said: Spoke;
  readonly #sessions = new Set<string>();
  readonly #examples: RuleCount["examples"][number][] = [];
  /** The newest counted call, because a call counts once for a rule. */
  #last: Call | undefined;

  constructor(said: Spoke) {
    this.said = said;
  }

  add(event: Call, how: Spoke["how"]): void {
    if (this.#last === event) return;
    this.#last = event;
    this.calls[how] += 1;
    this.agents.add(event.agent);
    this.#sessions.add(event.session);
    const { decision, session, at } = event;
    if (this.#examples.length < EXAMPLES) this.#examples.push({ decision: decision.id, session, at });
  }

  count(rule: string, partial: boolean): RuleCount {
    const { blocked, asked, would } = this.calls;
    return {
      rule,
      wouldHaveBlocked: would,
      blocked,
      asked,
      sessions: this.#sessions.size,
      examples: this.#examples,
      partial,
    };
  }
}

/** Counts the objections of all rules in one pass over the journal since a time, newest first. */
export async function countObjections<R extends CountedRule>(
  journal: Pick<EventJournal, "read">,
  rules: readonly R[],
  since: number,
): Promise<{ readonly counts: readonly RuleCount[]; readonly others: readonly OtherRule[] }> {
  const byId = Map.groupBy(rules, ({ id }) => id);
  const tallies = new Map(rules.map((rule) => [rule, new Tally({ rule: rule.id, reason: "", how: "blocked" })]));
  const others = new Map<string, Tally>();
  let before: number | undefined;
  let seen = 0;
  do {
    const page = await journal.read({ objected: true, since, limit: PAGE, ...(before ? { before } : {}) });
    for (const { event } of page.events) {
      if (event.type !== "call") continue;
      for (const spoke of objectionsOf(event)) {
        const found = (byId.get(spoke.rule) ?? []).filter((rule) => isOf(rule, spoke, event));
        for (const rule of found) tallies.get(rule)?.add(event, spoke.how);
        if (found.length > 0) continue;
        const key = JSON.stringify([spoke.rule, spoke.place?.file]);
        const tally = others.get(key) ?? new Tally(spoke);
        others.set(key, tally);
        tally.add(event, spoke.how);
      }
    }
    seen += page.events.length;
    before = page.next;
  } while (before !== undefined && seen < MOST_CALLS);
  const partial = before !== undefined;
  return {
    counts: [...tallies].map(([{ id }, tally]) => tally.count(id, partial)),
    others: [...others.values()].map((tally) => ({
      said: tally.said,
      agents: [...tally.agents].sort(),
      count: tally.count(tally.said.rule, partial),
    })),
  };
}

/** Counts what shared rules did since each was created. */
export async function countRules(journal: EventJournal, rules: readonly StandingRule[]): Promise<readonly RuleCount[]> {
  if (rules.length === 0) return [];
  const counted = rules.map(countedRule);
  return (await countObjections(journal, counted, Math.min(...counted.map(({ since }) => since)))).counts;
}

/** A shared rule that was removed and added again starts from zero. */
export function countedRule({ id, createdAt }: StandingRule): CountedRule {
  return { id, since: Date.parse(createdAt), file: standingPlace(id) };
}

/** Denials and questions come before what is only recorded, so a call counts as what it was. */
function objectionsOf({ decision, shadows = [] }: Call): readonly Spoke[] {
  const would = shadows.map((one) => ({ ...one, how: "would" as const }));
  switch (decision.kind) {
    case "deny":
      return [...[decision, ...decision.others].map((one) => ({ ...one, how: "blocked" as const })), ...would];
    case "ask": {
      // Rules that ask together share one question, which has no location.
      const names = decision.rule.split(" + ");
      const place = names.length === 1 ? decision.place : undefined;
      return [...names.map((rule) => ({ rule, place, reason: decision.question, how: "asked" as const })), ...would];
    }
    case "allow":
      return would;
  }
}

/** A rule with the same id in another place is a different rule. */
function isOf({ since, file, agents }: CountedRule, { place }: Spoke, { at, agent }: Call): boolean {
  if (at < since || agents?.includes(agent) === false) return false;
  return place === undefined || file === undefined || place.file === file;
}
