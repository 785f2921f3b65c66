import { errorText } from "../../base/kernel/error-text.ts";
import type { Outcome } from "../../base/words/call.ts";
import type { Fault } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Feedback } from "../../base/words/feedback.ts";
import type { Settled } from "../../base/words/policy.ts";
import type { ToolResult, Truncation } from "../../base/words/result.ts";
import { collectFeedback } from "../../behavior/feedback/collect-feedback.ts";
import { feedbackSlice } from "../../behavior/feedback/feedback-state.ts";
import { watchedFiles } from "../../behavior/feedback/feedback-triggers.ts";
import { seenSlice } from "../../behavior/instructions/judge-change.ts";
import { answerApproval, approvalById, approvalsSlice, dropApproval } from "../../behavior/policy/approvals.ts";
import { hashResult } from "../../behavior/policy/builtin/loop-guard.ts";
import { judgeDirectives, takeDirectives } from "../../behavior/policy/builtin/requirements.ts";
import { shownText } from "../../behavior/results/result-text.ts";
import {
  type InflightCall,
  inflightSlice,
  type KeptResult,
  MAX_PROOFS,
  openStepSlice,
  type PendingProof,
} from "../../behavior/session/calls.ts";
import { permissionsOf } from "../../behavior/session/modes/modes.ts";
import { verboseText } from "../../behavior/session/modes/verbose.ts";
import type { Slices } from "../../behavior/session/snapshot/slices.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import {
  addDebug,
  emit,
  observingOf,
  reportFault,
  type SessionContext,
  spendAmount,
  viewOf,
} from "../session/session-context.ts";
import { endCall, type ProofEnvironment, proofEnvironment, prove, settleCall } from "../session/steps.ts";
import { readMemory } from "../tools/read-memory.ts";
import { GATHER_MS, gatherPaths } from "./gather.ts";
import { resultsSlice, shortenResult } from "./shorten-result.ts";
import { CHECK_MS, type Told, tellPolicies } from "./tell-policies.ts";

/** What the agent gets back. `changed` tells an adapter whether it has to replace the runtime's own result. */
export type Delivered = { readonly result: ToolResult; readonly changed: boolean; readonly feedback?: string };

type CallName = { readonly id: string; readonly tool: string };

export type ResultOptions = {
  /** `false` where the runtime shows its own result in any case: then nothing is cut, and nothing is recorded as cut. */
  readonly replaceable?: boolean | undefined;
};

/** The moment `result`: what does it get back? Never rejects, and never passes on a result that is too large. */
export async function onResult(
  context: SessionContext,
  call: CallName,
  result: ToolResult,
  { replaceable = true }: ResultOptions = {},
): Promise<Delivered> {
  const delivered = await examine(context, call, result, replaceable);
  // What the model has seen of a shortened memory is unknown.
  if (call.tool === readMemory.name && delivered.changed) {
    context.slices = context.slices.with(seenSlice, seenSlice.initial);
  }
  return delivered;
}

async function examine(
  context: SessionContext,
  call: CallName,
  result: ToolResult,
  replaceable: boolean,
): Promise<Delivered> {
  const entry = claim(context, call.id);
  const watched = observingOf(context) !== undefined;
  try {
    const delivered = await deliver(context, call, entry, readResult(result), replaceable && !watched);
    return watched ? { result, changed: false } : delivered;
  } catch (error) {
    if (entry !== undefined) abandon(context, entry);
    if (watched) return { result, changed: false };
    reportFault(context, { where: `result of ${call.tool}`, code: "result-unreadable", message: errorText(error) });
    const text = `Conduct withheld this result, because it could not be checked: ${errorText(error)}.`;
    return { result: { outcome: "unknown", parts: [{ kind: "text", text }] }, changed: true };
  }
}

async function deliver(
  context: SessionContext,
  call: CallName,
  entry: InflightCall | undefined,
  given: ToolResult,
  replaceable: boolean,
): Promise<Delivered> {
  const { limits } = context.compiled.agent;
  const taken = takeDirectives(given);
  const { result } = taken;
  const shortened = await shortenResult(result, {
    replaceable,
    tool: entry?.call.tool ?? call.tool,
    session: context.id,
    limits,
    window: context.window,
    parallel: siblings(context, entry?.call.step),
    ports: context.ports,
    turn: {
      get: () => context.slices.get(resultsSlice),
      set: (state) => {
        context.slices = context.slices.with(resultsSlice, state);
      },
    },
  });
  for (const fault of shortened.faults) reportFault(context, fault);
  const changed = shortened.changed || (taken.changed && replaceable);
  const paths =
    entry === undefined ? [] : pathsAfter(context.slices, entry, result.outcome, context.agentOf(entry.agent));
  const facts = await gatherPaths(paths, context.ports.filesystem, limits.gatherMs ?? GATHER_MS);
  // Between the call and here its turn may have ended, or the session have been reset.
  if (entry === undefined || context.slices.get(inflightSlice).get(call.id) !== entry) {
    const message = `no call '${call.id}' of '${call.tool}' is under way; its result proves nothing`;
    reportFault(context, { where: "result", code: "result-without-call", message });
    return { result: shortened.result, changed };
  }
  for (const [who, { code, message }] of Object.entries(facts.faults)) {
    reportFault(context, { where: `result ${who}`, code, message });
  }
  const required = judgeDirectives(taken, entry.call, context.agentOf(entry.agent).agent.trustedTools);
  const settled: Settled = { resultHash: hashResult(result), requirement: required.requirement };
  const more = { truncations: shortened.truncations, faults: required.faults };
  const decided = commitResult(context, entry, shortened.result, facts, settled, more);
  if (viewOf(context).modes.verbose) await showResult(context, entry.call.tool, shortened.result);
  return { result: shortened.result, changed, feedback: decided.text };
}

/** Decides and commits in one synchronous step; the same for a live and for a recorded result. */
export function commitResult(
  context: SessionContext,
  entry: InflightCall,
  result: ToolResult,
  facts: Facts,
  settled: Settled,
  { truncations, faults }: { readonly truncations: readonly Truncation[]; readonly faults: readonly Fault[] },
): ResultDecided {
  return context.clock.atOnce(() => {
    const { id, tool, step } = entry.call;
    const { outcome, exitCode } = result;
    const { requirement, resultHash } = settled;
    const environment = { ...proofEnvironment(context), now: context.clock.now(), settled };
    const decided = decideResult(context.slices, entry, result, facts, environment);
    context.slices = decided.slices;
    spendAmount(context, id, outcome === "denied" || outcome === "cancelled" ? {} : { calls: 1 });
    for (const fault of [...faults, ...decided.faults]) reportFault(context, fault);
    emit(
      context,
      {
        type: "result",
        call: id,
        tool,
        outcome,
        exitCode,
        truncation: truncations,
        feedback: decided.feedback,
        resultHash,
      },
      { facts, step },
    );
    if (requirement !== undefined) emit(context, { type: "requirement", call: id, tool, ...requirement }, { step });
    return decided;
  });
}

/** Shows the person the result as the agent gets it, so that nothing that was cut comes back this way. */
async function showResult(context: SessionContext, tool: string, { outcome, parts }: ToolResult): Promise<void> {
  const text = shownText(parts);
  const tokens = (await context.ports.counter()).count(text);
  addDebug(context, verboseText({ tool, tokens, outcome, decision: "allow", text }));
}

/** Finds the call of this result and marks it, so that there is no second result for it. */
function claim(context: SessionContext, id: string): InflightCall | undefined {
  const inflight = context.slices.get(inflightSlice);
  const entry = inflight.get(id);
  if (entry === undefined || entry.settling === true) return undefined;
  const claimed: InflightCall = { ...entry, settling: true };
  context.slices = context.slices.with(inflightSlice, inflight.set(id, claimed));
  return claimed;
}

/** Ends a call whose result could not be examined. It proves nothing. */
function abandon(context: SessionContext, entry: InflightCall): void {
  const { id, tool, step } = entry.call;
  if (context.slices.get(inflightSlice).get(id) === undefined) return;
  context.clock.atOnce(() => {
    endCall(context, entry, "unknown");
    spendAmount(context, id, { calls: 1 });
    emit(context, { type: "result", call: id, tool, outcome: "unknown", truncation: [], feedback: [] }, { step });
  });
}

/** How many calls of one model response share what the turn's results may still take. */
function siblings({ slices }: SessionContext, step: string | undefined): number {
  if (step === undefined) return 1;
  let count = 0;
  for (const [, { call, settling }] of slices.get(inflightSlice)) {
    if (call.step === step && settling !== true) count += 1;
  }
  // This one, and those whose results are still to come.
  return 1 + count;
}

const OUTCOMES: ReadonlySet<string> = new Set<Outcome>(["ok", "failed", "denied", "cancelled", "unknown"]);

/** Reads what an adapter handed in. An outcome that is not known is `unknown`. */
function readResult(result: ToolResult): ToolResult {
  if (!Array.isArray(result.parts)) throw new TypeError("the result has no parts");
  return OUTCOMES.has(result.outcome) ? result : { ...result, outcome: "unknown" };
}

/** `settled`: what policies are told of the result besides its outcome. */
type ResultEnvironment = ProofEnvironment & { readonly now: number; readonly settled: Settled };

type ResultDecided = {
  readonly slices: Slices;
  readonly feedback: readonly Feedback[];
  readonly text?: string;
  readonly faults: readonly Fault[];
};

/** Files to look at before deciding: what the call may have written, and what providers wait for. */
function pathsAfter(slices: Slices, entry: InflightCall, outcome: Outcome, agent: CompiledAgent): readonly string[] {
  const written =
    outcome === "ok" ? entry.call.paths.filter(({ access }) => access === "write").map(({ path }) => path) : [];
  return [...new Set([...written, ...watchedFiles(agent.agent.feedback, slices.get(feedbackSlice))])];
}

/** What does the call prove, and what is there to say about it? `result` is what the agent gets, already shortened. */
function decideResult(
  slices: Slices,
  entry: InflightCall,
  result: ToolResult,
  facts: Facts,
  env: ResultEnvironment,
): ResultDecided {
  const { call, argsHash } = entry;
  const { outcome, exitCode } = result;
  const agent = env.agentOf(entry.agent);
  const settled = settleCall(
    answerByDeed(slices, entry, outcome, env.now),
    entry.agent,
    { call, argsHash, outcome, exitCode },
    env.now,
  );
  const told = tellSettled(settled, entry, outcome, env, env.settled);
  const proven =
    outcome === "ok" ? establish(told.slices, entry, result, facts, env) : { slices: told.slices, faults: [] };
  const files: Record<string, boolean> = Object.create(null);
  for (const [path, fact] of Object.entries(facts.paths)) files[path] = fact.exists;
  const said = collectFeedback({
    configs: agent.agent.feedback,
    state: proven.slices.get(feedbackSlice),
    session: env.viewOf(proven.slices),
    agent: entry.agent,
    files,
  });
  return {
    slices: proven.slices.with(feedbackSlice, said.state),
    feedback: said.feedback,
    text: said.text,
    faults: [...told.faults, ...proven.faults, ...said.faults],
  };
}

/** Policies hear at once that a call is over, whatever its outcome: what it had reserved may be given back. */
export function tellSettled(
  slices: Slices,
  { call, agent: name, facts }: InflightCall,
  outcome: Outcome,
  env: ProofEnvironment,
  settled: Settled = {},
): Told {
  const agent = env.agentOf(name);
  const session = env.viewOf(slices);
  const permissions = permissionsOf(session.modes);
  return tellPolicies(
    slices,
    agent.policiesFor(call),
    "onSettled",
    (policy, state) => policy.onSettled?.(call, outcome, { state, facts, session, permissions, ...settled }),
    { stopwatch: env.stopwatch, limitMs: agent.agent.limits.checkMs ?? CHECK_MS },
  );
}

/**
 * At once when no step is open; else when the open one closes, whichever the call was made in: what the model chose in the
 * open step it chose before it saw this.
 */
function establish(
  slices: Slices,
  { call, agent, facts: factsAtCall }: InflightCall,
  result: ToolResult,
  facts: Facts,
  env: ResultEnvironment,
): { readonly slices: Slices; readonly faults: readonly Fault[] } {
  const proof: PendingProof = { agent, call, result: keptResult(result), factsAtCall, facts, at: env.now };
  const open = slices.get(openStepSlice);
  if (open.step === null) return prove(slices, proof, env);
  if (open.proofs.length >= MAX_PROOFS) {
    const message = `step '${open.step}' never closes; the result of '${call.tool}' proves nothing`;
    return { slices, faults: [{ where: "result", code: "state-full", message }] };
  }
  return { slices: slices.with(openStepSlice, { ...open, proofs: [...open.proofs, proof] }), faults: [] };
}

/** Where the runtime itself asked the person, what became of the call is the answer. */
function answerByDeed(slices: Slices, { approval }: InflightCall, outcome: Outcome, now: number): Slices {
  if (approval === undefined || outcome === "cancelled") return slices;
  const approvals = slices.get(approvalsSlice);
  if (outcome === "denied") {
    const refused = answerApproval(approvals, approval, { answer: "no", by: "runtime" }, now);
    return "fault" in refused ? slices : slices.with(approvalsSlice, refused);
  }
  const used = approvalById(approvals, approval);
  return used === undefined ? slices : slices.with(approvalsSlice, dropApproval(approvals, used));
}

/** Pictures and raw bytes prove nothing that a policy could read, and would weigh on every snapshot. */
function keptResult({ exitCode, parts }: ToolResult): KeptResult {
  return {
    outcome: "ok",
    exitCode,
    parts: parts.filter((part) => part.kind === "text" || part.kind === "json"),
  };
}
