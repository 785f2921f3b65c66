import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import { isObject, parseObject } from "../../../base/kernel/json.ts";
import type { ToolCall } from "../../../base/words/call.ts";
import type { Fault } from "../../../base/words/event.ts";
import type { TrustedTool } from "../../../base/words/hosting/agent.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Part, Requirement, ToolResult } from "../../../base/words/result.ts";

/** The key under which a tool's structured result says what it requires. */
export const DIRECTIVES = "__directives";

const MAX_NAMES = 10;
const NAME = /^[\w.:/@-][\w.:/@ -]{0,79}$/;

/** A result without its `__directives`, and what stood there: `typed` where it was structured, `inText` where it was text. */
export type Taken = {
  readonly result: ToolResult;
  readonly changed: boolean;
  readonly typed: readonly unknown[];
  readonly inText: boolean;
};

/** Takes them out of any tool's result, trusted or not: the agent never sees them. */
export function takeDirectives(given: ToolResult): Taken {
  const { requirements, ...result } = given;
  const typed: unknown[] = requirements === undefined ? [] : [requirements];
  let inText = false;
  let changed = false;
  const parts = given.parts.map((part): Part => {
    const found = directivesIn(part);
    if (found === undefined) return part;
    const { [DIRECTIVES]: value, ...rest } = found;
    changed = true;
    if (part.kind === "json") {
      typed.push(value);
      return { kind: "json", value: rest };
    }
    inText = true;
    return { kind: "text", text: JSON.stringify(rest) };
  });
  return { result: changed ? { ...result, parts } : result, changed, typed, inText };
}

/** The object that a part wholly is, if it carries the key at its top. */
function directivesIn(part: Part): JsonObject | undefined {
  let found: JsonObject | undefined;
  if (part.kind === "json" && isObject(part.value)) found = part.value;
  // Parsed only where the key may stand: results can be long.
  if (part.kind === "text" && /__directives|\\u/.test(part.text) && part.text.trimStart().startsWith("{"))
    found = parseObject(part.text);
  return found !== undefined && Object.hasOwn(found, DIRECTIVES) ? found : undefined;
}

/** What holds of what was taken out of a call's result, and what the operator is told. `call`: the one that is under way. */
export function judgeDirectives(
  { typed, inText }: Pick<Taken, "typed" | "inText">,
  call: ToolCall | undefined,
  trusted: readonly TrustedTool[],
): { readonly requirement?: Requirement; readonly faults: readonly Fault[] } {
  if (typed.length === 0 && !inText) return { faults: [] };
  const fault = (code: string, message: string): { readonly faults: readonly Fault[] } => ({
    faults: [{ where: `result of ${call?.tool ?? "a call that is not under way"}`, code, message }],
  });
  if (call === undefined || !isTrusted(call, trusted)) {
    return fault("requirement-untrusted", `its ${DIRECTIVES} were taken out: the agent trusts no such tool with them`);
  }
  if (typed.length === 0) {
    return fault("requirement-in-text", `its ${DIRECTIVES} were taken out: they stood in text, which requires nothing`);
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

/** Is this the tool of that server? The runtime's own word on the server counts where it gives one. */
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

/** What was written under the key, or why it cannot be one. Keys that nobody knows are left alone. */
export function readRequirement(value: unknown): Requirement | { readonly fault: string } {
  if (!isObject(value)) return { fault: "they are not an object" };
  const { requireBeforeNext: names = [], escalateToOwner = false } = value;
  if (typeof escalateToOwner !== "boolean") return { fault: "'escalateToOwner' must be true or false" };
  if (!Array.isArray(names)) return { fault: "'requireBeforeNext' must be a list of names" };
  if (names.length > MAX_NAMES) return { fault: `'requireBeforeNext' names more than ${MAX_NAMES}` };
  const bad = names.find((name) => typeof name !== "string" || !NAME.test(name));
  if (bad !== undefined)
    return { fault: "'requireBeforeNext' must hold names of tools or actions, at most 80 characters each" };
  if (names.length === 0 && !escalateToOwner) return { fault: "they require nothing" };
  return { requireBeforeNext: [...new Set(names)], escalateToOwner };
}
