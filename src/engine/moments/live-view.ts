import type { Budget, Exhausted, Usage } from "../../base/words/budget.ts";
import type { CallRecord } from "../../base/words/call.ts";
import type { SessionClassification } from "../../base/words/classification.ts";
import type { Agent } from "../../base/words/hosting/agent.ts";
import type { Modes } from "../../base/words/modes.ts";
import type { Evidence, SessionView } from "../../base/words/session-view.ts";
import { classificationSlice } from "../../behavior/classification/classification-state.ts";
import { exhausted, spendingSlice } from "../../behavior/session/budget.ts";
import { callCount, callLogSlice, recentCalls } from "../../behavior/session/call-log.ts";
import { evidenceOf, evidenceSlice } from "../../behavior/session/evidence.ts";
import { identitySlice } from "../../behavior/session/identity.ts";
import { effectiveModes, modesSlice, withoutElevation } from "../../behavior/session/modes/modes.ts";
import type { Slices } from "../../behavior/session/snapshot/slices.ts";
import { turnSlice } from "../../behavior/session/turn.ts";

/** A session at one point in time, read from its slices only when somebody looks. */
export class LiveView implements SessionView {
  readonly id: string;
  declare readonly parent?: string;
  declare readonly user?: string;
  declare readonly zone?: string;
  declare readonly deadline?: number;
  readonly channel: string;
  readonly startedAt: number;
  readonly budget: Budget;
  readonly agent: string;
  readonly now: number;
  readonly #slices: Slices;
  readonly #elevation: "never" | undefined;

  constructor(id: string, slices: Slices, agent: Agent, now: number) {
    const identity = slices.get(identitySlice);
    this.id = id;
    this.channel = identity.channel;
    this.startedAt = identity.startedAt;
    this.budget = identity.budget;
    if (identity.parent !== undefined) this.parent = identity.parent;
    if (identity.user !== undefined) this.user = identity.user;
    if (identity.zone !== undefined) this.zone = identity.zone;
    if (identity.deadline !== undefined) this.deadline = identity.deadline;
    this.agent = agent.name;
    this.#elevation = agent.elevation;
    this.now = now;
    this.#slices = slices;
  }

  get turn(): number {
    return this.#slices.get(turnSlice).number;
  }
  get custom(): readonly string[] {
    return this.#slices.get(identitySlice).custom ?? [];
  }
  get modes(): Modes {
    const modes = effectiveModes(this.#slices.get(modesSlice), this.now, this.#elevation);
    const { sender } = this.#slices.get(turnSlice);
    // An operator's elevation is not for the turns of others in the same session.
    return modes.elevated && sender !== undefined && sender.role !== "operator" ? withoutElevation(modes) : modes;
  }
  get label(): string | undefined {
    return this.classification?.label;
  }
  get classification(): SessionClassification | undefined {
    return this.#slices.get(classificationSlice).latest ?? undefined;
  }
  get usage(): Usage {
    return this.#slices.get(spendingSlice).usage;
  }
  get exhausted(): Exhausted | undefined {
    return exhausted(this.#slices.get(spendingSlice), this.budget, this);
  }
  get callCount(): number {
    return callCount(this.#slices.get(callLogSlice), this.agent);
  }
  recentCalls(n: number): readonly CallRecord[] {
    return recentCalls(this.#slices.get(callLogSlice), this.agent, n);
  }
  evidence(action: string): Evidence | undefined {
    return evidenceOf(this.#slices.get(evidenceSlice), action);
  }
}
