import type { Outcome } from "../../base/words/call.ts";
import type { Fault } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Feedback } from "../../base/words/feedback.ts";
import type { ToolResult } from "../../base/words/result.ts";
import type { SessionView } from "../../base/words/session-view.ts";
import { collectFeedback } from "../../behavior/feedback/collect-feedback.ts";
import { watchedFiles } from "../../behavior/feedback/due-providers.ts";
import { feedbackSlice } from "../../behavior/feedback/feedback-state.ts";
import { answerApproval, approvalById, approvalsSlice, dropApproval } from "../../behavior/policy/approvals.ts";
import type { InflightCall } from "../../behavior/session/inflight.ts";
import { type KeptResult, openStepSlice, type PendingProof } from "../../behavior/session/open-step.ts";
import type { Slices } from "../../behavior/session/slices.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import { prove } from "./close-step.ts";
import { settleCall } from "./settle-call.ts";

export type ResultEnvironment = {
  readonly agent: CompiledAgent;
  readonly viewOf: (slices: Slices) => SessionView;
  readonly now: number;
};

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
  const settled = settleCall(
    answerByDeed(slices, entry, outcome, env.now),
    env.agent.agent.name,
    { call, argsHash, outcome, ...(exitCode === undefined ? {} : { exitCode }) },
    env.now,
  );
  const proven = outcome === "ok" ? establish(settled, entry, result, facts, env) : { slices: settled, faults: [] };
  const files: Record<string, boolean> = Object.create(null);
  for (const [path, fact] of Object.entries(facts.paths)) files[path] = fact.exists;
  const said = collectFeedback({
    configs: env.agent.agent.feedback,
    state: proven.slices.get(feedbackSlice),
    session: env.viewOf(proven.slices),
    agent: env.agent.agent.name,
    files,
  });
  return {
    slices: proven.slices.with(feedbackSlice, said.state),
    feedback: said.feedback,
    ...(said.text === undefined ? {} : { text: said.text }),
    faults: [...proven.faults, ...said.faults],
  };
}

/** Now, when the call's step is over or unknown; else when it closes. */
function establish(
  slices: Slices,
  { call, facts: factsAtCall }: InflightCall,
  result: ToolResult,
  facts: Facts,
  env: ResultEnvironment,
): { readonly slices: Slices; readonly faults: readonly Fault[] } {
  const proof: PendingProof = { call, result: keptResult(result), factsAtCall, facts, at: env.now };
  const open = slices.get(openStepSlice);
  if (call.step === undefined || call.step !== open.step) return prove(slices, proof, env.agent, env.viewOf(slices));
  return { slices: slices.with(openStepSlice, { step: open.step, proofs: [...open.proofs, proof] }), faults: [] };
}

/** Where the runtime itself asked the person, what became of the call is the answer. */
function answerByDeed(slices: Slices, { approval }: InflightCall, outcome: Outcome, now: number): Slices {
  if (approval === undefined || outcome === "cancelled") return slices;
  const approvals = slices.get(approvalsSlice);
  if (outcome === "denied") {
    const refused = answerApproval(approvals, approval, "no", "runtime", now);
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
