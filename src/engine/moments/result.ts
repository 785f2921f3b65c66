import { errorText } from "../../base/kernel/error-text.ts";
import { appended } from "../../base/kernel/persistent-map.ts";
import type { Outcome } from "../../base/words/call.ts";
import type { Fault } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Feedback } from "../../base/words/feedback.ts";
import type { Settled } from "../../base/words/policy.ts";
import type { ToolResult, Truncation } from "../../base/words/result.ts";
import { saysNoTestsRan } from "../../behavior/commands/no-tests-ran.ts";
import { collectFeedback } from "../../behavior/feedback/collect-feedback.ts";
import { feedbackSlice, watchedFiles } from "../../behavior/feedback/feedback-state.ts";
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
import { modesSlice } from "../../behavior/session/modes/modes.ts";
import { verboseText } from "../../behavior/session/modes/verbose.ts";
import type { Slices } from "../../behavior/session/snapshot/snapshot.ts";
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
import { endCall, prove, settleCall, settlePolicies } from "../session/steps.ts";
import { readMemory } from "../tools/read-memory.ts";
import { countPassed } from "./exec.ts";
import { GATHER_MS, gatherAfter, needsWorkspace } from "./gather.ts";
import type { PolicyUpdate } from "./notify-policies.ts";
import { passShortResult, type Shortened, shortenResult } from "./shorten-result.ts";

/** The result for the agent. `changed`: the adapter must replace the runtime's own result. */
export type Delivered = { readonly result: ToolResult; readonly changed: boolean; readonly feedback?: string };

type CallName = { readonly id: string; readonly tool: string };

export type ResultOptions = {
  /** `false` if the runtime always shows its own result: then nothing is truncated or recorded as truncated. */
  readonly replaceable?: boolean | undefined;
  /** Characters of one result that the runtime passes on to the model; it would cut the rest itself. */
  readonly most?: number | undefined;
};

/** What the runtime takes of a result. */
type Taken = { readonly replaceable: boolean; readonly most: number | undefined };

/** The `result` moment: returns the result for the agent. Never rejects and never passes on an oversized result. */
export function onResult(
  context: SessionContext,
  call: CallName,
  result: ToolResult,
  { replaceable = true, most }: ResultOptions = {},
): Promise<Delivered> {
  const examined = examine(context, call, result, { replaceable, most });
  return call.tool === readMemory.name ? examined.then((delivered) => forgetSeen(context, delivered)) : examined;
}

/** The model saw an unknown part of a truncated memory. */
function forgetSeen(context: SessionContext, delivered: Delivered): Delivered {
  if (delivered.changed) context.slices = context.slices.with(seenSlice, seenSlice.initial);
  return delivered;
}

async function examine(
  context: SessionContext,
  call: CallName,
  result: ToolResult,
  { replaceable, most }: Taken,
): Promise<Delivered> {
  const entry = claim(context, call.id);
  const watched = observingOf(context) !== undefined;
  try {
    const begun = beginResult(context, call, entry, readResult(result), { replaceable: replaceable && !watched, most });
    const shown = begun instanceof Promise ? await begun : begun;
    const { facts } = shown;
    const delivered = finishResult(context, call, entry, shown, facts instanceof Promise ? await facts : facts);
    const done = delivered instanceof Promise ? await delivered : delivered;
    return watched ? { result, changed: false } : done;
  } catch (error) {
    if (entry !== undefined) abandon(context, entry);
    if (watched) return { result, changed: false };
    reportFault(context, { where: `result of ${call.tool}`, code: "result-unreadable", message: errorText(error) });
    const text = `Conduct withheld this result, because it could not be checked: ${errorText(error)}.`;
    return { result: { outcome: "unknown", parts: [{ kind: "text", text }] }, changed: true };
  }
}

type Directives = ReturnType<typeof takeDirectives>;

/** A result as the agent will see it, and what is being looked up for the decision about it. */
type Shown = {
  readonly taken: Directives;
  readonly shortened: Shortened;
  readonly changed: boolean;
  readonly facts: Facts | Promise<Facts>;
};

/** Shortens the result. Waits for nothing if it is short. */
function beginResult(
  context: SessionContext,
  call: CallName,
  entry: InflightCall | undefined,
  given: ToolResult,
  { replaceable, most }: Taken,
): Shown | Promise<Shown> {
  const taken = takeDirectives(given);
  const { tool, step } = entry?.call ?? { tool: call.tool, step: undefined };
  const how = { replaceable, tool, most, parallel: siblings(context, step) };
  const short = passShortResult(context, taken.result, how);
  if (short !== undefined) return lookAfter(context, entry, taken, short, replaceable);
  return shortenResult(context, taken.result, how).then((cut) => lookAfter(context, entry, taken, cut, replaceable));
}

function lookAfter(
  context: SessionContext,
  entry: InflightCall | undefined,
  taken: Directives,
  shortened: Shortened,
  replaceable: boolean,
): Shown {
  for (const fault of shortened.faults) reportFault(context, fault);
  const { outcome } = taken.result;
  const paths = entry === undefined ? [] : pathsAfter(context.slices, entry, outcome, context.agentOf(entry.agent));
  const proving = entry !== undefined && outcome === "ok" && provesAboutFiles(context, entry);
  const limit = context.compiled.agent.limits.gatherMs ?? GATHER_MS;
  const facts = gatherAfter({ paths, proving }, context.ports.filesystem, limit);
  return { taken, shortened, changed: shortened.changed || (taken.changed && replaceable), facts };
}

function finishResult(
  context: SessionContext,
  call: CallName,
  entry: InflightCall | undefined,
  { taken, shortened, changed }: Shown,
  facts: Facts,
): Delivered | Promise<Delivered> {
  const { result } = shortened;
  // The turn may have ended or the session been reset since the call.
  if (entry === undefined || context.slices.get(inflightSlice).get(call.id) !== entry) {
    const message = `no call '${call.id}' of '${call.tool}' is running, so this result proves nothing`;
    reportFault(context, { where: "result", code: "result-without-call", message });
    return { result, changed };
  }
  for (const who in facts.faults) {
    const { code = "", message = "" } = facts.faults[who] ?? {};
    reportFault(context, { where: `result ${who}`, code, message });
  }
  const { requirement, faults } = judgeDirectives(taken, entry.call, context.agentOf(entry.agent).agent.trustedTools);
  const noTests = provesTests(entry) && saysNoTestsRan(shownText(taken.result.parts)) ? true : undefined;
  const settled: Settled = { resultHash: hashResult(taken.result), requirement, noTests };
  const more = { truncations: shortened.truncations, faults };
  const { text } = commitResult(context, entry, result, facts, settled, more);
  if (taken.result.outcome === "unknown" && !noTests) countPassed(context, entry);
  const delivered = { result, changed, feedback: text };
  if (context.slices.get(modesSlice).verbose !== true) return delivered;
  return showResult(context, entry, result).then(() => delivered);
}

/** Decides and commits in one synchronous step, for live and recorded results alike. */
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
    const { requirement, resultHash, noTests } = settled;
    const ended = { resultHash, requirement, noTests, exitCode };
    const decided = decideResult(context, noTests ? withoutTests(entry) : entry, result, facts, ended);
    context.slices = decided.slices;
    spendAmount(context, id, outcome === "denied" || outcome === "cancelled" ? {} : { calls: 1 });
    for (const fault of faults) reportFault(context, fault);
    for (const fault of decided.faults) reportFault(context, fault);
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
        noTests,
      },
      { facts, step },
    );
    if (requirement !== undefined) emit(context, { type: "requirement", call: id, tool, ...requirement }, { step });
    return decided;
  });
}

const TESTS = "tests.run";

function provesTests({ call }: InflightCall): boolean {
  return call.effects?.some(({ name, proven }) => proven && name === TESTS) === true;
}

/** The call as one whose end does not show that tests passed. */
function withoutTests(entry: InflightCall): InflightCall {
  const effects = entry.call.effects?.map((one) => (one.name === TESTS ? { ...one, proven: false } : one));
  return { ...entry, call: { ...entry.call, effects } };
}

/** Shows the person the same result as the agent, so that truncated text does not reappear. */
async function showResult(
  context: SessionContext,
  { call, because, approval }: InflightCall,
  { outcome, parts }: ToolResult,
): Promise<void> {
  const text = shownText(parts);
  const asked = approval === undefined ? "allow" : outcome === "denied" ? "ask, denied" : "ask, approved";
  const decision = because === undefined ? asked : `allow, ${because}`;
  const tokens = (await context.ports.counter(context.model)).count(text);
  addDebug(context, verboseText({ tool: call.tool, tokens, outcome, decision, text }));
}

/** Finds and marks the call of this result, so that a second result for it is ignored. */
function claim(context: SessionContext, id: string): InflightCall | undefined {
  const inflight = context.slices.get(inflightSlice);
  const entry = inflight.get(id);
  if (entry === undefined || entry.settling === true) return undefined;
  const claimed: InflightCall = { ...entry, settling: true };
  context.slices = context.slices.with(inflightSlice, inflight.set(id, claimed));
  return claimed;
}

/** Ends a call whose result could not be examined. The call proves nothing. */
function abandon(context: SessionContext, entry: InflightCall): void {
  const { id, tool, step } = entry.call;
  if (context.slices.get(inflightSlice).get(id) === undefined) return;
  context.clock.atOnce(() => {
    endCall(context, entry, "unknown");
    spendAmount(context, id, { calls: 1 });
    emit(context, { type: "result", call: id, tool, outcome: "unknown", truncation: [], feedback: [] }, { step });
  });
}

/** How many calls of one model response share the turn's remaining result budget. */
function siblings({ slices }: SessionContext, step: string | undefined): number {
  if (step === undefined) return 1;
  const isWaiting = ({ call, settling }: InflightCall) => call.step === step && settling !== true;
  // This call and those still waiting for a result.
  return 1 + slices.get(inflightSlice).count(isWaiting);
}

const OUTCOMES: ReadonlySet<string> = new Set<Outcome>(["ok", "failed", "denied", "cancelled", "unknown"]);

/** Validates an adapter's result. An unrecognised outcome becomes `unknown`. */
function readResult(result: ToolResult): ToolResult {
  if (!Array.isArray(result.parts)) throw new TypeError("the result has no parts");
  return OUTCOMES.has(result.outcome) ? result : { ...result, outcome: "unknown" };
}

type ResultDecided = {
  readonly slices: Slices;
  readonly feedback: readonly Feedback[];
  readonly text?: string;
  readonly faults: readonly Fault[];
};

/** Files to check before deciding: those the call may have written, and those providers watch. */
function pathsAfter(slices: Slices, entry: InflightCall, outcome: Outcome, agent: CompiledAgent): readonly string[] {
  const watched = watchedFiles(agent.agent.feedback, slices.get(feedbackSlice));
  const { paths } = entry.call;
  if (outcome !== "ok" || !paths.some(({ access }) => access === "write")) return watched;
  const all: string[] = [];
  for (const { path, access } of paths) if (access === "write" && !all.includes(path)) all.push(path);
  for (const path of watched) if (!all.includes(path)) all.push(path);
  return all;
}

/** Taken after the call has ended, so that what a test run writes itself does not outdate its own proof. */
function provesAboutFiles(context: SessionContext, { call, agent }: InflightCall): boolean {
  return needsWorkspace(context.agentOf(agent).policiesFor(call), call, "result");
}

/** Decides what the call proves and which feedback it gets. `result` is already truncated. */
function decideResult(
  context: SessionContext,
  entry: InflightCall,
  result: ToolResult,
  facts: Facts,
  settled: Settled,
): ResultDecided {
  const { call, argsHash } = entry;
  const { outcome, exitCode } = result;
  const now = context.clock.now();
  const answered = answerByDeed(context.slices, entry, outcome, now);
  const ended = settleCall(answered, entry.agent, { call, argsHash, outcome, exitCode }, now);
  const updated = settlePolicies(context, ended, entry, outcome, settled);
  const proven =
    outcome === "ok"
      ? establish(context, updated.slices, entry, result, facts)
      : { slices: updated.slices, faults: NO_FAULTS };
  const files: Record<string, boolean> = Object.create(null);
  for (const path in facts.paths) files[path] = facts.paths[path]?.exists === true;
  const advice = collectFeedback({
    configs: context.agentOf(entry.agent).agent.feedback,
    state: proven.slices.get(feedbackSlice),
    session: viewOf(context, proven.slices),
    agent: entry.agent,
    files,
  });
  return {
    slices: proven.slices.with(feedbackSlice, advice.state),
    feedback: advice.feedback,
    text: advice.text,
    faults: together(updated.faults, proven.faults, advice.faults),
  };
}

function together(...lists: readonly (readonly Fault[])[]): readonly Fault[] {
  return lists.every((list) => list.length === 0) ? NO_FAULTS : lists.flat();
}

const NO_FAULTS: readonly Fault[] = [];

/**
 * Applies immediately if no step is open, else when the open step closes: the model chose the calls of that step
 * before it saw this result.
 */
function establish(
  context: SessionContext,
  slices: Slices,
  { call, agent, facts: factsAtCall }: InflightCall,
  result: ToolResult,
  facts: Facts,
): PolicyUpdate {
  const at = context.clock.now();
  const proof: PendingProof = { agent, call, result: keptResult(result), factsAtCall, facts, at };
  const open = slices.get(openStepSlice);
  if (open.step === null) return prove(context, slices, proof);
  if (open.proofs.length >= MAX_PROOFS) {
    const message = `step '${open.step}' never closes; the result of '${call.tool}' proves nothing`;
    return { slices, faults: [{ where: "result", code: "state-full", message }] };
  }
  return { slices: slices.with(openStepSlice, { ...open, proofs: appended(open.proofs, proof) }), faults: NO_FAULTS };
}

/** If the runtime itself asked the person, the call's outcome is the answer. */
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

/** Images and raw bytes are dropped: policies cannot read them and they would bloat every snapshot. */
function keptResult({ exitCode, parts }: ToolResult): KeptResult {
  return {
    outcome: "ok",
    exitCode,
    parts: parts.filter((part) => part.kind === "text" || part.kind === "json"),
  };
}
