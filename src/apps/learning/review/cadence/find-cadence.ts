import type { DirectiveType } from "../../../../base/words/contract.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { agentScope } from "../count-seen.ts";
import type { Looked } from "../look.ts";
import type { Evidence, Finding, ReviewThresholds } from "../steps.ts";

export type Measure = "words in a reply" | "replies in a turn" | "calls in a turn" | "minutes to a reply";

/** `shown`: its longest reply. */
export type MeasuredSession = {
  readonly agent: string;
  readonly went: "well" | "badly";
  readonly isNew: boolean;
  readonly shown: Evidence;
  readonly of: Readonly<Record<Measure, number>>;
};

type Figures = {
  readonly agent: string;
  isNew: boolean;
  turns: number;
  calls: number;
  replies: number;
  words: number;
  /** Total time waiting for replies, and the start of the current wait. */
  waited: number;
  since: number;
  longest: number;
  shown: Evidence | undefined;
  completed: boolean;
  failed: boolean;
};

/**
 * Measures session by session. Only clear signs make a session bad: a refused or incomplete stop, a cancelled call, a
 * correction.
 */
export class MeasureSessions {
  readonly #sessions = new Map<string, Figures>();

  see({ event, isNew }: Looked): void {
    if (event.parent !== undefined) return;
    const figures = this.#of(event);
    figures.isNew ||= isNew;
    switch (event.type) {
      case "message":
        if (event.reply !== undefined) return;
        figures.turns += 1;
        figures.since = event.at;
        return;
      case "call":
        figures.calls += 1;
        return;
      case "result":
        figures.failed ||= event.outcome === "cancelled";
        return;
      case "stop":
        figures.completed ||= event.status === "complete";
        figures.failed ||= event.status === "refused" || event.status === "incomplete";
        return;
      case "notice":
        if (event.notice.kind === "reply") this.#reply(figures, event, event.notice.text);
    }
  }

  /** Sessions with a known result; `corrected` are those in which a person had to correct something. */
  measured(corrected: ReadonlySet<string>): readonly MeasuredSession[] {
    return [...this.#sessions].flatMap(([session, figures]): readonly MeasuredSession[] => {
      const { agent, isNew, turns, calls, replies, words, waited, shown, completed, failed } = figures;
      if (shown === undefined || turns === 0) return [];
      const bad = failed || corrected.has(session);
      if (!bad && !completed) return [];
      const of = {
        "words in a reply": words / replies,
        "replies in a turn": replies / turns,
        "calls in a turn": calls / turns,
        "minutes to a reply": waited / replies / 60_000,
      };
      return [{ agent, went: bad ? "badly" : "well", isNew, shown, of }];
    });
  }

  #reply(figures: Figures, { session, id, at }: ConductEvent, text: string): void {
    const quote = text.split("\n").find((line) => line.trim() !== "");
    if (quote === undefined || figures.turns === 0) return;
    const words = text.split(/\s+/).filter((word) => word !== "").length;
    figures.replies += 1;
    figures.words += words;
    figures.waited += Math.max(0, at - figures.since);
    figures.since = at;
    if (words <= figures.longest) return;
    figures.longest = words;
    figures.shown = { session, event: id, quote };
  }

  #of({ session, agent, at }: ConductEvent): Figures {
    const known = this.#sessions.get(session) ?? {
      ...{ agent, isNew: false, turns: 0, calls: 0, replies: 0, words: 0, waited: 0, since: at, longest: 0 },
      ...{ shown: undefined, completed: false, failed: false },
    };
    this.#sessions.set(session, known);
    return known;
  }
}

/** High enough to be proposed. Patterns of good sessions are reported, and proposed only with a lower threshold. */
const BAD = 0.65;
const GOOD = 0.5;
const SHOWN = 5;

type Wish = { readonly type: DirectiveType; readonly text: string };

/** The directive to propose if bad sessions have more, or less, of a measure. */
const WISHES: Readonly<Record<Measure, { readonly more: Wish; readonly less: Wish; readonly keep: string }>> = {
  "words in a reply": {
    more: { type: "less", text: "words in a reply" },
    less: { type: "more", text: "detail in replies" },
    keep: "replies of the length they have in sessions that go well",
  },
  "replies in a turn": {
    more: { type: "less", text: "replies in one turn" },
    less: { type: "more", text: "replies during a turn" },
    keep: "as many replies in a turn as in sessions that go well",
  },
  "calls in a turn": {
    more: { type: "less", text: "tool calls in one turn" },
    less: { type: "more", text: "looking with tools before answering" },
    keep: "as many tool calls in a turn as in sessions that go well",
  },
  "minutes to a reply": {
    more: { type: "start", text: "a short reply while work takes long" },
    less: { type: "less", text: "replies in quick succession" },
    keep: "replies as soon as in sessions that go well",
  },
};

/** Finds significant differences between an agent's good and bad sessions. */
export function findCadence(sessions: readonly MeasuredSession[], thresholds: ReviewThresholds): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [agent, own] of Map.groupBy(sessions, (session) => session.agent)) {
    const well = own.filter(({ went }) => went === "well");
    const badly = own.filter(({ went }) => went === "badly");
    if (Math.min(well.length, badly.length) < thresholds.compared || !own.some(({ isNew }) => isNew)) continue;
    for (const measure of MEASURES) findings.push(...compare(agent, measure, well, badly, thresholds));
  }
  return findings;
}

const MEASURES: readonly Measure[] = ["words in a reply", "replies in a turn", "calls in a turn", "minutes to a reply"];

function compare(
  agent: string,
  measure: Measure,
  well: readonly MeasuredSession[],
  badly: readonly MeasuredSession[],
  { chance, apart }: ReviewThresholds,
): readonly Finding[] {
  const [good, bad] = [well, badly].map((some) => some.map(({ of }) => of[measure]));
  if (good === undefined || bad === undefined) return [];
  const [wellMedian, badMedian] = [medianOf(good), medianOf(bad)];
  const p = chanceOf(good, bad);
  const most = Math.max(wellMedian, badMedian);
  // Bonferroni correction, because several measures are tested.
  if (!(p < chance / MEASURES.length) || Math.abs(wellMedian - badMedian) < apart * most) return [];
  const { more, less, keep } = WISHES[measure];
  const shared = {
    pattern: "cadence",
    scope: agentScope(agent),
    subject: measure,
    seen: `${measure}: ${shown(wellMedian)} in ${good.length} sessions that went well, ${shown(badMedian)} in ${bad.length} that did not (medians, p ${p.toExponential(0)})`,
  } as const;
  return [
    { ...shared, good: false, ...(badMedian > wellMedian ? more : less), confidence: BAD, evidence: evidenceOf(badly) },
    { ...shared, good: true, type: "keep", text: keep, confidence: GOOD, evidence: evidenceOf(well) },
  ];
}

function evidenceOf(sessions: readonly MeasuredSession[]) {
  return sessions.slice(-SHOWN).map((session) => session.shown);
}

function shown(figure: number): string {
  return figure >= 10 ? String(Math.round(figure)) : figure.toFixed(1);
}

/**
 * The probability that two samples differ this much by chance (two-sided Mann-Whitney test with tie and continuity
 * correction; the normal approximation is good from about eight per side). Returns 1 if the samples say nothing.
 */
export function chanceOf(a: readonly number[], b: readonly number[]): number {
  const [n, m] = [a.length, b.length];
  if (n === 0 || m === 0) return 1;
  const all = [...a.map((value) => ({ value, mine: true })), ...b.map((value) => ({ value, mine: false }))];
  all.sort((x, y) => x.value - y.value);
  let ranks = 0;
  let ties = 0;
  for (let from = 0; from < all.length; ) {
    let to = from + 1;
    while (all[to]?.value === all[from]?.value && to < all.length) to += 1;
    const same = to - from;
    ties += same ** 3 - same;
    ranks += all.slice(from, to).filter(({ mine }) => mine).length * ((from + 1 + to) / 2);
    from = to;
  }
  const size = n + m;
  const spread = Math.sqrt(((n * m) / 12) * (size + 1 - ties / (size * (size - 1))));
  if (!(spread > 0)) return 1;
  const apart = Math.abs(ranks - (n * (n + 1)) / 2 - (n * m) / 2);
  return twoTails(Math.max(0, apart - 0.5) / spread);
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/** Both tails of the normal distribution beyond `z`; Abramowitz and Stegun 7.1.26, accurate to seven digits. */
function twoTails(z: number): number {
  const x = z / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const sum = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return Math.min(1, Math.max(0, sum * Math.exp(-x * x)));
}
