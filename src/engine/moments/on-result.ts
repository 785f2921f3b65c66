import type { Outcome } from "../../base/words/call.ts";
import type { Fault } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Feedback } from "../../base/words/feedback.ts";
import type { Settled } from "../../base/words/policy.ts";
import type { ToolResult } from "../../base/words/result.ts";
import { collectFeedback } from "../../behavior/feedback/collect-feedback.ts";
import { watchedFiles } from "../../behavior/feedback/due-providers.ts";
import { feedbackSlice } from "../../behavior/feedback/feedback-state.ts";
import { answerApproval, approvalById, approvalsSlice, dropApproval } from "../../behavior/policy/approvals.ts";
import type { InflightCall } from "../../behavior/session/inflight.ts";
import { permissionsOf } from "../../behavior/session/modes/modes.ts";
import { type KeptResult, MAX_PROOFS, openStepSlice, type PendingProof } from "../../behavior/session/open-step.ts";
import type { Slices } from "../../behavior/session/snapshot/slices.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import { type ProofEnvironment, prove } from "./close-step.ts";
import { CHECK_MS, type Told, tellPolicies } from "./policy-hooks.ts";
import { settleCall } from "./settle-call.ts";

/** `settled`: what policies are told of the result besides its outcome. */
export type ResultEnvironment = ProofEnvironment & { readonly now: number; readonly settled: Settled };

export type ResultDecided = {
  readonly slices: Slices;
  readonly feedback: readonly Feedback[];
  readonly text?: string;
  readonly faults: readonly Fault[];
};

/** Files to look at before deciding: what the call may have written, and what providers wait for. */
export function pathsAfter(
  slices: Slices,
  entry: InflightCall,
  outcome: Outcome,
  agent: CompiledAgent,
): readonly string[] {
  const written =
    outcome === "ok" ? entry.call.paths.filter(({ access }) => access === "write").map(({ path }) => path) : [];
  return [...new Set([...written, ...watchedFiles(agent.agent.feedback, slices.get(feedbackSlice))])];
}

/** What does the call prove, and what is there to say about it? `result` is what the agent gets, already shortened. */
export function decideResult(
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
    { call, argsHash, outcome, ...(exitCode === undefined ? {} : { exitCode }) },
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
    ...(said.text === undefined ? {} : { text: said.text }),
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
    ...(exitCode === undefined ? {} : { exitCode }),
    parts: parts.filter((part) => part.kind === "text" || part.kind === "json"),
  };
}
