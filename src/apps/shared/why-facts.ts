import { parseObject } from "../../base/kernel/json.ts";
import type { EventJournal, KeptEvent, SessionSummary } from "../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../base/ports/stores/governance.ts";
import type { Missing } from "../../base/words/decision.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import type { Modes } from "../../base/words/modes.ts";
import { readEntry } from "../../behavior/contract/journal-entry.ts";
import { standingPlace } from "../../engine/governance/standing-place.ts";

/** A shared rule that was added during the session: it has not seen the calls before `countsFrom`. */
type LateRule = { readonly rule: string; readonly addedAt: number; readonly countsFrom: number };

const PAGE = 1_000;

/** `before`: the session's earlier events, in any order. A rule in force since the first one is not late. */
async function lateRule(
  governance: Pick<GovernanceJournal, "read">,
  event: ConductEvent,
  before: readonly ConductEvent[],
): Promise<LateRule | undefined> {
  if (event.type !== "call" || event.decision.kind !== "deny") return undefined;
  const { rule, place } = event.decision;
  if (place?.file !== standingPlace(rule)) return undefined;
  const addedAt = await whenAdded(governance, rule, event.at);
  const turns = [...Map.groupBy([...before, event], ({ turn }) => turn)].map(([, some]) =>
    Math.min(...some.map(({ at }) => at)),
  );
  if (addedAt === undefined || Math.min(...turns) >= addedAt) return undefined;
  // A turn uses the rules that were in force at its start.
  return { rule, addedAt, countsFrom: Math.min(...turns.filter((began) => began >= addedAt), event.at) };
}

/** The last time before the call, because a rule may have been removed and added again. */
async function whenAdded(
  governance: Pick<GovernanceJournal, "read">,
  id: string,
  until: number,
): Promise<number | undefined> {
  let added: number | undefined;
  for (let from: number | undefined = 1; from !== undefined; ) {
    const page: Awaited<ReturnType<GovernanceJournal["read"]>> = await governance.read({
      from,
      kinds: ["rule-added"],
      limit: PAGE,
    });
    for (const entry of page.entries) {
      const change = readEntry(entry);
      if (change === undefined || "fault" in change || change.kind !== "rule-added") continue;
      if (change.rule.id === id && change.at <= until) added = change.at;
    }
    from = page.next;
  }
  return added;
}

/** The number of earlier events of the session that are read. */
const HISTORY = 1_000;

/** Evidence for a requirement: `ok` is when it was last proven, `early` the same before the rule existed. */
export type Seen =
  | { readonly kind: "ok"; readonly name: string; readonly at: number }
  | { readonly kind: "early"; readonly name: string; readonly at: number }
  | { readonly kind: "failed"; readonly name: string; readonly at: number; readonly outcome: string }
  | { readonly kind: "never"; readonly name: string };

export type InForce = {
  readonly modes?: Modes;
  readonly contract?: {
    readonly hash: string;
    readonly version?: number;
    readonly directives?: number;
    readonly degraded?: true;
  };
};

export type WhyFacts = {
  readonly session?: SessionSummary;
  /** The requirements that were missing at the decision, and what the session had of each. */
  readonly needed: readonly { readonly missing: Missing; readonly seen?: Seen }[];
  /** The session's evidence by then, the newest first. */
  readonly there: readonly Extract<Seen, { kind: "ok" }>[];
  /** The rule that denied the call, if it was added during the session. */
  readonly late?: LateRule;
  readonly inForce: InForce;
};

/** Collects from the journal what was known when the event happened. */
export async function whyFacts(
  journal: EventJournal,
  governance: Pick<GovernanceJournal, "read">,
  { position, event }: KeptEvent,
): Promise<WhyFacts> {
  const before = { session: event.session, before: position };
  const summary = await journal.session(event.session);
  const calls = await journal.read({ ...before, types: ["call", "result"], limit: HISTORY });
  const told = await journal.read({ ...before, types: ["message", "session"], limit: 100 });
  const prompts = await journal.read({ ...before, types: ["prompt"], limit: 1 });
  const past = calls.events.filter((one) => one.position < position);
  const runs = runsOf(past.toReversed());
  const late = await lateRule(
    governance,
    event,
    [...past, ...told.events].map((one) => one.event),
  );
  const missing = event.type === "call" && event.decision.kind === "deny" ? event.decision.missing : [];
  const modes = told.events.map((one) => modesOf(one.event)).find((one) => one !== undefined);
  const contract = contractOf(event, prompts.events[0]?.event);
  return {
    session: summary,
    needed: missing.map((one) => ({ missing: one, ...seenFor(runs, one, late) })),
    there: [...provenBy(runs)].map(([name, at]) => ({ kind: "ok" as const, name, at })).sort((a, b) => b.at - a.at),
    late,
    inForce: { modes, contract },
  };
}

type Run = {
  readonly at: number;
  readonly tool: string;
  readonly outcome: string;
  readonly actions: readonly string[];
  readonly proves: readonly string[];
};

/** The finished calls, the oldest first. */
function runsOf(events: readonly KeptEvent[]): readonly Run[] {
  const calls = new Map<string, Extract<ConductEvent, { type: "call" }>["call"]>();
  return events.flatMap(({ event }) => {
    if (event.type === "call") calls.set(event.call.id, event.call);
    if (event.type !== "result") return [];
    const { actions = [], proves = [], tool = event.tool } = calls.get(event.call) ?? {};
    return [{ at: event.at, tool, outcome: event.outcome, actions: [tool, ...actions], proves }];
  });
}

function provenBy(runs: readonly Run[]): ReadonlyMap<string, number> {
  const ok = runs.filter(({ outcome }) => outcome === "ok");
  return new Map(ok.flatMap(({ at, proves }) => proves.map((name) => [name, at] as const)));
}

/** A leaf names a tool or an action, `test` or `test with path x`; other requirements are no calls. */
function seenFor(runs: readonly Run[], { what }: Missing, late: LateRule | undefined): { readonly seen?: Seen } {
  const name = /^(?!no |a )([\w.:-][\w./:-]*)(?: with .*)?$/s.exec(what)?.[1];
  return name === undefined ? {} : { seen: seenOf(runs, name, late) };
}

function seenOf(runs: readonly Run[], name: string, late: LateRule | undefined): Seen {
  // An action is proven only by a call that establishes it; a tool that is named itself, by any call of it.
  const proven = runs.findLast(({ outcome, tool, proves }) => outcome === "ok" && [tool, ...proves].includes(name));
  if (proven !== undefined) {
    const early = late !== undefined && proven.at < late.countsFrom;
    return { kind: early ? "early" : "ok", name, at: proven.at };
  }
  const last = runs.findLast(({ actions }) => actions.includes(name));
  return last === undefined
    ? { kind: "never", name }
    : { kind: "failed", name, at: last.at, outcome: last.outcome === "ok" ? "ran, but proved nothing" : last.outcome };
}

function modesOf(event: ConductEvent): Modes | undefined {
  if (event.type === "message") return event.modes;
  if (event.type !== "session" || event.change !== "modes") return undefined;
  const { think, verbose, elevated } = parseObject(event.detail ?? "") ?? {};
  return { think: think === true, verbose: verbose === true, elevated: elevated === true };
}

/** The turn's contract is given by its hash; the last prompt before it has the version. */
function contractOf(event: ConductEvent, prompt: ConductEvent | undefined): InForce["contract"] {
  const told = prompt?.type === "prompt" ? prompt.contract : undefined;
  const hash = event.contract_hash ?? told?.hash;
  if (hash === undefined) return undefined;
  if (told?.hash !== hash) return { hash };
  const { version, directives, degraded } = told;
  return { hash, version, directives, degraded };
}
