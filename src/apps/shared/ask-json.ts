import { errorText } from "../../base/kernel/error-text.ts";
import { redactSecrets } from "../../base/kernel/redact-secrets.ts";
import type { Models } from "../../base/ports/models.ts";
import type { Json } from "../../base/words/json.ts";

type Prompt = { readonly system: string; readonly prompt: string };

/** A question to a model whose answer is JSON. `promptOf` gets the error of the last answer. */
type JsonQuestion<T extends object> = {
  readonly models: Models;
  /** `provider/model`. */
  readonly model: string;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
  promptOf(wrong?: string): Prompt;
  read(answer: string): T | { readonly wrong: string };
};

/** The fault after the signal. */
export const LATE = { fault: "there was no time left" };

/**
 * Asks again with the error if the answer was unreadable; a model that failed is not asked again. Never rejects because
 * of the model.
 */
export async function askJson<T extends object>(question: JsonQuestion<T>): Promise<T | { readonly fault: string }> {
  let wrong: string | undefined;
  for (let tries = 0; tries < 2; tries++) {
    const answer = await askOnce(question, question.promptOf(wrong));
    if ("fault" in answer) return answer;
    const read = question.read(answer.text);
    if (!("wrong" in read)) return read;
    wrong = read.wrong;
  }
  return { fault: `its answer could not be used: ${wrong}` };
}

type Answer = { readonly text: string } | { readonly fault: string };

/** Returns at the timeout, even if the port never settles. */
async function askOnce<T extends object>(
  { models, model, maxTokens, signal }: JsonQuestion<T>,
  prompt: Prompt,
): Promise<Answer> {
  if (signal.aborted) return LATE;
  const over = Promise.withResolvers<Answer>();
  const stop = () => over.resolve(LATE);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const asked = models.ask({ model, ...prompt, maxTokens, signal });
    return await Promise.race([over.promise, asked.then(({ text }) => ({ text }))]);
  } catch (error) {
    // Providers repeat rejected keys in their error messages.
    return { fault: redactSecrets(errorText(error)) };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Escapes a text so that it cannot open or close an element. */
export function escapeText(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
}

/** The object of an answer. Models often add a code fence. */
export function objectIn(answer: string): Json | undefined {
  const [from, to] = [answer.indexOf("{"), answer.lastIndexOf("}")];
  try {
    return JSON.parse(answer.slice(from, to + 1));
  } catch {
    return undefined;
  }
}
