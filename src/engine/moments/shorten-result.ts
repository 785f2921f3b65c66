import { defineSlice } from "../../base/kernel/define-slice.ts";
import { errorText } from "../../base/kernel/error-text.ts";
import { neutraliseTags } from "../../base/kernel/text.ts";
import type { Fault } from "../../base/words/event.ts";
import type { Json } from "../../base/words/json.ts";
import type { Part, ToolResult, Truncation } from "../../base/words/result.ts";
import {
  chargeResult,
  NO_RESULTS,
  type TurnResultState,
  truncateResult,
} from "../../behavior/results/truncate-result.ts";
import { type SessionContext, windowOf } from "../session/session-context.ts";

/** The size of this turn's results; resets with each message. */
export const resultsSlice = defineSlice<TurnResultState>({ name: "results", kind: "LOG", initial: NO_RESULTS });

/**
 * `replaceable`: false if the runtime does not accept a replacement, so the result is only counted. `parallel`: pending
 * results of this step, including this one. `most`: characters of one result that the runtime passes on.
 */
type ShortenOptions = {
  readonly replaceable: boolean;
  readonly tool: string;
  readonly parallel: number;
  readonly most: number | undefined;
};

const NONE: readonly never[] = [];

export type Shortened = {
  readonly result: ToolResult;
  readonly changed: boolean;
  readonly truncations: readonly Truncation[];
  readonly faults: readonly Fault[];
};

/** Passes on a result that is short and has none of Conduct's own tags; `undefined` if it needs a closer look. */
export function passShortResult(
  context: SessionContext,
  given: ToolResult,
  { parallel, most }: ShortenOptions,
): Shortened | undefined {
  if (most !== undefined) return undefined;
  if (given.parts.some((part) => withoutOurTags(part) !== part)) return undefined;
  const charged = chargeResult(given, { ...limitsOf(context, parallel), turn: context.slices.get(resultsSlice) });
  if (charged === undefined) return undefined;
  context.slices = context.slices.with(resultsSlice, charged);
  return { result: given, changed: false, truncations: NONE, faults: NONE };
}

function limitsOf(context: SessionContext, parallel: number) {
  const { toolResultShare: share, turnResultShare: turnShare } = context.compiled.agent.limits;
  return { window: windowOf(context), share, turnShare, parallel };
}

/** Returns the result within the budget, without Conduct's own tags; the rest is stored under a handle. */
export async function shortenResult(
  context: SessionContext,
  given: ToolResult,
  { replaceable, tool, parallel, most }: ShortenOptions,
): Promise<Shortened> {
  const { ports } = context;
  const result = { ...given, parts: given.parts.map(withoutOurTags) };
  const settings = { ...limitsOf(context, parallel), tool, most, counter: await ports.counter(context.model) };
  const before = context.slices.get(resultsSlice);
  const cut = truncateResult(result, { ...settings, turn: before, newHandle: () => ports.ids.next("r") });
  context.slices = context.slices.with(resultsSlice, cut.turn);
  if (!replaceable) return { result: given, changed: false, truncations: [], faults: [] };
  try {
    for (const { handle, text } of cut.keep) await ports.results.keep(context.id, handle, text);
  } catch (error) {
    // The notice must not offer a handle that does not exist.
    const plain = truncateResult(result, { ...settings, turn: before });
    const now = context.slices.get(resultsSlice);
    const used = now.used - cut.turn.used + plain.turn.used;
    context.slices = context.slices.with(resultsSlice, { ...now, used });
    const message = `${errorText(error)}; the rest of this result is lost`;
    const fault = { where: `result of ${tool}`, code: "result-not-kept", message };
    return { result: plain.result, changed: true, truncations: plain.truncations, faults: [fault] };
  }
  const changed = cut.result.parts.some((part, i) => !samePart(part, given.parts[i]));
  return { result: changed ? cut.result : given, changed, truncations: cut.truncations, faults: [] };
}

function samePart(part: Part, given: Part | undefined): boolean {
  return part === given || (part.kind === "text" && given?.kind === "text" && part.text === given.text);
}

/** Returns the same part if it contains no text that could pass for Conduct's own tags. */
function withoutOurTags(part: Part): Part {
  if (part.kind === "text") {
    const text = neutraliseTags(part.text);
    return text === part.text ? part : { kind: "text", text };
  }
  if (part.kind !== "json") return part;
  const value = neutraliseJson(part.value);
  return value === part.value ? part : { kind: "json", value };
}

function neutraliseJson(value: Json): Json {
  if (typeof value === "string") return neutraliseTags(value);
  if (typeof value !== "object" || value === null) return value;
  const text = JSON.stringify(value);
  // Parsed again only if the text changed.
  return neutraliseTags(text) === text ? value : JSON.parse(neutraliseTags(text));
}
