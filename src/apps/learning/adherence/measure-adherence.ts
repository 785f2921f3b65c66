import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import type { ContractView, StandingRule } from "../../../base/words/contract.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import { writeCheck } from "../../../behavior/contract/directive-check.ts";
import { CompiledRules } from "../../../behavior/policy/rules/compile-rules.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import { readStandingRule } from "../../../engine/governance/standing-rules.ts";
import { pastRuns } from "../review/past-runs.ts";
import { type AdherenceRow, AdherenceTable } from "./adherence.ts";
import { beginTurn, judgeBy, type TurnJudged, type TurnSeen, takeEvent } from "./judge-turn.ts";
import { PastContracts } from "./past-contracts.ts";

/** Journal positions: selects turns whose first prompt is after `after`, up to `upTo`. */
type TurnRange = { readonly after: number; readonly upTo: number };

type AdherenceWorld = {
  readonly events: Pick<EventJournal, "follow" | "read" | "session">;
  readonly contracts: Pick<ContractService, "events">;
  readonly progress?: (progress: { readonly done: number; readonly of: number }) => void;
};

const PAGE = 1_000;
const TYPES = ["message", "prompt", "call", "result", "stop", "notice"] as const;

/** Measures every directive and rule in the turns that began in a range, including their later events. */
export async function measureAdherence(world: AdherenceWorld, range: TurnRange): Promise<readonly AdherenceRow[]> {
  const history = await world.contracts.events({ limit: Number.POSITIVE_INFINITY });
  const past = new PastContracts(history.toReversed());
  const judges = new Map<string, (turn: TurnSeen) => TurnJudged>();
  const watches = new Map<StandingRule, WatchedRule | undefined>();
  const table = new AdherenceTable();
  for await (const turn of turnsOf(world, range)) {
    if (turn.watched) continue;
    const told = turn.contract === undefined ? undefined : past.directivesOf(turn.contract, turn.view, turn.at);
    for (const { id, scope, check } of told ?? []) {
      const judged = check === undefined ? DARK : remembered(judges, JSON.stringify(check), () => judgeBy(check))(turn);
      table.add({ at: turn.at, of: "directive", id, scope, ...(check && { by: writeCheck(check) }) }, judged);
    }
    const rules = past.rulesAt(turn.at).flatMap((rule) => remembered(watches, rule, () => watchRule(rule)) ?? []);
    countRules(turn, rules, table);
  }
  return table.rows();
}

const DARK: TurnJudged = { kind: "cannot-tell" };

function remembered<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const value = known.has(key) ? (known.get(key) as V) : make();
  known.set(key, value);
  return value;
}

type WatchedRule = StandingRule & { readonly compiled: CompiledRules; readonly plain: boolean };

/** Returns `undefined` if the rule's text can no longer be read. */
function watchRule(rule: StandingRule): WatchedRule | undefined {
  const read = readStandingRule(rule.text);
  if ("faults" in read) return undefined;
  const { when, unless } = read.rule;
  return { ...rule, compiled: new CompiledRules(read.ruleSet), plain: when === undefined && unless === undefined };
}

/**
 * An objection means the rule was violated. "Followed" is only known for standing rules, whose start time is known,
 * and not if an expression selects the calls. Shadow rules are not in force and are counted elsewhere.
 */
function countRules(turn: TurnSeen, rules: readonly WatchedRule[], table: AdherenceTable): void {
  const against = new Map<string, string>();
  for (const { objected, event } of turn.calls) for (const rule of objected) against.set(rule, event);
  for (const [rule, event] of against) {
    const scope = rules.find(({ id }) => id === rule)?.scope;
    const named = { at: turn.at, of: "rule", id: rule, by: "its decisions", ...(scope && { scope }) } as const;
    table.add(named, { kind: "violated", event });
  }
  for (const rule of rules) {
    if (rule.status === "shadow" || against.has(rule.id) || !isFor(rule, turn.view)) continue;
    const on = turn.calls.findLast((call) => rule.compiled.rulesOn(call).length > 0);
    if (on === undefined) continue;
    const judged: TurnJudged = rule.plain ? { kind: "followed", event: on.event } : DARK;
    table.add({ at: turn.at, of: "rule", id: rule.id, scope: rule.scope, by: "its decisions" }, judged);
  }
}

function isFor({ scope }: StandingRule, view: ContractView): boolean {
  const [kind = "", ...name] = scope.split(":");
  return kind === "global" || { agent: view.agent, channel: view.channel, user: view.user }[kind] === name.join(":");
}

async function* turnsOf({ events, progress }: AdherenceWorld, { after, upTo }: TurnRange): AsyncIterable<TurnSeen> {
  const open = new Map<string, TurnSeen>();
  const begun = new Set<string>();
  const views = new Map<string, ContractView>();
  for (let at = after; at < upTo; ) {
    const page = await events.follow({ after: at, limit: PAGE, types: TYPES });
    for (const { event, position } of page) {
      if (position > upTo) break;
      const current = open.get(event.session);
      if (current !== undefined) takeEvent(current, event);
      if (current !== undefined && event.turn > current.turn) {
        yield current;
        open.delete(event.session);
      }
      if (event.type === "message") begun.add(`${event.session} ${event.turn}`);
      if (event.type !== "prompt" || open.get(event.session)?.turn === event.turn) continue;
      if (!(await isFirst(events, event, position, begun))) continue;
      open.set(event.session, beginTurn(event, await viewOf(events, event, views)));
    }
    const last = page.at(-1)?.position;
    if (last === undefined || page.length < PAGE) break;
    at = last;
    progress?.({ done: at - after, of: upTo - after });
  }
  for (const turn of open.values()) {
    await readOn(events, turn, upTo);
    yield turn;
  }
}

/** A turn that began before the range is counted in the earlier range. */
async function isFirst(
  events: AdherenceWorld["events"],
  { session, turn }: ConductEvent,
  position: number,
  begun: ReadonlySet<string>,
): Promise<boolean> {
  if (begun.has(`${session} ${turn}`)) return true;
  const { events: before } = await events.read({ session, types: ["prompt"], before: position - 1, limit: 1 });
  return before[0]?.event.turn !== turn;
}

/** Reads the turn's events after the range. */
async function readOn(events: AdherenceWorld["events"], turn: TurnSeen, upTo: number): Promise<void> {
  for (let after = upTo; ; ) {
    const page = await events.follow({ session: turn.session, types: TYPES, after, limit: PAGE });
    for (const { event } of page) {
      takeEvent(turn, event);
      if (event.turn > turn.turn) return;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.position;
  }
}

async function viewOf(
  events: AdherenceWorld["events"],
  { session, agent }: ConductEvent,
  known: Map<string, ContractView>,
): Promise<ContractView> {
  const before = known.get(session);
  if (before !== undefined && before.agent === agent) return before;
  const { channel = "cli", user } = (await events.session(session)) ?? {};
  const view = { agent, channel, user };
  known.set(session, view);
  return view;
}

export type AdherenceSources = {
  readonly events: EventJournal;
  readonly governance: GovernanceJournal;
  readonly contracts: ContractService;
} & Pick<AdherenceWorld, "progress">;

/** Rows of the daily runs since a day, plus the time after the last run, measured now. Rows outlive deleted events. */
export async function adherenceSince(
  { governance, ...world }: AdherenceSources,
  since: number,
): Promise<readonly AdherenceRow[]> {
  const runs = await pastRuns(governance);
  const after = runs.reduce((most, { window }) => Math.max(most, window.upTo), 0);
  const from = new Date(since).toISOString().slice(0, 10);
  const { events } = world;
  const [first] = await events.follow({ after, since: Date.parse(from), limit: 1 });
  const fresh =
    first === undefined ? [] : await measureAdherence(world, { after: first.position - 1, upTo: await events.head() });
  const rows = [...runs.flatMap(({ adherence }) => adherence), ...fresh].filter(({ day }) => day >= from);
  return AdherenceTable.join(rows);
}
