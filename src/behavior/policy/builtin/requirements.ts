import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import { exactOf, isObject, parseExactly } from "../../../base/kernel/json.ts";
import type { ToolCall } from "../../../base/words/call.ts";
import type { Fault } from "../../../base/words/event.ts";
import type { TrustedTool } from "../../../base/words/hosting/agent.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { PolicyDecision, RuleFinding, ToolPolicy } from "../../../base/words/policy.ts";
import type { Part, Requirement, ToolResult } from "../../../base/words/result.ts";
import { allow } from "../policy-decision.ts";

/** A tool or action that must succeed before any other call. */
export type OpenRequirement = {
  readonly name: string;
  /** The tool, call and step whose result required it. */
  readonly by: string;
  readonly call: string;
  readonly step: string | null;
  readonly callsLeft: number;
  readonly expiresAt: number;
};

type RequirementLimits = { readonly calls: number; readonly ms: number };

/** A requirement that cannot be met expires. */
export const REQUIREMENT_LIMITS: RequirementLimits = { calls: 20, ms: 30 * 60_000 };

/** Requirements that may be open at once. */
const MAX_OPEN = 32;

type Open = readonly OpenRequirement[];

/**
 * Denies other calls until the requirements in trusted tools' results are met. A call of the same step meets none, because it
 * was chosen before the result was seen. `free`: Conduct's own tools, which are always allowed.
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

    /** Every attempt counts towards the limit. */
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
  const isOpen = ({ callsLeft, expiresAt }: OpenRequirement) => callsLeft > 0 && now < expiresAt;
  return state.every(isOpen) ? state : state.filter(isOpen);
}

/** A compound command may do more than was required, so it neither passes nor proves. */
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
    reason: `The result of ${by} requires these calls first: ${names.join(", ")}.`,
    missing: open.map((one) => ({ what: one.name, why: `required by '${one.by}'` })),
    next: `Call ${names[0]} now${names.length > 1 ? ", then the others" : ""}; other calls are denied until it succeeds.`,
    // Attempts are counted for each requirement.
    key: `${open[0]?.call} ${names.join(" ")}`,
  };
}

/** The key under which a tool's structured result says what it requires. */
export const DIRECTIVES = "__directives";

const MAX_NAMES = 10;
const NAME = /^[\w.:/@-][\w.:/@ -]{0,79}$/;

/** A result without its `__directives`: `typed` are those of structured parts, `inText` is true for those found in text. */
type Taken = {
  readonly result: ToolResult;
  readonly changed: boolean;
  readonly typed: readonly unknown[];
  readonly inText: boolean;
};

/** Removes the directives from any tool's result, trusted or not, so that the agent never sees them. */
export function takeDirectives(given: ToolResult): Taken {
  if (given.requirements === undefined && !given.parts.some(mayDirect)) return { ...NOTHING_TAKEN, result: given };
  const { requirements, ...result } = given;
  const typed: unknown[] =
    requirements === undefined ? [] : Array.isArray(requirements) ? [...requirements] : [requirements];
  let inText = false;
  const parts = given.parts.map((part): Part => {
    if (part.kind === "json") {
      const found = splitDirectives(part.value);
      typed.push(...found.directives);
      if (found.directives.length === 0) return part;
      return { kind: "json", value: splitDirectives(exactOf(part.value)).rest };
    }
    const rest = part.kind === "text" ? textWithout(part.text) : undefined;
    if (rest === undefined) return part;
    inText = true;
    return { kind: "text", text: rest };
  });
  const changed = parts.some((part, at) => part !== given.parts[at]);
  return { result: changed ? { ...result, parts } : result, changed, typed, inText };
}

const NOTHING_TAKEN = { changed: false, typed: [], inText: false } as const;

function mayDirect(part: Part): boolean {
  return part.kind === "json" || (part.kind === "text" && CANDIDATE.test(part.text));
}

/** The key, also with some of its letters escaped. Escapes of other characters are common in long results. */
const CANDIDATE = /__directives|\\u00(?:5f|6[3459]|7[2346])/i;

/** The text of a JSON value without its directives; `undefined` if it has none. Numbers stay digit for digit. */
function textWithout(text: string): string | undefined {
  if (!CANDIDATE.test(text) || !/^\s*[[{]/.test(text)) return undefined;
  try {
    if (splitDirectives(JSON.parse(text)).directives.length === 0) return undefined;
    return JSON.stringify(splitDirectives(parseExactly(text)).rest);
  } catch {
    return undefined;
  }
}

/** Deeper values are data, not a result that somebody reads. */
const MAX_DEPTH = 100;

/** Separates a value from the directives anywhere in it. A value without any is returned as it is. */
export function splitDirectives(value: Json): { readonly rest: Json; readonly directives: readonly unknown[] } {
  const directives: unknown[] = [];
  return { rest: without(value, directives, 0), directives };
}

function without(value: Json, found: unknown[], depth: number): Json {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    const list = value.map((one: Json) => without(one, found, depth + 1));
    return list.some((one, at) => one !== value[at]) ? list : value;
  }
  const entries = Object.entries(value as JsonObject);
  const kept = entries.flatMap(([key, one]): [string, Json | undefined][] => {
    if (key !== DIRECTIVES) return [[key, one === undefined ? one : without(one, found, depth + 1)]];
    found.push(one);
    return [];
  });
  const isSame = kept.length === entries.length && kept.every(([, one], at) => one === entries[at]?.[1]);
  return isSame ? value : Object.fromEntries(kept);
}

/** The requirement of a call's removed directives, or the faults that the operator sees. */
export function judgeDirectives(
  { typed, inText }: Pick<Taken, "typed" | "inText">,
  call: ToolCall | undefined,
  trusted: readonly TrustedTool[],
): { readonly requirement?: Requirement; readonly faults: readonly Fault[] } {
  if (typed.length === 0 && !inText) return { faults: [] };
  const fault = (code: string, message: string): { readonly faults: readonly Fault[] } => ({
    faults: [{ where: `result of ${call?.tool ?? "an unknown call"}`, code, message }],
  });
  if (call === undefined || !isTrusted(call, trusted)) {
    return fault(
      "requirement-untrusted",
      `its ${DIRECTIVES} were removed: the agent does not trust this tool with requirements`,
    );
  }
  if (typed.length === 0) {
    return fault(
      "requirement-in-text",
      `its ${DIRECTIVES} were removed: only structured results can carry requirements`,
    );
  }
  const read = [...new Map(typed.map((value) => [canonicalJson(value), value])).values()].map(readRequirement);
  const wrong = read.flatMap((one) => ("fault" in one ? [one.fault] : []));
  if (wrong.length > 0) return fault("requirement-invalid", `its ${DIRECTIVES} cannot be read: ${wrong.join("; ")}`);
  const sound = read.flatMap((one) => ("fault" in one ? [] : [one]));
  const requirement = {
    requireBeforeNext: [...new Set(sound.flatMap((one) => one.requireBeforeNext))],
    escalateToOwner: sound.some((one) => one.escalateToOwner),
  };
  return { requirement, faults: [] };
}

/** Compares tool and server; the server as the runtime reports it, where it does. */
export function isTrusted(
  { tool, native }: Pick<ToolCall, "tool" | "native">,
  trusted: readonly TrustedTool[],
): boolean {
  return trusted.some((one) =>
    one.server === undefined
      ? native.server === undefined && tool === one.tool
      : (native.server ?? one.server) === one.server && tool === `${one.server}/${one.tool}`,
  );
}

/** Reads the value of the key. Unknown fields are ignored. */
export function readRequirement(value: unknown): Requirement | { readonly fault: string } {
  if (!isObject(value)) return { fault: "they are not an object" };
  const { requireBeforeNext: names = [], escalateToOwner = false } = value;
  if (typeof escalateToOwner !== "boolean") return { fault: "'escalateToOwner' must be true or false" };
  if (!Array.isArray(names)) return { fault: "'requireBeforeNext' must be a list of names" };
  if (names.length > MAX_NAMES) return { fault: `'requireBeforeNext' names more than ${MAX_NAMES}` };
  const bad = names.find((name) => typeof name !== "string" || !NAME.test(name));
  if (bad !== undefined)
    return { fault: "'requireBeforeNext' must contain names of tools or actions, at most 80 characters each" };
  if (names.length === 0 && !escalateToOwner) return { fault: "they require nothing" };
  return { requireBeforeNext: [...new Set(names)], escalateToOwner };
}
