import { errorText } from "../../../../base/kernel/error-text.ts";
import { redactSecrets } from "../../../../base/kernel/redact-secrets.ts";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { TokenCounter } from "../../../../base/ports/token-counter.ts";
import { loadTokenizer } from "../../../../behavior/results/tokens.ts";
import type { Finding } from "../finding.ts";
import type { ModelAdded, ReviewWindow } from "../steps.ts";
import type { ModelReviewer } from "../world.ts";
import { type ReadFindings, readFindings } from "./read-findings.ts";
import { reviewPrompt, showEvent } from "./review-prompt.ts";
import { type ShownEvent, shownEvents } from "./shown-events.ts";

const CHUNK_TOKENS = 6_000;
const CHUNKS = 8;
const TIMEOUT_MS = 120_000;
const ANSWER_TOKENS = 2_000;

type Added = { readonly findings: readonly Finding[]; readonly model: ModelAdded };

/** What a model finds in the window. It never rejects for the model's sake: what it could not do is told, and the review goes on. */
export async function askModel(reviewer: ModelReviewer, events: EventJournal, window: ReviewWindow): Promise<Added> {
  const { model: name, chunkTokens = CHUNK_TOKENS, chunks: most = CHUNKS, timeoutMs = TIMEOUT_MS } = reviewer;
  const chunks = inChunks(await shownEvents(events, window), await loadTokenizer(), chunkTokens);
  const late = AbortSignal.timeout(timeoutMs);
  const findings: Finding[] = [];
  const faults: string[] = [];
  let refused = 0;
  for (const chunk of chunks.slice(0, most)) {
    const answer = late.aborted ? LATE : await askTwice(reviewer, chunk, late);
    if ("fault" in answer) {
      faults.push(late.aborted ? `it took longer than ${timeoutMs} ms` : answer.fault);
      if (late.aborted) break;
      continue;
    }
    findings.push(...answer.findings);
    refused += answer.refused;
  }
  const left = chunks.length - most;
  if (left > 0) faults.push(`${left} of ${chunks.length} parts of the day were not shown to it: the budget is ${most}`);
  const fault = [...new Set(faults)].join("; ");
  return { findings, model: { name, refused, ...(fault === "" ? {} : { fault }) } };
}

const LATE = { fault: "there was no time left" };

/** Parts that fit a question each. One event that is too large by itself is cut. */
function inChunks(
  shown: readonly ShownEvent[],
  counter: TokenCounter,
  budget: number,
): readonly (readonly ShownEvent[])[] {
  const chunks: ShownEvent[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const whole of shown) {
    const { exact } = counter.countUpTo(whole.text, budget / 2);
    const event = exact ? whole : { ...whole, text: whole.text.slice(0, counter.fit(whole.text, budget / 2).end) };
    const tokens = counter.count(showEvent(event)) + 1;
    if (used + tokens > budget) {
      chunks.push([]);
      used = 0;
    }
    chunks.at(-1)?.push(event);
    used += tokens;
  }
  return chunks;
}

/** A second time where the answer could not be read, saying why; a model that fails is not asked again. */
async function askTwice(
  reviewer: ModelReviewer,
  chunk: readonly ShownEvent[],
  signal: AbortSignal,
): Promise<ReadFindings | { readonly fault: string }> {
  let wrong: string | undefined;
  for (let tries = 0; tries < 2; tries++) {
    const answer = await askOnce(reviewer, reviewPrompt(chunk, wrong), signal);
    if ("fault" in answer) return answer;
    const read = readFindings(answer.text, chunk);
    if (!("wrong" in read)) return read;
    wrong = read.wrong;
  }
  return { fault: `its answer could not be used: ${wrong}` };
}

type Answer = { readonly text: string } | { readonly fault: string };

/** Comes back when the time is over, even when the port never settles. */
async function askOnce(
  { models, model }: ModelReviewer,
  prompt: ReturnType<typeof reviewPrompt>,
  signal: AbortSignal,
): Promise<Answer> {
  const over = Promise.withResolvers<Answer>();
  const stop = () => over.resolve(LATE);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const asked = models.ask({ model, ...prompt, maxTokens: ANSWER_TOKENS, signal });
    return await Promise.race([over.promise, asked.then(({ text }) => ({ text }))]);
  } catch (error) {
    // Providers repeat the key that they refuse.
    return { fault: redactSecrets(errorText(error)) };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
