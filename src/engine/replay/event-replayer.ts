import { canonicalJson } from "../../base/kernel/canonical-json.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { ConductEvent, SessionPoint } from "../../base/words/event.ts";
import type { Slices } from "../../behavior/session/snapshot/snapshot.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import { AgentPolicies, type ChangedCall, ChangedCalls } from "./agent-policies.ts";
import {
  type Cause,
  type ChangeKind,
  causesOf,
  changeKind,
  doubtOf,
  gapInHistory,
  sameObjections,
  sameVerdict,
  type Unknown,
  type UnknownCode,
  unknownBeforeDeciding,
  type Verdict,
} from "./compare-decisions.ts";
import { CallReader, type EventOf, type RecordedCall } from "./recorded-call.ts";
import { RecordedSession } from "./recorded-session.ts";
import type { ReplayAgents } from "./replay-agents.ts";

export type ReplayChange = {
  /** Id of the recorded decision, for `conduct why`. */
  readonly decision: string;
  readonly call: string;
  readonly at: number;
  readonly turn: number;
  readonly tool: string;
  readonly args: EventOf<"call">["call"]["args"];
  readonly agent: string;
  readonly was: Verdict;
  /** An earlier changed decision that this one depends on. */
  readonly follows?: string;
} & (
  | { readonly kind: ChangeKind; readonly now: Verdict; readonly causes: readonly Cause[] }
  | { readonly kind: "cannot-tell"; readonly code: UnknownCode; readonly why: string }
);

export type SessionReplay = {
  readonly session: string;
  readonly agent: string;
  readonly channel?: string;
  readonly startedAt: number;
  readonly calls: number;
  readonly changes: readonly ReplayChange[];
};

export type ReplayWindow = { readonly since?: number; readonly until?: number };

/** Decides recorded sessions again with the engine's own code. Reads no file and no clock, and writes nothing. */
export class EventReplayer {
  readonly agents: ReplayAgents;
  readonly reader = new CallReader();
  readonly #policies = new WeakMap<CompiledAgent, AgentPolicies>();

  constructor(agents: ReplayAgents) {
    this.agents = agents;
  }

  /** Takes all events of one session in order. Calls outside the window are replayed but not counted or reported. */
  replay(events: readonly ConductEvent[], window: ReplayWindow = {}): SessionReplay {
    const [first] = events;
    if (first === undefined) return { session: "", agent: "", startedAt: 0, calls: 0, changes: [] };
    return new SessionRun(this, events, first, window).run();
  }

  policiesOf(agent: CompiledAgent): AgentPolicies {
    const known = this.#policies.get(agent) ?? new AgentPolicies(agent);
    this.#policies.set(agent, known);
    return known;
  }
}

/**
 * The replay of one session. A newly denied call leaves no trace, like a live denial. If a call's new outcome is
 * unknown, the session continues as recorded, and decisions that may depend on it are reported as unknown.
 */
class SessionRun {
  readonly #replayer: EventReplayer;
  readonly #events: readonly ConductEvent[];
  readonly #first: ConductEvent;
  readonly #window: ReplayWindow;
  readonly #session: RecordedSession;
  readonly #changes: ReplayChange[] = [];
  /** Calls in the window, and all calls so far. */
  #calls = 0;
  #made = 0;
  /** Newly denied calls, whose consequences are known. */
  readonly #denied = new ChangedCalls();
  /** Calls whose new outcome is unknown. */
  readonly #open = new ChangedCalls();
  /** Files whose writes by these calls are uncertain: resolved path to changed decision. */
  readonly #unsettled = new Map<string, string>();
  /** Rules from files that asked: a person's later "no" does not record the rule's location. */
  readonly #asked = new Set<string>();
  /** Why the state may be wrong from here on. */
  #gap: Unknown | undefined;
  #ran: ReadonlySet<string> | undefined;
  /** How often each call was made in its turn, up to the event at `counted`. */
  readonly #repeats = new Map<string, number>();
  #counted = 0;

  constructor(replayer: EventReplayer, events: readonly ConductEvent[], first: ConductEvent, window: ReplayWindow) {
    this.#replayer = replayer;
    this.#events = events;
    this.#first = first;
    this.#window = window;
    this.#session = new RecordedSession(first.session, first.agent, replayer.agents);
  }

  run(): SessionReplay {
    const [session, first] = [this.#session, this.#first];
    const { closings, wanted, marked } = pointsIn(this.#events);
    const points = new Map<string, Slices>();
    let [run, seq] = ["", 0];
    for (const [at, event] of this.#events.entries()) {
      if (event.run !== run ? event.seq !== 1 : event.seq !== seq + 1) {
        this.#gap ??= gapInHistory("events of this session were deleted");
      }
      [run, seq] = [event.run, event.seq];
      session.begin(event);
      if (event.type === "call") this.#playCall(event, at);
      else if (event.type === "result") this.#playResult(event, this.#events[at + 1]);
      else {
        if (event.type === "session") this.#goBack(event, points);
        if (event.type === "fault" && event.fault.code.startsWith("event-")) {
          this.#gap ??= gapInHistory("an event of this session could not be stored or read");
        }
        session.play(event);
      }
      if (!marked.has(event.seq)) continue;
      const key = pointKey(event);
      const closed = closings.get(key);
      if (closed !== undefined) session.closeStepAt(closed);
      if (wanted.has(key)) points.set(key, session.state);
    }
    return {
      session: first.session,
      agent: session.compiled.agent.name,
      channel: first.type === "session" ? first.channel : undefined,
      startedAt: first.at,
      calls: this.#calls,
      changes: this.#changes,
    };
  }

  /** Restores an earlier state: the whole state for a reopened session, otherwise all but the log. */
  #goBack({ change, from }: EventOf<"session">, points: ReadonlyMap<string, Slices>): void {
    if (change !== "resumed" && change !== "restored") return;
    const known = from === undefined ? undefined : points.get(pointKey(from));
    if (from === undefined) this.#gap ??= gapInHistory("the point that the session was restored to was not recorded");
    else if (known === undefined) this.#gap ??= gapInHistory("the point that the session was restored to was deleted");
    else this.#session.state = change === "resumed" ? known : this.#session.state.restored(known);
  }

  #playResult(event: EventOf<"result">, next: ConductEvent | undefined): void {
    const demanded = next?.type === "requirement" && next.call === event.call;
    this.#session.settle(event, demanded ? next : undefined);
    if (this.#open.any && this.#session.hasRequirement) this.#open.affectAll();
  }

  #playCall(event: EventOf<"call">, at: number): void {
    const session = this.#session;
    const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = this.#window;
    if (event.at >= since && event.at <= until) this.#calls += 1;
    this.#made += 1;
    const was: Verdict = { decision: event.decision, shadows: event.shadows ?? [] };
    if (was.decision.kind === "ask" && was.decision.place !== undefined) this.#asked.add(was.decision.rule);
    const read = this.#replayer.reader.read(event, session.compiled);
    if (read === undefined) {
      this.#report(event, was, { kind: "cannot-tell", code: "unreadable", why: "the recorded call cannot be read" });
      this.#gap ??= gapInHistory("a call of this session could not be read");
      return;
    }
    const policies = this.#replayer.policiesOf(session.compiled);
    if (policies.isBlindEvidence(read)) this.#gap ??= gapInHistory("it is unknown what a redacted call proves");
    const before = session.state;
    const now = session.decide(read);
    const sameArgs = hasSameArgs(event, read, now.call);
    const same = (sameArgs || now.decision.kind === "deny") && sameVerdict(was, now);
    const flipped = this.#denied.any || this.#open.any;
    const unseen =
      policies.unseenFile(read.call, read.facts.made) ??
      (now.call === read.call ? undefined : policies.unseenFile(now.call, read.facts.final));
    if (same && sameArgs && !flipped && unseen === undefined && read.hidden.length === 0) return;
    const call: ChangedCall = {
      forms: now.call === read.call ? [read.call] : [read.call, now.call],
      facts: [read.facts.made, read.facts.final],
      turn: event.turn,
    };
    const unsettled = this.#unsettledIn(call, policies);
    const behind = this.#openBehind(call, policies, was, now, at);
    const unknown =
      unknownBeforeDeciding(event, read, policies, { final: now.call, sameArgs, flipped, made: this.#made }) ??
      unknownFact(unseen, unsettled) ??
      (behind === undefined ? undefined : OUTCOME) ??
      (same ? undefined : doubtOf(was, now, policies, { gap: this.#gap, asked: this.#asked }));
    const sameKind = was.decision.kind === now.decision.kind;
    if (unknown !== undefined) {
      const follows = behind ?? unsettled?.decision;
      this.#report(event, was, { kind: "cannot-tell", ...unknown, follows });
      if (unknown.code === "outcome" || unknown.code === "fact") {
        this.#leaveOpen(follows ?? event.decision.id, call, policies);
      } else if (!sameKind) this.#gap ??= gapInHistory(unknown.why);
    } else if (!same) {
      const { decision } = event;
      const causes = causesOf(was, now, policies.places);
      const rewrite = { kind: "rewrite", now: now.call === read.call ? "none" : "other" } as const;
      this.#report(event, was, {
        kind: changeKind(was.decision, now.decision),
        now: { decision: now.decision, shadows: now.shadows },
        causes: causes.length > 0 ? causes : [rewrite],
        follows: this.#denied.behind(call, policies),
      });
      if (sameKind && (sameArgs || now.decision.kind === "deny")) return;
      if (now.decision.kind === "deny") {
        this.#denied.add(decision.id, call, policies);
        this.#unsettle(decision.id, call);
        return;
      }
      // A call that a person approved runs the same when no approval is needed.
      if (sameArgs && decision.kind === "ask" && now.decision.kind === "allow" && this.#hasRun(decision.id)) return;
      this.#leaveOpen(decision.id, call, policies);
    } else return;
    if (sameKind) return;
    session.state = before;
    session.force(read, was.decision);
  }

  #report(event: EventOf<"call">, was: Verdict, verdict: Finding): void {
    const { decision, call, at, turn, agent } = event;
    const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = this.#window;
    if (at < since || at > until) return;
    const place = { decision: decision.id, call: call.id, at, turn, tool: call.tool, args: call.args, agent };
    this.#changes.push({ ...place, was, ...verdict });
  }

  /** The changed decision whose unknown outcome may affect this one. */
  #openBehind(call: ChangedCall, policies: AgentPolicies, was: Verdict, now: Verdict, at: number): string | undefined {
    if (!this.#open.any) return undefined;
    if (this.#session.hasRequirement) this.#open.affectAll();
    const behind = this.#open.mayAffect(call, policies, () => this.#repeatsOf(at));
    if (behind !== undefined || now.decision.kind !== "deny" || sameVerdict(was, now)) return behind;
    // The same objections after a different number of attempts: the open calls may be among those attempts.
    return sameObjections(was, now) ? this.#open.inTurn(call.turn) : undefined;
  }

  /** A file of the call whose write by an earlier call is uncertain, if any policy reads it. */
  #unsettledIn({ forms, facts }: ChangedCall, policies: AgentPolicies): Unsettled | undefined {
    if (this.#unsettled.size === 0 || !forms.some((call) => policies.looksAtFiles(call))) return undefined;
    for (const [path, { resolved }] of facts.flatMap(({ paths }) => Object.entries(paths))) {
      const decision = this.#unsettled.get(resolved);
      if (decision !== undefined) return { path, decision };
    }
    return undefined;
  }

  #leaveOpen(decision: string, call: ChangedCall, policies: AgentPolicies): void {
    this.#open.add(decision, call, policies);
    this.#unsettle(decision, call);
  }

  #unsettle(decision: string, { forms, facts }: ChangedCall): void {
    for (const { path, access } of forms.flatMap(({ paths }) => paths)) {
      const fact = facts.find(({ paths }) => Object.hasOwn(paths, path))?.paths[path];
      if (access !== "read" && fact !== undefined) this.#unsettled.set(fact.resolved, decision);
    }
  }

  /** How often the call at this position was made earlier in its turn. */
  #repeatsOf(at: number): number {
    for (; this.#counted < at; this.#counted += 1) {
      const key = repeatKey(this.#events[this.#counted]);
      if (key !== undefined) this.#repeats.set(key, (this.#repeats.get(key) ?? 0) + 1);
    }
    return this.#repeats.get(repeatKey(this.#events[at]) ?? "") ?? 0;
  }

  #hasRun(decision: string): boolean {
    this.#ran ??= decisionsThatRan(this.#events);
    return this.#ran.has(decision);
  }
}

type Finding =
  | Pick<Extract<ReplayChange, { kind: ChangeKind }>, "kind" | "now" | "causes" | "follows">
  | Pick<Extract<ReplayChange, { kind: "cannot-tell" }>, "kind" | "code" | "why" | "follows">;

type Unsettled = { readonly path: string; readonly decision: string };

function unknownFact(unseen: string | undefined, unsettled: Unsettled | undefined): Unknown | undefined {
  if (unseen !== undefined) return { code: "fact", why: "a rule needs facts about a file, and none were recorded" };
  return unsettled && { code: "fact", why: `the content of '${unsettled.path}' at that point is unknown` };
}

const OUTCOME: Unknown = { code: "outcome", why: "the outcome of an earlier call is unknown" };

function pointKey({ run, seq }: SessionPoint): string {
  return `${run} ${seq}`;
}

/** Earlier points that events refer to: closed steps, and states that a session returned to. */
function pointsIn(events: readonly ConductEvent[]) {
  const closings = new Map<string, number>();
  const wanted = new Set<string>();
  /** Sequence numbers that may be such a point; a cheap first filter. */
  const marked = new Set<number>();
  for (const event of events) {
    if ((event.type === "prompt" || event.type === "stop") && event.closed !== undefined) {
      closings.set(pointKey({ run: event.run, seq: event.closed.seq }), event.closed.at);
      marked.add(event.closed.seq);
    } else if (event.type === "session" && event.from !== undefined) {
      wanted.add(pointKey(event.from));
      marked.add(event.from.seq);
    }
  }
  return { closings, wanted, marked };
}

/** Whether rules rewrite the arguments to the recorded ones. */
function hasSameArgs({ call, made }: EventOf<"call">, read: RecordedCall, final: ToolCall): boolean {
  if (made?.args === undefined && final === read.call) return true;
  return canonicalJson(call.args) === canonicalJson(final.args);
}

function repeatKey(event: ConductEvent | undefined): string | undefined {
  if (event?.type !== "call") return undefined;
  return JSON.stringify([event.turn, event.call.tool, event.made?.args ?? event.call.args]);
}

export function decisionsThatRan(events: readonly ConductEvent[]): ReadonlySet<string> {
  const ran = new Set<string>();
  const open = new Map<string, string>();
  for (const event of events) {
    if (event.type === "call" && event.decision.kind !== "deny") {
      const before = open.get(event.call.id);
      // Decided again after an approval: the first decision led to the same run.
      if (before !== undefined && event.decision.kind === "allow") ran.add(before);
      open.set(event.call.id, event.decision.id);
    } else if (event.type === "result") {
      const decision = open.get(event.call);
      open.delete(event.call);
      if (decision !== undefined && event.outcome !== "denied" && event.outcome !== "cancelled") ran.add(decision);
    }
  }
  return ran;
}
