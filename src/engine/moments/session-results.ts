import { errorText } from "../../base/kernel/error-text.ts";
import type { Outcome } from "../../base/words/call.ts";
import type { Fault } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Settled } from "../../base/words/policy.ts";
import type { ToolResult, Truncation } from "../../base/words/result.ts";
import { hashResult } from "../../behavior/policy/loop-guard-hash.ts";
import { judgeDirectives, takeDirectives } from "../../behavior/policy/requirements.ts";
import { shownText } from "../../behavior/results/shown-text.ts";
import { type InflightCall, inflightSlice } from "../../behavior/session/inflight.ts";
import { verboseText } from "../../behavior/session/verbose.ts";
import { GATHER_MS, gatherPaths } from "./gather.ts";
import { decideResult, pathsAfter, type ResultDecided } from "./on-result.ts";
import { SessionCalls } from "./session-calls.ts";
import { resultsSlice, shortenResult } from "./shorten-result.ts";

/** What the agent gets back. `changed` tells an adapter whether it has to replace the runtime's own result. */
export type Delivered = { readonly result: ToolResult; readonly changed: boolean; readonly feedback?: string };

/** The moment `result`: what does it get back? */
export class SessionResults extends SessionCalls {
  /**
   * What does it get back? Never rejects, and never passes on a result that is too large. With `replaceable: false` the
   * runtime shows its own result whatever we say, so nothing is cut, and nothing is recorded as cut.
   */
  async onResult(
    call: { readonly id: string; readonly tool: string },
    result: ToolResult,
    { replaceable = true }: { readonly replaceable?: boolean } = {},
  ): Promise<Delivered> {
    const entry = this.#claim(call.id);
    const watched = this.observing !== undefined;
    try {
      const delivered = await this.#deliver(call, entry, readResult(result), replaceable && !watched);
      return watched ? { result, changed: false } : delivered;
    } catch (error) {
      if (entry !== undefined) this.#abandon(entry);
      if (watched) return { result, changed: false };
      this.fault({ where: `result of ${call.tool}`, code: "result-unreadable", message: errorText(error) });
      const text = `Conduct withheld this result, because it could not be checked: ${errorText(error)}.`;
      return { result: { outcome: "unknown", parts: [{ kind: "text", text }] }, changed: true };
    }
  }

  async #deliver(
    call: { readonly id: string; readonly tool: string },
    entry: InflightCall | undefined,
    given: ToolResult,
    replaceable: boolean,
  ): Promise<Delivered> {
    const { limits } = this.compiled.agent;
    const taken = takeDirectives(given);
    const { result } = taken;
    const shortened = await shortenResult(result, {
      replaceable,
      tool: entry?.call.tool ?? call.tool,
      session: this.id,
      limits,
      window: this.window,
      parallel: this.#siblings(entry?.call.step),
      ports: this.ports,
      turn: {
        get: () => this.slices.get(resultsSlice),
        set: (state) => {
          this.slices = this.slices.with(resultsSlice, state);
        },
      },
    });
    for (const fault of shortened.faults) this.fault(fault);
    const changed = shortened.changed || (taken.changed && replaceable);
    const paths = entry === undefined ? [] : pathsAfter(this.slices, entry, result.outcome, this.agentOf(entry.agent));
    const facts = await gatherPaths(paths, this.ports.filesystem, limits.gatherMs ?? GATHER_MS);
    // Between the call and here its turn may have ended, or the session have been reset.
    if (entry === undefined || this.slices.get(inflightSlice).get(call.id) !== entry) {
      const message = `no call '${call.id}' of '${call.tool}' is under way; its result proves nothing`;
      this.fault({ where: "result", code: "result-without-call", message });
      return { result: shortened.result, changed };
    }
    for (const [who, { code, message }] of Object.entries(facts.faults)) {
      this.fault({ where: `result ${who}`, code, message });
    }
    const required = judgeDirectives(taken, entry.call, this.agentOf(entry.agent).agent.trustedTools);
    const { requirement } = required;
    const told: Settled = { resultHash: hashResult(result), ...(requirement === undefined ? {} : { requirement }) };
    const { truncations } = shortened;
    const more = { truncations, faults: required.faults };
    const decided = this.settle(entry, shortened.result, facts, told, more);
    if (this.view.modes.verbose) await this.#tellVerbose(entry.call.tool, shortened.result);
    const feedback = decided.text === undefined ? {} : { feedback: decided.text };
    return { result: shortened.result, changed, ...feedback };
  }

  /** Decides and commits, in one breath; the same for a result that comes and for one that was recorded. */
  protected settle(
    entry: InflightCall,
    result: ToolResult,
    facts: Facts,
    told: Settled,
    { truncations, faults }: { readonly truncations: readonly Truncation[]; readonly faults: readonly Fault[] },
  ): ResultDecided {
    return this.clock.atOnce(() => {
      const { id, tool, step } = entry.call;
      const { outcome, exitCode } = result;
      const { requirement, resultHash } = told;
      const env = { ...this.proofEnvironment(), now: this.clock.now(), settled: told };
      const decided = decideResult(this.slices, entry, result, facts, env);
      this.slices = decided.slices;
      this.spend(id, outcome === "denied" || outcome === "cancelled" ? {} : { calls: 1 });
      for (const fault of [...faults, ...decided.faults]) this.fault(fault);
      this.emit(
        {
          type: "result",
          call: id,
          tool,
          outcome,
          ...(exitCode === undefined ? {} : { exitCode }),
          truncation: truncations,
          feedback: decided.feedback,
          ...(resultHash === undefined ? {} : { resultHash }),
        },
        { facts, step },
      );
      if (requirement !== undefined) this.emit({ type: "requirement", call: id, tool, ...requirement }, { step });
      return decided;
    });
  }

  /** What the person sees of it: as the agent gets it, so that nothing that was cut comes back this way. */
  async #tellVerbose(tool: string, { outcome, parts }: ToolResult): Promise<void> {
    const text = shownText(parts);
    const tokens = (await this.ports.counter()).count(text);
    this.debug(verboseText({ tool, tokens, outcome, decision: "allow", text }));
  }

  /** The call that this is the result of, marked so that no second result can be. */
  #claim(id: string): InflightCall | undefined {
    const inflight = this.slices.get(inflightSlice);
    const entry = inflight.get(id);
    if (entry === undefined || entry.settling === true) return undefined;
    const claimed: InflightCall = { ...entry, settling: true };
    this.slices = this.slices.with(inflightSlice, inflight.set(id, claimed));
    return claimed;
  }

  /** Its result could not be looked at: the call is over, and proves nothing. */
  #abandon(entry: InflightCall): void {
    const { id, tool, step } = entry.call;
    if (this.slices.get(inflightSlice).get(id) === undefined) return;
    this.clock.atOnce(() => {
      this.endCall(entry, "unknown");
      this.spend(id, { calls: 1 });
      this.emit({ type: "result", call: id, tool, outcome: "unknown", truncation: [], feedback: [] }, { step });
    });
  }

  /** How many calls of one model response share what the turn's results may still take. */
  #siblings(step: string | undefined): number {
    if (step === undefined) return 1;
    let count = 0;
    for (const [, { call, settling }] of this.slices.get(inflightSlice)) {
      if (call.step === step && settling !== true) count += 1;
    }
    // This one, and those whose results are still to come.
    return 1 + count;
  }
}

const OUTCOMES: ReadonlySet<string> = new Set<Outcome>(["ok", "failed", "denied", "cancelled", "unknown"]);

/** What an adapter hands in, as far as it can be one: an outcome nobody knows is unknown. */
function readResult(result: ToolResult): ToolResult {
  if (!Array.isArray(result.parts)) throw new TypeError("the result has no parts");
  return OUTCOMES.has(result.outcome) ? result : { ...result, outcome: "unknown" };
}
