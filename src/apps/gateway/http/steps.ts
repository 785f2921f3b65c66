import { isObject } from "../../../base/kernel/json.ts";
import type { TranscriptEntry } from "../../../base/words/hosting/conversation.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";

/** One response of the model. `at` is when it was requested. */
export type Step = {
  readonly at: number;
  readonly text: string;
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** In US dollars. */
  readonly cost?: number;
  /** Why the request failed. */
  readonly error?: string;
  readonly calls: readonly StepCall[];
};

/** A tool call of a step. `cut`: the output is longer than shown. */
export type StepCall = {
  readonly id: string;
  readonly output?: string;
  readonly cut?: true;
};

const LONGEST_OUTPUT = 8_000;

/** Reads the steps from a transcript in Pi's format. Entries of another format are skipped. */
export function stepsOf(
  transcript: readonly TranscriptEntry[],
  since: number,
  redact: (text: string) => string,
): readonly Step[] {
  const steps: (Omit<Step, "calls"> & { readonly calls: StepCall[] })[] = [];
  for (const { entry } of transcript) {
    const at = numberOf(entry.timestamp);
    if (at === undefined || at < since) continue;
    if (entry.role === "assistant") steps.push(stepOf(entry, at, redact));
    if (entry.role !== "toolResult") continue;
    const calls = steps.findLast((step) => step.calls.some(({ id }) => id === entry.toolCallId))?.calls ?? [];
    const index = calls.findIndex(({ id }) => id === entry.toolCallId);
    if (index === -1) continue;
    const output = redact(textOf(entry.content));
    const cut = output.length > LONGEST_OUTPUT || undefined;
    calls[index] = { id: String(entry.toolCallId), output: output.slice(0, LONGEST_OUTPUT), cut };
  }
  return steps;
}

function stepOf(entry: JsonObject, at: number, redact: (text: string) => string) {
  const usage = objectOf(entry.usage);
  const error = typeof entry.errorMessage === "string" ? redact(entry.errorMessage) : undefined;
  const sent = [usage.input, usage.cacheRead, usage.cacheWrite].map((tokens) => numberOf(tokens) ?? 0);
  const inputTokens = sent.reduce((sum, tokens) => sum + tokens, 0);
  const calls: StepCall[] = partsOf(entry.content).flatMap(({ type, id }) =>
    type === "toolCall" && typeof id === "string" ? [{ id }] : [],
  );
  return {
    at,
    text: redact(textOf(entry.content)),
    model: typeof entry.model === "string" ? entry.model : undefined,
    inputTokens: inputTokens === 0 ? undefined : inputTokens,
    outputTokens: numberOf(usage.output),
    cost: numberOf(objectOf(usage.cost).total),
    error,
    calls,
  };
}

function textOf(content: Json | undefined): string {
  if (typeof content === "string") return content;
  return partsOf(content)
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
    .join("\n\n");
}

function partsOf(content: Json | undefined): readonly JsonObject[] {
  return Array.isArray(content) ? content.map(objectOf) : [];
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
