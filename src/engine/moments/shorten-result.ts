import { defineSlice } from "../../base/kernel/define-slice.ts";
import { errorText } from "../../base/kernel/error-text.ts";
import { neutraliseTags } from "../../base/kernel/text.ts";
import type { Fault } from "../../base/words/event.ts";
import type { Limits } from "../../base/words/hosting/agent.ts";
import type { Json } from "../../base/words/json.ts";
import type { Part, ToolResult, Truncation } from "../../base/words/result.ts";
import {
  DEFAULT_WINDOW,
  NO_RESULTS,
  type TurnResultState,
  truncateResult,
} from "../../behavior/results/truncate-result.ts";
import type { SessionPorts } from "../session/session-ports.ts";

/** The size of this turn's results; resets with each message. */
export const resultsSlice = defineSlice<TurnResultState>({ name: "results", kind: "LOG", initial: NO_RESULTS });

export type ShortenOptions = {
  /** False if the runtime does not accept a replacement: then the result is only counted. */
  readonly replaceable: boolean;
  readonly tool: string;
  readonly session: string;
  readonly limits: Limits;
  readonly window: number | undefined;
  /** Pending results of this step, including this one. */
  readonly parallel: number;
  readonly ports: Pick<SessionPorts, "counter" | "results" | "ids">;
  readonly turn: { get(): TurnResultState; set(state: TurnResultState): void };
};

export type Shortened = {
  readonly result: ToolResult;
  readonly changed: boolean;
  readonly truncations: readonly Truncation[];
  readonly faults: readonly Fault[];
};

/** Returns the result within the budget, without Conduct's own tags; the rest is stored under a handle. */
export async function shortenResult(given: ToolResult, options: ShortenOptions): Promise<Shortened> {
  const { tool, limits, turn, ports } = options;
  const parts = given.parts.map(withoutOurTags);
  const result = { ...given, parts };
  const settings = {
    tool,
    counter: await ports.counter(),
    window: options.window ?? DEFAULT_WINDOW,
    share: limits.toolResultShare,
    turnShare: limits.turnResultShare,
    parallel: options.parallel,
  };
  const before = turn.get();
  const cut = truncateResult(result, { ...settings, turn: before, newHandle: () => ports.ids.next("r") });
  turn.set(cut.turn);
  if (!options.replaceable) return { result: given, changed: false, truncations: [], faults: [] };
  try {
    for (const { handle, text } of cut.keep) await ports.results.keep(options.session, handle, text);
  } catch (error) {
    // The notice must not offer a handle that does not exist.
    const plain = truncateResult(result, { ...settings, turn: before });
    turn.set({ used: turn.get().used - cut.turn.used + plain.turn.used });
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
