import { canonicalJson } from "../../base/kernel/canonical-json.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Decision, Objection } from "../../base/words/decision.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Requirement } from "../../base/words/result.ts";
import type { SessionView } from "../../base/words/session-view.ts";
import { classificationSlice } from "../../behavior/classification/classification-state.ts";
import { identitySlice, type SessionIdentity } from "../../behavior/session/identity.ts";
import { type InflightCall, inflightSlice } from "../../behavior/session/inflight.ts";
import { modesSlice, OFF, safeModes } from "../../behavior/session/modes/modes.ts";
import { openStepSlice } from "../../behavior/session/open-step.ts";
import { Slices } from "../../behavior/session/snapshot/slices.ts";
import { commitCall, rewriteCall } from "../moments/call.ts";
import { NO_FACTS } from "../moments/gather.ts";
import { beginTurn } from "../moments/message.ts";
import { onNotice } from "../moments/notice.ts";
import { commitResult } from "../moments/result.ts";
import { resetSession, resolveApproval, setCustom } from "../moments/session.ts";
import { settleCall } from "../moments/settle-call.ts";
import {
  agentName,
  createContext,
  isEnded,
  LIVE_WORLD,
  type SessionContext,
  viewOf,
} from "../session/session-context.ts";
import { spendAmount } from "../session/spending.ts";
import { cancelOpenCalls, endCall, endStep } from "../session/steps.ts";
import type { CallFacts, ReadCall } from "./read-call.ts";
import { Playing, portsOf, recordedClock } from "./recorded-world.ts";
import type { ReplayAgents } from "./replay-agents.ts";

export type EventOf<T extends ConductEvent["type"]> = Extract<ConductEvent, { readonly type: T }>;

/** What was decided on a call, then or now. */
export type Said = { readonly decision: Decision; readonly shadows: readonly Objection[] };

/** A session that is driven by its recorded events. The moments are those of a live session; its world is the recording. */
export class ReplaySession {
  readonly #playing = new Playing();
  readonly #context: SessionContext;
  #shadows: readonly Objection[] = NONE;

  constructor(id: string, agent: string, agents: ReplayAgents) {
    this.#context = createContext(
      {
        id,
        agent: agents.of(agent),
        agentOf: (name) => agents.of(name),
        ports: portsOf(this.#playing),
        clock: recordedClock(this.#playing),
        slices: Slices.empty,
      },
      {
        observing: () => this.#playing.event?.observing,
        isEnded: (context) => LIVE_WORLD.isEnded(context) || this.#bounds?.ended === true,
        // Budgets are shared with sessions above and below: only the recording knows what was used up.
        overLimit: () => this.#bounds?.exhausted,
        // Only compared: the text does as well as its hash, and costs less.
        hashCall: (args, cwd) => canonicalJson([args, cwd]),
        emit: (_context, body) => {
          if (body.type === "call") this.#shadows = body.shadows ?? NONE;
        },
      },
    );
  }

  get #bounds() {
    const { event } = this.#playing;
    return event?.type === "call" ? event.bounds : undefined;
  }

  get agent(): string {
    return agentName(this.#context);
  }

  get view(): SessionView {
    return viewOf(this.#context);
  }

  /** All that is known of the session now; a handle, not a copy. */
  get state(): Slices {
    return this.#context.slices;
  }

  set state(slices: Slices) {
    this.#playing.startNames();
    this.#context.slices = slices;
  }

  /** The definition that decides now. */
  get definition() {
    return this.#context.compiled;
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
    endStep(this.#context, null);
    this.#playing.now = now;
  }

  /** Plays everything but calls, results and going back to an earlier point. */
  play(event: ConductEvent): void {
    switch (event.type) {
      case "session":
        this.#playSession(event);
        return;
      case "message":
        this.#context.slices = this.#context.slices.with(modesSlice, safeModes(event.modes));
        if (event.reply === undefined) beginTurn(this.#context, "", event.sender);
        return;
      case "stop":
        if (event.status !== "ended-by-policy" && (event.status !== "refused" || event.observing !== undefined)) {
          cancelOpenCalls(this.#context);
        }
        return;
      case "notice":
        if (event.notice.kind !== "fault" && event.notice.kind !== "reply") onNotice(this.#context, event.notice);
        return;
      case "approval":
        this.#playAnswer(event);
        return;
      case "classification": {
        const { classification, held } = event;
        const known = this.#context.slices.get(classificationSlice);
        this.#context.slices = this.#context.slices.with(classificationSlice, {
          ...known,
          latest: classification,
          held,
        });
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
        this.#context.compiled = this.#context.agentOf(event.agent);
        this.#context.slices = Slices.empty
          .with(identitySlice, identity)
          .with(modesSlice, safeModes(event.modes ?? OFF));
        return;
      }
      case "resumed":
        this.#context.compiled = this.#context.agentOf(event.agent);
        this.#context.slices = this.#context.slices
          .with(identitySlice, whoseOf(event, this.#context.slices.get(identitySlice)))
          .with(modesSlice, safeModes(event.modes ?? OFF));
        return;
      case "agent":
        endStep(this.#context, null);
        this.#context.compiled = this.#context.agentOf(event.agent);
        return;
      case "modes":
        this.#context.slices = this.#context.slices.with(modesSlice, safeModes(parsed(event.detail)));
        return;
      case "reset":
        if (!isEnded(this.#context)) resetSession(this.#context);
        return;
      case "custom":
        setCustom(
          this.#context,
          (event.detail ?? "").split(", ").filter((value) => value !== ""),
        );
        return;
      case "restored":
        return;
    }
  }

  /** An answer to a question that is not asked any more changes nothing. */
  #playAnswer({ approval, answer, by, reason }: EventOf<"approval">): void {
    try {
      resolveApproval(this.#context, approval, { answer, by, ...(reason === undefined ? {} : { reason }) });
    } catch {
      // It was not asked in this course of things.
    }
  }

  /** What is decided on a recorded call now. The state goes on accordingly. */
  decideRecorded({ call, input, asked, root }: ReadCall, facts: CallFacts): Said & { readonly call: ToolCall } {
    this.#shadows = NONE;
    this.#playing.root = root;
    const rewritten = rewriteCall(this.#context, call, input, facts.made, asked);
    const final = rewritten === undefined || "fault" in rewritten ? call : rewritten;
    const decision = commitCall(this.#context, final, asked, final === call ? facts.made : facts.final);
    return { decision, shadows: this.#shadows, call: final };
  }

  /** The call that is under way under this id. */
  underWay(id: string): InflightCall | undefined {
    return this.#context.slices.get(inflightSlice).get(id);
  }

  /** A recorded result of a call that is under way; what was in it is not kept. */
  settleRecorded(entry: InflightCall, event: EventOf<"result">, requirement: Requirement | undefined): void {
    const { outcome, exitCode, resultHash, facts } = event;
    if (resultHash === undefined && (outcome === "cancelled" || outcome === "unknown")) {
      endCall(this.#context, entry, outcome);
      spendAmount(this.#context, entry.call.id, outcome === "unknown" ? { calls: 1 } : {});
      return;
    }
    const result = { outcome, parts: [], ...(exitCode === undefined ? {} : { exitCode }) };
    const told = {
      ...(resultHash === undefined ? {} : { resultHash }),
      ...(requirement === undefined ? {} : { requirement }),
    };
    commitResult(this.#context, entry, result, plainFacts(facts), told, NOTHING_CUT);
  }

  /** How a call would have ended that was not made. */
  settleAs(id: string, outcome: "ok" | "failed" | "denied" | "cancelled"): void {
    const entry = this.underWay(id);
    if (entry === undefined) return;
    if (outcome === "cancelled") endCall(this.#context, entry, outcome);
    else commitResult(this.#context, entry, { outcome, parts: [] }, NO_FACTS, {}, NOTHING_CUT);
  }

  /** The call was let through, whatever is decided on it now. */
  forceThrough({ call, asked }: ReadCall, facts: Facts, { id, kind, ...rest }: Decision): void {
    const approval = kind === "ask" && "approval" in rest ? { approval: rest.approval } : {};
    this.#openStepOf(call);
    const { argsHash } = asked;
    const entry = {
      call,
      facts,
      at: this.#context.clock.now(),
      decision: id,
      argsHash,
      agent: this.agent,
      ...approval,
    };
    this.#context.slices = this.#context.slices.with(
      inflightSlice,
      this.#context.slices.get(inflightSlice).set(call.id, entry),
    );
  }

  /** As deciding on it does: what earlier steps have shown counts from here on. */
  #openStepOf(call: ToolCall): void {
    const step = call.step ?? null;
    if (step === null || step !== this.#context.slices.get(openStepSlice).step) endStep(this.#context, step);
  }

  /** The call was denied, whatever is decided on it now. */
  forceDenied({ call, asked: { argsHash } }: ReadCall): void {
    this.#openStepOf(call);
    this.#context.slices = settleCall(
      this.#context.slices,
      this.agent,
      { call, argsHash, outcome: "denied" },
      this.#context.clock.now(),
    );
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
