import type { CallEffect, ToolCall } from "../../base/words/call.ts";
import type { Decision, Objection } from "../../base/words/decision.ts";
import type { Facts } from "../../base/words/facts.ts";
import { argvEffects } from "../../behavior/commands/line-effects.ts";
import { matchActions } from "../../behavior/commands/match-actions.ts";
import { isUsualRunnerPlace } from "../../behavior/commands/runner-place.ts";
import { checkPolicies, type Judgement } from "../../behavior/policy/check-policies.ts";
import { policyStatesSlice } from "../../behavior/policy/policy-state.ts";
import { newDenial } from "../../behavior/policy/render-denial.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { type InflightCall, inflightSlice, openStepSlice } from "../../behavior/session/calls.ts";
import { permissionsOf } from "../../behavior/session/modes/modes.ts";
import { agentName, emit, observingOf, reportFault, type SessionContext, viewOf } from "../session/session-context.ts";
import { prove, settlePolicies } from "../session/steps.ts";
import { environmentOf } from "./call.ts";
import { decide, onlyRecorded } from "./decide-call.ts";
import { GATHER_MS, gatherForCall, NO_FACTS } from "./gather.ts";
import { inFolder, isWithin, maybePaths } from "./normalise-call.ts";
import { CHECK_MS, notifyPolicies } from "./notify-policies.ts";

/** A program that was started inside a tool call, as the exec gate saw it after all expansion. */
export type ExecInput = {
  readonly argv: readonly string[];
  /** Its folder, resolved. */
  readonly cwd: string;
  /** The variables that change what it does. */
  readonly variables?: ReadonlyMap<string, string>;
  /** The git aliases that it uses. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** The file that was started, and whether its folder was on the PATH of the person who set the gate up. */
  readonly file?: { readonly path: string; readonly known: boolean };
};

/** A shell command that runs now. */
export type RunningCommand = { readonly command: string; readonly at: number };

/** Programs are judged by the rules about actions and effects; rules about the tool have judged the call itself. */
const EXEC = "exec";
/** Long argument lists are shortened where rules and people read them as text. */
const MAX_TEXT = 4_000;

/**
 * Decides whether a program may start inside a running call. What the rules already decided for the call is not
 * decided again: a rule that objects to both was answered there, and effects that the call has are counted with it.
 */
export async function onExec(context: SessionContext, exec: ExecInput): Promise<Decision> {
  const call = execCall(context, exec);
  const { agent } = context.compiled;
  const limit = agent.limits.gatherMs ?? GATHER_MS;
  const facts = await gatherForCall(call, rulesOf(context), context.ports.filesystem, limit);
  return context.clock.atOnce(() => decideExec(context, call, facts, exec.cwd));
}

/** Takes the true exit code of a program that has ended inside a running call. Without such a call it proves nothing. */
export function onExecEnd(context: SessionContext, exec: ExecInput, exitCode: number): void {
  const call = execCall(context, exec);
  const running = runningCalls(context);
  const isProof = call.proves.length > 0 || call.effects?.some(({ proven }) => proven) === true;
  if (isProof && exitCode === 0 && !isInstalled(context, exec)) {
    context.clock.atOnce(() => unprove(context, running, call));
    return;
  }
  if (!isProof || (exitCode === 0 && running.length === 0)) return;
  const around = exitCode === 0 ? running.filter((one) => provesAll(one, call)) : [];
  context.clock.atOnce(() => {
    if (around.length > 0) return keepPassed(context, around, { call, cwd: exec.cwd });
    if (exitCode !== 0) unprove(context, running, call);
    endProgram(context, call, exec.cwd, exitCode);
  });
}

/** Counts what a program has proven, where the runtime does not say how the call around it ended. */
export function countPassed(context: SessionContext, { passed }: InflightCall): void {
  if (passed !== undefined) context.clock.atOnce(() => endProgram(context, passed.call, passed.cwd, 0));
}

function endProgram(context: SessionContext, call: ToolCall, cwd: string, exitCode: number): void {
  const decision = {
    kind: "allow",
    id: context.ports.ids.next("d"),
    advice: [],
    because: observingOf(context),
  } as const;
  emitCall(context, call, decision, [], cwd);
  settle(context, call, exitCode === 0 ? "ok" : "failed", NO_FACTS, exitCode);
}

/** The end of these calls proves the same, so the program is only remembered. */
function keepPassed(context: SessionContext, around: readonly InflightCall[], passed: InflightCall["passed"]): void {
  let inflight = context.slices.get(inflightSlice);
  for (const entry of around) if (!entry.settling) inflight = inflight.set(entry.call.id, { ...entry, passed });
  context.slices = context.slices.with(inflightSlice, inflight);
}

/** Anything may be in a file that the agent put on PATH under a runner's name. */
function isInstalled({ ports }: SessionContext, { file }: ExecInput): boolean {
  const root = ports.filesystem?.root;
  if (file === undefined) return true;
  if (root === undefined || !isWithin(file.path, root)) return file.known || isUsualRunnerPlace(file.path);
  return isUsualRunnerPlace(`.${file.path.slice(root.replace(/\/+$/, "").length)}`);
}

export function runningCommands(context: SessionContext): readonly RunningCommand[] {
  return runningCalls(context).map(({ call, at }) => ({ command: String(call.args.command ?? ""), at }));
}

function runningCalls({ slices }: SessionContext): readonly InflightCall[] {
  return [...slices.get(inflightSlice)].map(([, entry]) => entry).filter(({ call }) => call.tool === "shell");
}

function execCall(context: SessionContext, { argv, cwd, variables, aliases = new Map() }: ExecInput): ToolCall {
  const root = context.ports.filesystem?.root;
  const [program = "", ...rest] = argv;
  const settings = [...aliases].flatMap(([name, value]) => ["-c", `alias.${name}=${value}`]);
  const isInside = isWithin(cwd, root);
  const effects = argvEffects([program, ...settings, ...rest], variables, context.compiled.programs)
    .filter(({ args }) => args.once !== true || !aliases.has(String(args.key).replace(/^alias\./, "")))
    .map(({ inside = [], ...effect }): CallEffect => {
      const proven = effect.proven && isInside && inside.every((path) => isWithin(path, root));
      return inFolder({ ...effect, proven }, cwd === root ? undefined : cwd, root);
    });
  const command = argv.map(quote).join(" ").slice(0, MAX_TEXT);
  const matched = matchActions("shell", { command }, context.compiled.agent.actions);
  return {
    id: context.ports.ids.next(EXEC),
    tool: EXEC,
    args: { command },
    actions: matched.actions,
    proves: isInside ? matched.proves : [],
    step: context.slices.get(openStepSlice).step ?? undefined,
    paths: effects.flatMap(maybePaths),
    effects,
    native: { runtime: EXEC, name: program, input: null },
  };
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function decideExec(context: SessionContext, call: ToolCall, facts: Facts, cwd: string): Decision {
  const details = { cwd, argsHash: context.world.hashCall(call.args, cwd), made: {} };
  const environment = { ...environmentOf(context, details), ended: false, exhausted: undefined };
  const running = runningCalls(context);
  // Runtimes read the repository for themselves, with settings for that one command. That is no call of the agent.
  const isReading = call.effects?.every(({ args }) => args.once === true) ?? true;
  if (running.length === 0 && isReading && call.actions.length === 0) {
    return { kind: "allow", id: environment.newId("d"), advice: [] };
  }
  const { judgement, memos } = judge(context, call, facts);
  const answered = new Set(running.flatMap((one) => objectionsOf(judge(context, one.call, one.facts).judgement)));
  const isAnswered = objectionsOf(judgement).every((rule) => answered.has(rule));
  const shadows = judgement.shadows.filter(({ rule }) => !answered.has(rule));
  const observing = observingOf(context);
  const allow = { kind: "allow", id: environment.newId("d"), advice: [], because: observing } as const;
  const inCalls = new Set(running.flatMap(({ call: { effects = [] } }) => effects.map(({ name }) => name)));
  const fresh = call.effects?.filter(({ name }) => !inCalls.has(name)) ?? [];
  if (isAnswered || observing !== undefined) {
    const objections = isAnswered ? shadows : onlyRecorded({ ...judgement, shadows }).shadows;
    if (fresh.length === 0 && objections.length === 0) return allow;
    emitCall(context, call, allow, objections, cwd);
    // What happened may outdate earlier proof. It proves nothing itself: nobody waits for its end.
    const done = fresh.map((effect) => ({ ...effect, proven: false }));
    admit(context, { ...call, effects: done, proves: [] }, facts, memos);
    return allow;
  }
  if (judgement.kind === "deny") {
    const { rule, place, code, reason, missing, next, others } = judgement;
    const denial = { ...newDenial({ id: allow.id, rule, code, reason, next }), place, missing, others };
    emitCall(context, call, denial, shadows, cwd);
    return denial;
  }
  const { slices, decision } = decide(context.slices, call, facts, environment, judgement);
  context.slices = slices.with(inflightSlice, slices.get(inflightSlice).delete(call.id));
  emitCall(context, call, decision, shadows, cwd);
  if (decision.kind === "allow") admit(context, call, facts, memos);
  return decision;
}

function judge(context: SessionContext, call: ToolCall, facts: Facts) {
  const session = viewOf(context);
  return checkPolicies(
    rulesOf(context),
    call,
    context.slices.get(policyStatesSlice),
    { facts, session, permissions: permissionsOf(session.modes) },
    { stopwatch: context.ports.clock, limitMs: context.compiled.agent.limits.checkMs ?? CHECK_MS },
  );
}

function rulesOf({ compiled }: SessionContext): readonly RulesPolicy[] {
  return compiled.policiesFor({ tool: "shell", actions: [] }).filter((policy) => policy instanceof RulesPolicy);
}

function objectionsOf(judgement: Judgement): readonly string[] {
  if (judgement.kind === "allow") return [];
  const rules = judgement.rule.split(" + ");
  return judgement.kind === "ask" ? rules : [...rules, ...judgement.others.map(({ rule }) => rule)];
}

/** Counts an admitted program with the rules, as done. */
function admit(context: SessionContext, call: ToolCall, facts: Facts, memos: ReadonlyMap<string, unknown>): void {
  const session = viewOf(context);
  const permissions = permissionsOf(session.modes);
  const decided = notifyPolicies(
    context.slices,
    rulesOf(context),
    "onDecided",
    (policy, state) =>
      policy.onDecided?.(call, { kind: "allow", memo: memos.get(policy.name) }, { state, facts, session, permissions }),
    { stopwatch: context.ports.clock, limitMs: context.compiled.agent.limits.checkMs ?? CHECK_MS },
  );
  context.slices = decided.slices;
  for (const fault of decided.faults) reportFault(context, fault);
  settle(context, call, "ok", facts);
}

/** Ends the program for the rules. Its evidence counts at once: it has really ended. */
function settle(
  context: SessionContext,
  call: ToolCall,
  outcome: "ok" | "failed",
  facts: Facts,
  exitCode?: number,
): void {
  const at = context.clock.now();
  const agent = agentName(context);
  const entry: InflightCall = { call, facts, at, decision: "", argsHash: "", agent };
  const settled = settlePolicies(context, context.slices, entry, outcome, { exitCode });
  const result = { outcome: "ok", exitCode, parts: [] } as const;
  const proven =
    outcome === "ok"
      ? prove(context, settled.slices, { agent, call, result, factsAtCall: facts, facts, at })
      : { slices: settled.slices, faults: [] };
  context.slices = proven.slices;
  for (const fault of [...settled.faults, ...proven.faults]) reportFault(context, fault);
  const { id, step } = call;
  emit(context, { type: "result", call: id, tool: "shell", outcome, exitCode, truncation: [], feedback: [] }, { step });
}

/** The journal has it as a shell call, which is what it would be if the agent had made it itself. */
function emitCall(
  context: SessionContext,
  { effects: _effects, ...call }: ToolCall,
  decision: Decision,
  shadows: readonly Objection[],
  cwd: string,
): void {
  const event = { call: { ...call, tool: "shell" }, decision, shadows: shadows.length === 0 ? undefined : shadows };
  emit(context, { type: "call", ...event, made: { cwd } }, { facts: NO_FACTS, step: call.step });
}

/** Will the end of the running call prove the same anyway? */
function provesAll({ call }: InflightCall, { proves, effects = [] }: ToolCall): boolean {
  const known = new Set([
    ...call.proves,
    ...(call.effects ?? []).filter(({ proven }) => proven).map(({ name }) => name),
  ]);
  return [...proves, ...effects.filter(({ proven }) => proven).map(({ name }) => name)].every((name) =>
    known.has(name),
  );
}

/** What really failed is not proven by the end of the call around it. */
function unprove(context: SessionContext, running: readonly InflightCall[], { effects = [], proves }: ToolCall): void {
  const failed = new Set(effects.filter(({ proven }) => proven).map(({ name }) => name));
  let inflight = context.slices.get(inflightSlice);
  for (const entry of running) {
    const { call } = entry;
    const left = call.effects?.map((effect) => (failed.has(effect.name) ? { ...effect, proven: false } : effect));
    const kept = call.proves.filter((name) => !proves.includes(name));
    const less = { ...call, proves: kept, ...(left && { effects: left }) };
    inflight = inflight.set(call.id, { ...entry, call: less, passed: undefined });
  }
  context.slices = context.slices.with(inflightSlice, inflight);
}
