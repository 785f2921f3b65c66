import { hashJson } from "../../base/kernel/canonical-json.ts";
import { errorText } from "../../base/kernel/error-text.ts";
import type { CallInput, ToolCall } from "../../base/words/call.ts";
import type { Decision, Denial } from "../../base/words/decision.ts";
import type { CallBounds, CallMade } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import { countShadows, shadowsSlice } from "../../behavior/policy/policy-state.ts";
import { newDenial } from "../../behavior/policy/render-denial.ts";
import { inflightSlice, openStepSlice } from "../../behavior/session/calls.ts";
import { verboseText } from "../../behavior/session/modes/verbose.ts";
import { turnSlice } from "../../behavior/session/session-identity.ts";
import {
  addDebug,
  agentName,
  emit,
  isEnded,
  observingOf,
  overLimit,
  reportFault,
  reserveAmount,
  type SessionContext,
  setCustom,
  spendAmount,
  viewOf,
} from "../session/session-context.ts";
import { endStep, notifySettled, settleCall } from "../session/steps.ts";
import { updateInstructions } from "../tools/update-instructions.ts";
import { takeContract } from "./contract-of-turn.ts";
import { type CallEnvironment, decideCall, judgeCall, LOSS, willAsk } from "./decide-call.ts";
import { GATHER_MS, type GatherFault, gatherForCall, withinLimit } from "./gather.ts";
import { isElsewhere, normaliseCall } from "./normalise-call.ts";
import { STOP_BOUND } from "./stop.ts";
import { hasDayLimits, takeCallOfDay } from "./user/day-limits.ts";
import { previewInstructions } from "./user-tools.ts";

/** The call's folder, the hash that an approval is tied to, and what the runtime reported about the call. */
export type CallDetails = {
  readonly cwd: string | null;
  readonly argsHash: string;
  readonly made: CallMade;
  /** What the call would destroy, for the person who is asked. */
  readonly loss?: string;
};

/** The `call` moment: decides whether a tool call may run. Never rejects: any failure becomes a denial. */
export function onCall(context: SessionContext, input: CallInput): Promise<Decision> {
  const { contracts } = context.ports;
  if (contracts === undefined || context.contract !== undefined) return decideToday(context, input);
  // A call without an earlier prompt: the contract's rules apply to it too.
  return takeContract(context, contracts).then(() => decideToday(context, input));
}

/** Takes the call from the limits of the day, if there are any, while it is decided on. */
function decideToday(context: SessionContext, input: CallInput): Promise<Decision> {
  if (!hasDayLimits(context)) return decideInput(context, input);
  return takeCallOfDay(context).then((day) => decideInput(context, input, day.fault).finally(day.release));
}

/** Adds a preview of the changed instructions to the question about them. */
function withPreview(
  context: SessionContext,
  { tool, args }: ToolCall,
  decision: Decision,
): Decision | Promise<Decision> {
  if (decision.kind !== "ask" || tool !== updateInstructions.name) return decision;
  return previewInstructions(context, decision.input ?? args).then((shown) =>
    shown === undefined ? decision : { ...decision, question: `${decision.question}\n${shown}` },
  );
}

async function decideInput(context: SessionContext, input: CallInput, dayFault?: GatherFault): Promise<Decision> {
  try {
    const root = context.ports.filesystem?.root;
    const call = normaliseCall(input, context.compiled, root);
    if ("fault" in call) return refuse(context, call.fault);
    // An approval covers the folder: the same arguments in another folder are a different call.
    const cwd = input.cwd ?? null;
    const made = madeOf(input, root);
    const known: CallDetails = { cwd, argsHash: context.world.hashCall(call.args, cwd), made };
    const gathered = gather(context, call, dayFault);
    const facts = gathered instanceof Promise ? await gathered : gathered;
    const details = isLossy(context, call) ? await withLoss(context, call, known, facts) : known;
    // No waiting between here and the commit: another call of the same step could change what the rules rewrite.
    const rewritten = rewriteCall(context, call, input, facts, details);
    if (rewritten === undefined) return withPreview(context, call, commitCall(context, call, details, facts));
    if ("fault" in rewritten) return refuse(context, rewritten.fault);
    const before = { ...known, made: { ...made, args: call.args, facts } };
    const found = await gather(context, rewritten, dayFault);
    const decision = commitCall(context, rewritten, await withLoss(context, rewritten, before, found), found);
    // The runtime must run the rewritten call that was decided on, not its original one.
    return decision.kind === "deny"
      ? decision
      : withPreview(context, rewritten, { ...decision, input: rewritten.args });
  } catch (error) {
    return refuse(context, errorText(error));
  }
}

function gather({ compiled, ports }: SessionContext, call: ToolCall, dayFault?: GatherFault): Facts | Promise<Facts> {
  const limit = compiled.agent.limits.gatherMs ?? GATHER_MS;
  const gathered = gatherForCall(call, compiled.policiesFor(call), ports.filesystem, limit);
  if (dayFault === undefined) return gathered;
  const withFault = (facts: Facts) => ({ ...facts, faults: { ...facts.faults, "limits.day": dayFault } });
  return gathered instanceof Promise ? gathered.then(withFault) : withFault(gathered);
}

const LOSS_MS = 2_000;

function isLossy({ ports }: SessionContext, { effects }: ToolCall): boolean {
  return ports.filesystem?.loss !== undefined && effects?.some(({ name }) => LOSS.test(name)) === true;
}

/** Adds what the call would destroy, only if a person will be asked. Without an answer in time, the question is shorter. */
async function withLoss(
  context: SessionContext,
  call: ToolCall,
  details: CallDetails,
  facts: Facts,
): Promise<CallDetails> {
  const { filesystem } = context.ports;
  if (filesystem === undefined || !isLossy(context, call)) return details;
  if (!willAsk(context.slices, call, facts, environmentOf(context, details))) return details;
  const looked = await withinLimit(LOSS_MS, async (signal) => filesystem.loss?.(call, signal));
  const loss = "value" in looked ? looked.value : undefined;
  return loss === undefined ? details : { ...details, loss: loss.text, made: { ...details.made, loss: loss.mark } };
}

/** Normalises the call again after policies rewrote it: new arguments may name other files and actions. */
export function rewriteCall(
  context: SessionContext,
  call: ToolCall,
  made: CallInput,
  facts: Facts,
  details: CallDetails,
): ToolCall | { readonly fault: string } | undefined {
  if (observingOf(context) !== undefined) return undefined;
  if (!context.compiled.policiesFor(call).some((policy) => policy.rewrites === true)) return undefined;
  const { judgement } = judgeCall(context.slices, call, facts, environmentOf(context, details));
  const { input } = judgement;
  if (input === undefined || hashJson(input) === hashJson(call.args)) return undefined;
  // The adapter's paths and actions describe the original arguments.
  const { paths: _paths, actions: _actions, proves: _proves, unclear: _unclear, ...rest } = made;
  return normaliseCall({ ...rest, args: input }, context.compiled, context.ports.filesystem?.root);
}

export function environmentOf(context: SessionContext, { argsHash, cwd, loss, made }: CallDetails): CallEnvironment {
  return {
    agent: context.compiled,
    view: viewOf(context),
    argsHash,
    hashOf: (args) => context.world.hashCall(args, cwd),
    ended: isEnded(context),
    exhausted: overLimit(context, { calls: 1 }),
    observing: observingOf(context),
    stopwatch: context.ports.clock,
    root: context.ports.filesystem?.root,
    loss,
    lossMark: made.loss,
    newId: (prefix) => context.ports.ids.next(prefix),
  };
}

/** Decides and commits in one synchronous step, for live and recorded calls alike. */
export function commitCall(context: SessionContext, call: ToolCall, details: CallDetails, facts: Facts): Decision {
  return context.clock.atOnce(() => decideAndCommit(context, call, details, facts));
}

function decideAndCommit(context: SessionContext, call: ToolCall, details: CallDetails, facts: Facts): Decision {
  const { argsHash, cwd, made } = details;
  const underWay = context.slices.get(inflightSlice).get(call.id);
  if (underWay !== undefined && underWay.approval === undefined) {
    // The runtime asked twice about one call: repeat the first decision and reserve nothing twice.
    const same = underWay.argsHash === argsHash && underWay.call.tool === call.tool;
    const { args } = underWay.call;
    const input = context.world.hashCall(args, cwd) === argsHash ? undefined : args;
    if (same) return { kind: "allow", id: underWay.decision, advice: [], input };
    return refuse(context, `call id '${call.id}' is already running with other arguments`);
  }
  const open = context.slices.get(openStepSlice);
  if (call.step !== undefined && open.closed.includes(call.step)) {
    return refuse(context, `step '${call.step}' is over`);
  }
  const step = call.step ?? null;
  if (step === null || step !== open.step) endStep(context, step);
  if (underWay !== undefined) {
    // The call is decided again after an approval: release its first reservation.
    notifySettled(context, underWay, "cancelled");
    spendAmount(context, call.id, {});
  }
  const environment = environmentOf(context, details);
  const decided = decideCall(context.slices, call, facts, environment);
  if (decided.call !== call && hashJson(decided.call.args) !== hashJson(call.args)) {
    return refuse(context, "policies keep rewriting its arguments");
  }
  const { decision, shadows } = decided;
  // Replay reads the effects from the command again.
  const recorded = decided.call.effects === undefined ? decided.call : { ...decided.call, effects: undefined };
  context.slices = decided.slices;
  for (const fault of decided.faults) reportFault(context, fault);
  if (decision.kind === "deny") {
    const denied = { call, argsHash, outcome: "denied" } as const;
    context.slices = settleCall(context.slices, agentName(context), denied, context.clock.now());
  } else reserveAmount(context, call.id, { calls: 1 });
  Object.freeze(decision);
  context.slices = context.slices.with(shadowsSlice, countShadows(context.slices.get(shadowsSlice), shadows));
  emit(
    context,
    {
      type: "call",
      call: recorded,
      decision,
      shadows: shadows.length === 0 ? undefined : shadows,
      made: isEmpty(made) ? undefined : made,
      bounds: boundsOf(environment),
    },
    { facts, step: call.step },
  );
  tagSession(context, decision, shadows);
  if (decision.kind === "deny") showDenial(context, call.tool, decision);
  if (decision.kind === "deny" && decision.endTurn) reportTurnEnded(context, decision);
  return decision;
}

/** Adds the custom tags of the rules that objected, whatever came of it. */
function tagSession(context: SessionContext, decision: Decision, shadows: readonly { readonly rule: string }[]): void {
  const { tags } = context.compiled;
  if (tags.size === 0) return;
  const others = decision.kind === "deny" ? decision.others : decision.kind === "allow" ? decision.advice : [];
  const own = decision.kind === "allow" ? [] : decision.rule.split(" + ");
  const rules = [...own, ...[...(others ?? []), ...shadows].map(({ rule }) => rule)];
  const { custom } = viewOf(context);
  const added = rules.flatMap((rule) => tags.get(rule) ?? []).filter((tag) => !custom.includes(tag));
  if (added.length > 0) setCustom(context, [...custom, ...added]);
}

function showDenial(context: SessionContext, tool: string, { rule, reason }: Denial): void {
  if (!viewOf(context).modes.verbose) return;
  addDebug(context, verboseText({ tool, tokens: 0, outcome: "denied", decision: `deny, ${rule}`, text: reason }));
}

function reportTurnEnded(context: SessionContext, { rule, reason }: Denial): void {
  const { refusals } = context.slices.get(turnSlice);
  const bound = context.compiled.agent.limits.stops ?? STOP_BOUND;
  emit(context, { type: "stop", status: "ended-by-policy", refusals, bound, why: `${rule}: ${reason}` });
}

function refuse(context: SessionContext, why: string): Decision {
  const reason = `This call is invalid: ${why}.`;
  const next = "Make the call again, with a valid id, tool name and arguments.";
  const id = newDecisionId(context);
  const decision = Object.freeze(newDenial({ id, rule: "call", code: "bad-call", reason, next }));
  try {
    reportFault(context, { where: "call", code: "bad-call", message: why, decision: decision.id });
  } catch {
    // A failure here must never let the call through.
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

/** Facts that cannot be read from the call's arguments. */
function madeOf({ cwd, paths, actions, proves }: CallInput, root: string | undefined): CallMade {
  return {
    cwd,
    elsewhere: cwd !== undefined && isElsewhere(cwd, root ?? cwd) ? true : undefined,
    paths: paths === undefined ? undefined : true,
    actions: actions?.length === 0 ? undefined : actions,
    proves: proves?.length === 0 ? undefined : proves,
  };
}

function isEmpty(made: CallMade): boolean {
  for (const name in made) if (made[name as keyof CallMade] !== undefined) return false;
  return true;
}

function boundsOf({ ended, exhausted }: CallEnvironment): CallBounds | undefined {
  return ended || exhausted !== undefined ? { ended: ended || undefined, exhausted } : undefined;
}
