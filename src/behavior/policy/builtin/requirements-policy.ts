import type { ToolCall } from "../../../base/words/call.ts";
import type { PolicyDecision, RuleFinding, ToolPolicy } from "../../../base/words/policy.ts";
import { allow } from "../policy-decision.ts";

/** One name that must succeed before anything else may run. */
export type OpenRequirement = {
  readonly name: string;
  /** The tool whose result required it, in which call and step. */
  readonly by: string;
  readonly call: string;
  readonly step: string | null;
  readonly callsLeft: number;
  readonly expiresAt: number;
};

export type RequirementLimits = { readonly calls: number; readonly ms: number };

/** A requirement that cannot be met must not hold an agent for ever. */
export const REQUIREMENT_LIMITS: RequirementLimits = { calls: 20, ms: 30 * 60_000 };

/** Names that may be open at once; an agent that has so many to do first is held as it is. */
const MAX_OPEN = 32;

type Open = readonly OpenRequirement[];

/**
 * Holds a session to what trusted tools' results require before the next call. Opens at once; a call proves only when its
 * step is over, and none that was chosen in the same step. `free` are Conduct's own tools.
 */
export function requirementsPolicy(
  free: readonly string[],
  limits: RequirementLimits = REQUIREMENT_LIMITS,
): ToolPolicy<Open> {
  return {
    name: "builtin:requirements",
    initial: [],

    check(call, { state, session }): PolicyDecision {
      const open = stillOpen(state, session.now);
      if (open.length === 0 || free.includes(call.tool) || open.some(({ name }) => isStrictly(call, name)))
        return allow();
      return { kind: "rules", findings: [findingOf(open)] };
    },

    /** Every attempt counts: an agent is held for a while, and then the requirement has had its effect. */
    onDecided(_call, _decided, { state, session }) {
      if (state.length === 0) return state;
      return stillOpen(state, session.now).map((one) => ({ ...one, callsLeft: one.callsLeft - 1 }));
    },

    onSettled(call, _outcome, { state, session, requirement }) {
      if (requirement === undefined) return state;
      const names = requirement.requireBeforeNext;
      const others = stillOpen(state, session.now).filter(({ name }) => !names.includes(name));
      const opened = names.map((name) => ({
        name,
        by: call.tool,
        call: call.id,
        step: call.step ?? null,
        callsLeft: limits.calls,
        expiresAt: session.now + limits.ms,
      }));
      return [...others, ...opened].slice(0, MAX_OPEN);
    },

    onResult(call, _result, { state }) {
      const left = state.filter((one) => !isStrictly(call, one.name) || isSameStep(call, one));
      return left.length === state.length ? state : left;
    },
  };
}

function stillOpen(state: Open, now: number): Open {
  return state.every((one) => isOpen(one, now)) ? state : state.filter((one) => isOpen(one, now));
}

function isOpen({ callsLeft, expiresAt }: OpenRequirement, now: number): boolean {
  return callsLeft > 0 && now < expiresAt;
}

/** A compound command may be more than what was required: it neither passes as that nor proves it. */
function isStrictly({ tool, proves }: ToolCall, name: string): boolean {
  return tool === name || proves.includes(name);
}

function isSameStep({ id, step }: ToolCall, opened: OpenRequirement): boolean {
  return id === opened.call || (step !== undefined && step === opened.step);
}

function findingOf(open: Open): RuleFinding {
  const names = open.map(({ name }) => name);
  const by = [...new Set(open.map((one) => `'${one.by}'`))].join(" and ");
  return {
    rule: "requirement",
    effect: "deny",
    reason: `The result of ${by} requires before the next call: ${names.join(", ")}.`,
    missing: open.map((one) => ({ what: one.name, why: `required by '${one.by}'` })),
    next: `Call ${names[0]} now${names.length > 1 ? ", then the others" : ""}; nothing else runs until that has succeeded.`,
    // Attempts are counted anew for each requirement.
    key: `${open[0]?.call} ${names.join(" ")}`,
  };
}
