import { canonicalJson } from "../../base/kernel/canonical-json.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Decision, Objection, Observing } from "../../base/words/decision.ts";
import type { ConductEvent, EventBody } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { Requirement } from "../../base/words/result.ts";
import { classificationSlice } from "../../behavior/session/classification-state.ts";
import { identitySlice, type SessionIdentity } from "../../behavior/session/identity.ts";
import { type InflightCall, inflightSlice } from "../../behavior/session/inflight.ts";
import { modesSlice, OFF, safeModes } from "../../behavior/session/modes.ts";
import { openStepSlice } from "../../behavior/session/open-step.ts";
import { Slices } from "../../behavior/session/slices.ts";
import { NO_FACTS } from "../moments/gather.ts";
import { Session } from "../moments/session.ts";
import { settleCall } from "../moments/settle-call.ts";
import type { CallFacts, ReadCall } from "./read-call.ts";
import { Playing, portsOf, RecordedClock } from "./recorded-world.ts";
import type { ReplayAgents } from "./replay-agents.ts";

export type EventOf<T extends ConductEvent["type"]> = Extract<ConductEvent, { readonly type: T }>;

/** What was decided on a call, then or now. */
export type Said = { readonly decision: Decision; readonly shadows: readonly Objection[] };

/** A session that is driven by its recorded events: the state and the deciding are the session's own, the world is the record. */
export class ReplaySession extends Session {
  readonly #playing: Playing;
  #shadows: readonly Objection[] = NONE;

  constructor(id: string, agent: string, agents: ReplayAgents) {
    const playing = new Playing();
    super(
      {
        id,
        agent: agents.of(agent),
        agentOf: (name) => agents.of(name),
        ports: portsOf(playing),
        clock: new RecordedClock(playing),
        slices: Slices.empty,
      },
      () => {
        throw new Error("a replay opens no sessions");
      },
    );
    this.#playing = playing;
  }

  /** All that is known of the session now; a handle, not a copy. */
  get state(): Slices {
    return this.slices;
  }

  set state(slices: Slices) {
    this.#playing.startNames();
    this.slices = slices;
  }

  /** The definition that decides now. */
  get definition() {
    return this.compiled;
  }

  override get observing(): Observing | undefined {
    return this.#playing.event?.observing;
  }

  override get ended(): boolean {
    const { event } = this.#playing;
    return super.ended || (event?.type === "call" && event.bounds?.ended === true);
  }

  /** Budgets are shared with sessions above and below: what was used up is what was recorded. */
  protected override overLimit() {
    const { event } = this.#playing;
    return event?.type === "call" ? event.bounds?.exhausted : undefined;
  }

  /** Only compared: the text does as well as its hash, and costs less. */
  protected override hashCall(args: JsonObject, cwd: string | null): string {
    return canonicalJson([args, cwd]);
  }

  protected override emit(body: EventBody): void {
    if (body.type === "call") this.#shadows = body.shadows ?? NONE;
  }

  /** Sets time and world to what they were. */
  begin(event: ConductEvent): void {
    this.#playing.event = event;
    this.#playing.now = event.at;
  }

  /** Ends the open step at a time before the event that tells of it. */
  closeStepAt(at: number): void {
    const { now } = this.#playing;
    this.#playing.now = at;
    this.closeStep(null);
    this.#playing.now = now;
  }

  /** Plays everything but calls, results and going back to an earlier point. */
  play(event: ConductEvent): void {
    switch (event.type) {
      case "session":
        this.#playSession(event);
        return;
      case "message":
        this.slices = this.slices.with(modesSlice, safeModes(event.modes));
        if (event.reply === undefined) this.beginTurn("", event.sender);
        return;
      case "stop":
        if (event.status !== "ended-by-policy" && (event.status !== "refused" || event.observing !== undefined)) {
          this.settleUnderWay();
        }
        return;
      case "notice":
        if (event.notice.kind !== "fault" && event.notice.kind !== "reply") this.notice(event.notice);
        return;
      case "approval":
        this.#playAnswer(event);
        return;
      case "classification": {
        const { classification, held } = event;
        const known = this.slices.get(classificationSlice);
        this.slices = this.slices.with(classificationSlice, { ...known, latest: classification, held });
        return;
      }
      default:
        return;
    }
  }

  #playSession(event: EventOf<"session">): void {
    switch (event.change) {
      case "opened": {
        const identity = { ...whoseOf(event, identitySlice.initial), startedAt: event.at };
        this.compiled = this.agentOf(event.agent);
        this.slices = Slices.empty.with(identitySlice, identity).with(modesSlice, safeModes(event.modes ?? OFF));
        return;
      }
      case "resumed":
        this.compiled = this.agentOf(event.agent);
        this.slices = this.slices
          .with(identitySlice, whoseOf(event, this.slices.get(identitySlice)))
          .with(modesSlice, safeModes(event.modes ?? OFF));
        return;
      case "agent":
        this.closeStep(null);
        this.compiled = this.agentOf(event.agent);
        return;
      case "modes":
        this.slices = this.slices.with(modesSlice, safeModes(parsed(event.detail)));
        return;
      case "reset":
        if (!this.ended) this.reset();
        return;
      case "custom":
        this.setCustom((event.detail ?? "").split(", ").filter((value) => value !== ""));
        return;
      case "restored":
        return;
    }
  }

  /** An answer to a question that is not asked any more changes nothing. */
  #playAnswer({ approval, answer, by, reason }: EventOf<"approval">): void {
    try {
      this.resolve(approval, answer, by, reason);
    } catch {
      // It was not asked in this course of things.
    }
  }

  /** What is decided on a recorded call now. The state goes on accordingly. */
  decideRecorded({ call, input, asked, root }: ReadCall, facts: CallFacts): Said & { readonly call: ToolCall } {
    this.#shadows = NONE;
    this.#playing.root = root;
    const rewritten = this.rewritten(call, input, facts.made, asked);
    const final = rewritten === undefined || "fault" in rewritten ? call : rewritten;
    const decision = this.decideOn(final, asked, final === call ? facts.made : facts.final);
    return { decision, shadows: this.#shadows, call: final };
  }

  /** The call that is under way under this id. */
  underWay(id: string): InflightCall | undefined {
    return this.slices.get(inflightSlice).get(id);
  }

  /** A recorded result of a call that is under way; what was in it is not kept. */
  settleRecorded(entry: InflightCall, event: EventOf<"result">, requirement: Requirement | undefined): void {
    const { outcome, exitCode, resultHash, facts } = event;
    if (resultHash === undefined && (outcome === "cancelled" || outcome === "unknown")) {
      this.endCall(entry, outcome);
      this.spend(entry.call.id, outcome === "unknown" ? { calls: 1 } : {});
      return;
    }
    const result = { outcome, parts: [], ...(exitCode === undefined ? {} : { exitCode }) };
    const told = {
      ...(resultHash === undefined ? {} : { resultHash }),
      ...(requirement === undefined ? {} : { requirement }),
    };
    this.settle(entry, result, plainFacts(facts), told, NOTHING_CUT);
  }

  /** How a call would have ended that was not made. */
  settleAs(id: string, outcome: "ok" | "failed" | "denied" | "cancelled"): void {
    const entry = this.underWay(id);
    if (entry === undefined) return;
    if (outcome === "cancelled") this.endCall(entry, outcome);
    else this.settle(entry, { outcome, parts: [] }, NO_FACTS, {}, NOTHING_CUT);
  }

  /** The call was let through, whatever is decided on it now. */
  forceThrough({ call, asked }: ReadCall, facts: Facts, { id, kind, ...rest }: Decision): void {
    const approval = kind === "ask" && "approval" in rest ? { approval: rest.approval } : {};
    this.#openStepOf(call);
    const { argsHash } = asked;
    const entry = { call, facts, at: this.clock.now(), decision: id, argsHash, agent: this.agent, ...approval };
    this.slices = this.slices.with(inflightSlice, this.slices.get(inflightSlice).set(call.id, entry));
  }

  /** As deciding on it does: what earlier steps have shown counts from here on. */
  #openStepOf(call: ToolCall): void {
    const step = call.step ?? null;
    if (step === null || step !== this.slices.get(openStepSlice).step) this.closeStep(step);
  }

  /** The call was denied, whatever is decided on it now. */
  forceDenied({ call, asked: { argsHash } }: ReadCall): void {
    this.#openStepOf(call);
    this.slices = settleCall(this.slices, this.agent, { call, argsHash, outcome: "denied" }, this.clock.now());
  }
}

/** Whose session it is and where it is held, as it was told when it was opened. */
function whoseOf({ channel, user, parent }: EventOf<"session">, known: SessionIdentity): SessionIdentity {
  return {
    ...known,
    ...(channel === undefined ? {} : { channel }),
    ...(user === undefined ? {} : { user }),
    ...(parent === undefined ? {} : { parent }),
  };
}

const NONE: readonly Objection[] = [];
const NOTHING_CUT = { truncations: [], faults: [] };

/** Facts as a policy may look into them: foreign names are the keys, and find nothing that is not there. */
export function plainFacts(facts: Facts | undefined): Facts {
  if (facts === undefined) return NO_FACTS;
  const { paths, policies, faults } = facts;
  if (isEmpty(paths) && isEmpty(policies) && isEmpty(faults)) return NO_FACTS;
  return {
    paths: bare(paths, NO_FACTS.paths),
    policies: bare(policies, NO_FACTS.policies),
    faults: bare(faults, NO_FACTS.faults),
  };
}

function bare<T extends object>(from: T, nothing: T): T {
  return isEmpty(from) ? nothing : Object.assign(Object.create(null), from);
}

function isEmpty(of: object): boolean {
  for (const _ in of) return false;
  return true;
}

function parsed(detail: string | undefined): unknown {
  try {
    return JSON.parse(detail ?? "");
  } catch {
    return undefined;
  }
}
