import { canonicalJson } from "../../base/kernel/canonical-json.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Decision, Objection } from "../../base/words/decision.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import type { Requirement } from "../../base/words/result.ts";
import { classificationSlice } from "../../behavior/classification/classification-state.ts";
import { policyStatesSlice } from "../../behavior/policy/policy-state.ts";
import { characterCounter } from "../../behavior/results/token-counter.ts";
import { inflightSlice, openStepSlice } from "../../behavior/session/calls.ts";
import { modesSlice, OFF, safeModes } from "../../behavior/session/modes/modes.ts";
import { identitySlice, type SessionIdentity } from "../../behavior/session/session-identity.ts";
import { Slices } from "../../behavior/session/snapshot/snapshot.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import { Bus } from "../journal/bus.ts";
import { commitCall, rewriteCall } from "../moments/call.ts";
import { beginTurn } from "../moments/message.ts";
import { commitResult } from "../moments/result.ts";
import { onNotice } from "../session/on-notice.ts";
import { resetSession, resolveApproval } from "../session/session.ts";
import {
  agentName,
  createContext,
  isEnded,
  LIVE_WORLD,
  type SessionContext,
  setCustom,
  spendAmount,
} from "../session/session-context.ts";
import type { SessionPorts } from "../session/session-options.ts";
import { cancelOpenCalls, endCall, endStep, settleCall } from "../session/steps.ts";
import type { Verdict } from "./compare-decisions.ts";
import { type EventOf, plainFacts, type RecordedCall } from "./recorded-call.ts";
import type { ReplayAgents } from "./replay-agents.ts";

/** A session driven by its recorded events: live moments over recorded ports. */
export class RecordedSession {
  readonly #context: SessionContext;
  /** The event being replayed: the source of time, ids and limits. */
  #event: ConductEvent | undefined;
  #now = 0;
  #root = "";
  #idsMade = 0;
  #shadows: readonly Objection[] = [];

  constructor(id: string, agent: string, agents: ReplayAgents) {
    this.#context = createContext(
      {
        id,
        agent: agents.of(agent),
        agentOf: (name) => agents.of(name),
        ports: this.#ports(),
        clock: { now: () => this.#now, atOnce: (work) => work() },
        slices: Slices.empty,
      },
      {
        observing: () => this.#event?.observing,
        isEnded: (context) => LIVE_WORLD.isEnded(context) || this.#bounds?.ended === true,
        // Parent and child sessions share budgets, so only the recording knows the usage.
        overLimit: () => this.#bounds?.exhausted,
        // Hashes are only compared, so the plain text is enough and cheaper.
        hashCall: (args, cwd) => canonicalJson([args, cwd]),
        emit: (_context, body) => {
          if (body.type === "call") this.#shadows = body.shadows ?? [];
        },
      },
    );
  }

  #ports(): SessionPorts {
    const root = () => this.#root;
    return {
      clock: { now: () => this.#now, monotonic: () => 0 },
      ids: { next: (prefix) => this.#newId(prefix) },
      bus: new Bus(),
      pluginsReady: Promise.resolve(),
      counter: async () => characterCounter,
      results: { keep: async () => undefined, read: async () => undefined },
      filesystem: {
        get root() {
          return root();
        },
        look: async () => {
          throw new Error("a replay looks at no files");
        },
      },
    };
  }

  /** Decisions and approvals get their recorded ids, so that later events find them. */
  #newId(prefix: string): string {
    const event = this.#event;
    if (event?.type === "call" && prefix === "d") return event.decision.id;
    if (event?.type === "call" && prefix === "a" && event.decision.kind === "ask") return event.decision.approval;
    this.#idsMade += 1;
    return `${prefix}_replay_${event?.id}_${this.#idsMade}`;
  }

  get #bounds() {
    return this.#event?.type === "call" ? this.#event.bounds : undefined;
  }

  get compiled(): CompiledAgent {
    return this.#context.compiled;
  }

  /** The whole session state; a handle, not a copy. */
  get state(): Slices {
    return this.#context.slices;
  }

  set state(slices: Slices) {
    this.#context.slices = slices;
  }

  /** Whether a trusted tool's result requires something before the next call. */
  get hasRequirement(): boolean {
    const open = this.state.get(policyStatesSlice).get("builtin:requirements");
    return Array.isArray(open) && open.length > 0;
  }

  /** Sets clock and ports to the event's. */
  begin(event: ConductEvent): void {
    this.#event = event;
    this.#now = event.at;
  }

  /** Ends the open step at a time before the event that reports it. */
  closeStepAt(at: number): void {
    const now = this.#now;
    this.#now = at;
    endStep(this.#context, null);
    this.#now = now;
  }

  /** Replays any event except a call, a result or a return to an earlier point. */
  play(event: ConductEvent): void {
    const context = this.#context;
    switch (event.type) {
      case "session":
        this.#playSession(event);
        return;
      case "message":
        context.slices = context.slices.with(modesSlice, safeModes(event.modes));
        if (event.reply === undefined) beginTurn(context, "", event.sender);
        return;
      case "stop":
        if (event.status !== "ended-by-policy" && (event.status !== "refused" || event.observing !== undefined)) {
          cancelOpenCalls(context);
        }
        return;
      case "notice":
        if (event.notice.kind !== "fault" && event.notice.kind !== "reply") onNotice(context, event.notice);
        return;
      case "approval":
        try {
          const { approval, answer, by, reason } = event;
          resolveApproval(context, approval, { answer, by, reason });
        } catch {
          // The question is no longer asked, so its answer changes nothing.
        }
        return;
      case "classification": {
        const { classification: latest, held } = event;
        const known = context.slices.get(classificationSlice);
        context.slices = context.slices.with(classificationSlice, { ...known, latest, held });
        return;
      }
    }
  }

  #playSession(event: EventOf<"session">): void {
    const context = this.#context;
    switch (event.change) {
      case "opened":
      case "resumed": {
        const opened = event.change === "opened";
        const before = opened ? Slices.empty : context.slices;
        const identity = identityOf(event, before.get(identitySlice));
        context.compiled = context.agentOf(event.agent);
        context.slices = before
          .with(identitySlice, opened ? { ...identity, startedAt: event.at } : identity)
          .with(modesSlice, safeModes(event.modes ?? OFF));
        return;
      }
      case "agent":
        endStep(context, null);
        context.compiled = context.agentOf(event.agent);
        return;
      case "modes":
        context.slices = context.slices.with(modesSlice, safeModes(parseJson(event.detail)));
        return;
      case "reset":
        if (!isEnded(context)) resetSession(context);
        return;
      case "custom":
        setCustom(
          context,
          (event.detail ?? "").split(", ").filter((value) => value !== ""),
        );
        return;
      case "restored":
        return;
    }
  }

  /** Decides a recorded call by today's rules and commits the decision. */
  decide({ call, input, details, root, facts }: RecordedCall): Verdict & { readonly call: ToolCall } {
    this.#shadows = [];
    this.#root = root;
    const rewritten = rewriteCall(this.#context, call, input, facts.made, details);
    const final = rewritten === undefined || "fault" in rewritten ? call : rewritten;
    const decision = commitCall(this.#context, final, details, final === call ? facts.made : facts.final);
    return { decision, shadows: this.#shadows, call: final };
  }

  /** Commits the recorded decision, regardless of today's rules. */
  force({ call, details: { argsHash }, facts: { final: facts } }: RecordedCall, decision: Decision): void {
    const context = this.#context;
    const [agent, at, step] = [agentName(context), context.clock.now(), call.step ?? null];
    if (step === null || step !== context.slices.get(openStepSlice).step) endStep(context, step);
    if (decision.kind === "deny") {
      context.slices = settleCall(context.slices, agent, { call, argsHash, outcome: "denied" }, at);
      return;
    }
    const approval = decision.kind === "ask" ? decision.approval : undefined;
    const entry = { call, facts, at, decision: decision.id, argsHash, agent, approval };
    context.slices = context.slices.with(inflightSlice, context.slices.get(inflightSlice).set(call.id, entry));
  }

  /** Settles an open call with its recorded result. The content of results is not recorded. */
  settle(event: EventOf<"result">, requirement: Requirement | undefined): void {
    const { outcome, exitCode, resultHash, noTests } = event;
    const entry = this.state.get(inflightSlice).get(event.call);
    if (entry === undefined) return;
    if (resultHash === undefined && (outcome === "cancelled" || outcome === "unknown")) {
      endCall(this.#context, entry, outcome);
      spendAmount(this.#context, entry.call.id, outcome === "unknown" ? { calls: 1 } : {});
      return;
    }
    const result = { outcome, parts: [], exitCode };
    commitResult(
      this.#context,
      entry,
      result,
      plainFacts(event.facts),
      { resultHash, requirement, noTests },
      NOTHING_CUT,
    );
  }
}

const NOTHING_CUT = { truncations: [], faults: [] };

function identityOf({ channel, user, parent }: EventOf<"session">, known: SessionIdentity): SessionIdentity {
  return {
    ...known,
    channel: channel ?? known.channel,
    user: user ?? known.user,
    parent: parent ?? known.parent,
  };
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
