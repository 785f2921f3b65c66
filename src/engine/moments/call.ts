import { hashJson } from "../../base/kernel/canonical-json.ts";
import { errorText } from "../../base/kernel/error-text.ts";
import type { CallInput, ToolCall } from "../../base/words/call.ts";
import type { Decision, Denial } from "../../base/words/decision.ts";
import type { CallBounds, CallMade } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import { countShadows, shadowsSlice } from "../../behavior/policy/shadow-counts.ts";
import { inflightSlice } from "../../behavior/session/inflight.ts";
import { verboseText } from "../../behavior/session/modes/verbose.ts";
import { openStepSlice } from "../../behavior/session/open-step.ts";
import { turnSlice } from "../../behavior/session/turn.ts";
import {
  addDebug,
  agentName,
  emit,
  isEnded,
  observingOf,
  reportFault,
  type SessionContext,
  viewOf,
} from "../session/session-context.ts";
import { overLimit, reserveAmount, spendAmount } from "../session/spending.ts";
import { endStep, notifySettled } from "../session/steps.ts";
import { updateInstructions } from "../tools/update-instructions.ts";
import { readContractForCall } from "./contract-of-turn.ts";
import { GATHER_MS, gatherForCall } from "./gather.ts";
import { judgeCall } from "./judge-call.ts";
import { isElsewhere, normaliseCall } from "./normalise-call.ts";
import { type CallEnvironment, decideCall } from "./on-call.ts";
import { STOP_BOUND } from "./on-stop.ts";
import { settleCall } from "./settle-call.ts";
import { previewInstructions } from "./user-tools.ts";

/** The folder a call runs in, the hash a person's yes is bound to, and what the runtime said about the call. */
export type Asked = { readonly cwd: string | null; readonly argsHash: string; readonly made: CallMade };

/** The moment `call`: may it do this? Never rejects: any failure becomes a denial. */
export async function onCall(context: SessionContext, input: CallInput): Promise<Decision> {
  if (context.ports.contracts !== undefined && context.contract === undefined) await readContractForCall(context);
  const decision = await decideInput(context, input);
  if (decision.kind !== "ask" || input.tool !== updateInstructions.name) return decision;
  // The person who is asked sees how the standing instructions would change.
  const shown = await previewInstructions(context, decision.input ?? input.args);
  return shown === undefined ? decision : { ...decision, question: `${decision.question}\n${shown}` };
}

async function decideInput(context: SessionContext, input: CallInput): Promise<Decision> {
  try {
    const root = context.ports.filesystem?.root;
    const call = normaliseCall(input, context.compiled, root);
    if ("fault" in call) return refuse(context, call.fault);
    // The folder belongs to what a person agrees to: the same words in another folder are another call.
    const cwd = input.cwd ?? null;
    const made = madeOf(input, root);
    const asked: Asked = { cwd, argsHash: context.world.hashCall(call.args, cwd), made };
    const facts = await gather(context, call);
    const rewritten = rewriteCall(context, call, input, facts, asked);
    if (rewritten === undefined) return commitCall(context, call, asked, facts);
    if ("fault" in rewritten) return refuse(context, rewritten.fault);
    const before = { ...asked, made: { ...made, args: call.args, facts } };
    const decision = commitCall(context, rewritten, before, await gather(context, rewritten));
    // The runtime has to make the call that was decided on, not the one that it was about to make.
    return decision.kind === "deny" ? decision : { ...decision, input: rewritten.args };
  } catch (error) {
    return refuse(context, errorText(error));
  }
}

function gather({ compiled, ports }: SessionContext, call: ToolCall): Promise<Facts> {
  const limit = compiled.agent.limits.gatherMs ?? GATHER_MS;
  return gatherForCall(call, compiled.policiesFor(call), ports.filesystem, limit);
}

/** The call as policies rewrite it, read anew: other arguments may name other files and be other actions. */
export function rewriteCall(
  context: SessionContext,
  call: ToolCall,
  made: CallInput,
  facts: Facts,
  asked: Asked,
): ToolCall | { readonly fault: string } | undefined {
  if (observingOf(context) !== undefined) return undefined;
  if (!context.compiled.policiesFor(call).some((policy) => policy.rewrites === true)) return undefined;
  const { judgement } = judgeCall(context.slices, call, facts, environmentOf(context, asked));
  const { input } = judgement;
  if (input === undefined || hashJson(input) === hashJson(call.args)) return undefined;
  // The adapter's paths and actions describe the arguments it was given.
  const { paths: _paths, actions: _actions, proves: _proves, unclear: _unclear, ...rest } = made;
  return normaliseCall({ ...rest, args: input }, context.compiled, context.ports.filesystem?.root);
}

function environmentOf(context: SessionContext, { argsHash, cwd }: Asked): CallEnvironment {
  return {
    agent: context.compiled,
    view: viewOf(context),
    argsHash,
    hashOf: (args) => context.world.hashCall(args, cwd),
    ended: isEnded(context),
    exhausted: overLimit(context, { calls: 1 }),
    observing: observingOf(context),
    stopwatch: context.ports.clock,
    newId: (prefix) => context.ports.ids.next(prefix),
  };
}

/** Decides and commits in one synchronous step; the same for a live and for a recorded call. */
export function commitCall(context: SessionContext, call: ToolCall, asked: Asked, facts: Facts): Decision {
  return context.clock.atOnce(() => decideAndCommit(context, call, asked, facts));
}

function decideAndCommit(context: SessionContext, call: ToolCall, asked: Asked, facts: Facts): Decision {
  const { argsHash, cwd, made } = asked;
  const underWay = context.slices.get(inflightSlice).get(call.id);
  if (underWay !== undefined && underWay.approval === undefined) {
    // The runtime asks twice about one call: the first answer is repeated, and nothing is reserved twice.
    const same = underWay.argsHash === argsHash && underWay.call.tool === call.tool;
    const { args } = underWay.call;
    const rewritten = context.world.hashCall(args, cwd) === argsHash ? {} : { input: args };
    if (same) return { kind: "allow", id: underWay.decision, advice: [], ...rewritten };
    return refuse(context, `call id '${call.id}' is already under way with other arguments`);
  }
  const open = context.slices.get(openStepSlice);
  if (call.step !== undefined && open.closed.includes(call.step)) {
    return refuse(context, `step '${call.step}' is over`);
  }
  const step = call.step ?? null;
  if (step === null || step !== open.step) endStep(context, step);
  if (underWay !== undefined) {
    // A person was asked about it and it is decided on again: free what it reserved the first time.
    notifySettled(context, underWay, "cancelled");
    spendAmount(context, call.id, {});
  }
  const environment = environmentOf(context, asked);
  const decided = decideCall(context.slices, call, facts, environment);
  if (decided.call !== call && hashJson(decided.call.args) !== hashJson(call.args)) {
    return refuse(context, "policies rewrite its arguments again and again");
  }
  const { decision, shadows } = decided;
  context.slices = decided.slices;
  for (const fault of decided.faults) reportFault(context, fault);
  if (decision.kind === "deny") {
    const denied = { call, argsHash, outcome: "denied" } as const;
    context.slices = settleCall(context.slices, agentName(context), denied, context.clock.now());
  } else reserveAmount(context, call.id, { calls: 1 });
  Object.freeze(decision);
  const shadowed = shadows.length === 0 ? {} : { shadows };
  context.slices = context.slices.with(shadowsSlice, countShadows(context.slices.get(shadowsSlice), shadows));
  const more = { ...shadowed, ...(isEmpty(made) ? {} : { made }), ...boundsOf(environment) };
  emit(context, { type: "call", call: decided.call, decision, ...more }, { facts, step: call.step });
  if (decision.kind === "deny") showDenial(context, call.tool, decision);
  if (decision.kind === "deny" && decision.endTurn) reportTurnEnded(context, decision);
  return decision;
}

function showDenial(context: SessionContext, tool: string, { rule, reason }: Denial): void {
  if (!viewOf(context).modes.verbose) return;
  addDebug(context, verboseText({ tool, tokens: 0, outcome: "denied", decision: `deny, ${rule}`, text: reason }));
}

/** Reports to the operator that the agent kept trying what it was denied. */
function reportTurnEnded(context: SessionContext, { rule, reason }: Denial): void {
  const { refusals } = context.slices.get(turnSlice);
  const bound = context.compiled.agent.limits.stops ?? STOP_BOUND;
  emit(context, { type: "stop", status: "ended-by-policy", refusals, bound, why: `${rule}: ${reason}` });
}

function refuse(context: SessionContext, why: string): Decision {
  const decision: Decision = Object.freeze({
    kind: "deny",
    id: newDecisionId(context),
    rule: "call",
    code: "bad-call",
    reason: `This call cannot be decided on: ${why}.`,
    missing: [],
    next: "Repeat it with a proper id, tool name and arguments.",
    others: [],
    attemptsLeft: 0,
    endTurn: false,
  });
  try {
    reportFault(context, { where: "call", code: "bad-call", message: why, decision: decision.id });
  } catch {
    // Nothing that fails here may let the call through.
  }
  return decision;
}

function newDecisionId({ ports }: SessionContext): string {
  try {
    return ports.ids.next("d");
  } catch {
    return "d_unnamed";
  }
}

/** What cannot be read from the call itself. */
function madeOf({ cwd, paths, actions, proves }: CallInput, root: string | undefined): CallMade {
  return {
    ...(cwd === undefined ? {} : { cwd, ...(isElsewhere(cwd, root ?? cwd) ? { elsewhere: true } : {}) }),
    ...(paths === undefined ? {} : { paths: true }),
    ...(actions === undefined || actions.length === 0 ? {} : { actions }),
    ...(proves === undefined || proves.length === 0 ? {} : { proves }),
  };
}

function isEmpty(made: CallMade): boolean {
  for (const _ in made) return false;
  return true;
}

function boundsOf({ ended, exhausted }: CallEnvironment): { readonly bounds?: CallBounds } {
  if (!ended && exhausted === undefined) return {};
  return { bounds: { ...(ended ? { ended } : {}), ...(exhausted === undefined ? {} : { exhausted }) } };
}
