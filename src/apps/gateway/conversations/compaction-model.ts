import { errorText } from "../../../base/kernel/error-text.ts";
import type { TokenCounter } from "../../../base/ports/token-counter.ts";
import type { Usage } from "../../../base/words/budget.ts";
import {
  digest,
  joinSummaries,
  readSummary,
  type Summary,
  type SummaryQuestion,
  summaryQuestion,
} from "../../../behavior/session/compaction/summary.ts";
import type { CompactionReport, TranscriptMessage } from "../../../behavior/session/compaction/transcript.ts";
import type { Session } from "../../../engine/session/session.ts";
import type { PiModel } from "../runtimes/pi-runtime.ts";

const ANSWER_TOKENS = 4_000;
const ANSWER_MS = 90_000;
const TRIES = 2;

/** Asks one question without tools. Rejects with an Error that says why there is no answer. */
export type AskModel = (question: SummaryQuestion, signal: AbortSignal | undefined) => Promise<string>;

/** Asks the agent's own model. The session's budget pays for it. */
export function askModel(
  { model, stream, apiKey }: PiModel,
  session: Pick<Session, "reserveBudget" | "notice">,
  counter: TokenCounter,
): AskModel {
  return async ({ system, prompt }, signal) => {
    const { normalizeContext } = await import("@earendil-works/pi-ai");
    const inputTokens = counter.count(system) + counter.count(prompt);
    const reserved = session.reserveBudget({ inputTokens, outputTokens: ANSWER_TOKENS });
    if ("exhausted" in reserved) throw new Error(`the session's limit is reached (${reserved.exhausted})`);
    const { reservation } = reserved;
    const late = AbortSignal.timeout(ANSWER_MS);
    const context = normalizeContext({
      systemPrompt: system,
      messages: [{ role: "user", content: prompt, timestamp: 0 }],
    });
    const settings = {
      maxTokens: Math.min(ANSWER_TOKENS, model.maxTokens),
      maxRetries: 0,
      cacheRetention: "none",
      signal: signal === undefined ? late : AbortSignal.any([signal, late]),
      apiKey,
    } as const;
    let usage: Partial<Usage> = {};
    try {
      const answer = await (await stream(model, context, settings)).result();
      const { input, cacheRead, cacheWrite, output, cost } = answer.usage;
      usage = { inputTokens: input + cacheRead + cacheWrite, outputTokens: output, cost: cost.total };
      if (late.aborted) throw new Error(`the model gave no answer in ${ANSWER_MS / 1000} s`);
      if (answer.stopReason === "error" || answer.stopReason === "aborted")
        throw new Error(answer.errorMessage ?? "the model gave no answer");
      return answer.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
    } finally {
      // Releases the reservation, even after a failure.
      session.notice({ kind: "usage", reservation, ...usage });
    }
  };
}

/**
 * Asks the model, with one retry. If that fails, returns a digest made without it, and the reason. Rejects only if
 * cancelled.
 */
export async function summarise(
  gone: readonly TranscriptMessage[],
  earlier: Summary | undefined,
  { ask, tokens, counter, signal }: SummariseOptions,
): Promise<{ readonly summary: Summary; readonly by: CompactionReport["by"] }> {
  let fault: string | undefined;
  for (let tried = 0; tried < TRIES; tried++) {
    const question = summaryQuestion(gone, earlier, { tokens, counter, fault });
    if (question === undefined) {
      fault = "the messages do not fit into one request to the model";
      break;
    }
    try {
      const read = readSummary(await ask(question, signal));
      if ("summary" in read) return { summary: joinSummaries(earlier, read.summary), by: { kind: "model" } };
      fault = read.fault;
    } catch (error) {
      signal?.throwIfAborted();
      fault = errorText(error);
    }
  }
  const why = fault ?? "the model was not asked";
  return { summary: joinSummaries(earlier, digest(gone, earlier)), by: { kind: "digest", why } };
}

type SummariseOptions = {
  readonly ask: AskModel;
  /** Maximum size of the question. */
  readonly tokens: number;
  readonly counter: TokenCounter;
  readonly signal: AbortSignal | undefined;
};
