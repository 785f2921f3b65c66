import { errorText } from "../../base/kernel/error-text.ts";
import { redactSecrets } from "../../base/kernel/redact-secrets.ts";
import type { ModelAnswer, ModelQuestion, Models } from "../../base/ports/models.ts";
import type { Usage } from "../../base/words/budget.ts";
import type { SessionClassification } from "../../base/words/classification.ts";
import type { SessionLabels } from "../../base/words/hosting/agent.ts";
import { ANSWER_TOKENS, readClassification } from "../../behavior/classification/classification.ts";
import { classificationPrompt } from "../../behavior/classification/classification-prompt.ts";

/** The classifier that needs no model. */
const LOCAL_RULES = "local/rules";

/** By what an agent's sessions are classified. `skipped`: it is switched on but cannot be done. */
export type ResolvedLabels =
  | { readonly kind: "off" }
  | { readonly kind: "local" }
  | { readonly kind: "model"; readonly model: string }
  | { readonly kind: "skipped"; readonly warning: string };

export type ClassifyFault = {
  readonly code: "classify-unreadable" | "classify-model-error" | "classify-timeout" | "classify-aborted";
  readonly message: string;
};

/** What was spent is told either way. */
export type ClassifyOutcome =
  | { readonly classification: SessionClassification; readonly usage: Partial<Usage> }
  | { readonly fault: ClassifyFault; readonly usage: Partial<Usage> };

export type ClassifyQuestion = {
  /** `provider/model`. */
  readonly model: string;
  /** The opener, then the newest messages. */
  readonly conversation: readonly string[];
  readonly signal?: AbortSignal;
  /** For both tries together. */
  readonly timeoutMs: number;
};

/** The agent's own model is never used in its place: it may be an expensive one. */
export function resolveLabels(labels: SessionLabels | undefined): ResolvedLabels {
  if (labels?.enabled !== true) return { kind: "off" };
  const model = labels.model?.trim() ?? "";
  if (model === LOCAL_RULES) return { kind: "local" };
  const why = whyUnusable(model);
  if (why === undefined) return { kind: "model", model };
  return {
    kind: "skipped",
    warning: `sessions are not classified: ${why}. Set sessionLabels.model to a small provider/model, or to ${LOCAL_RULES}, which needs no model`,
  };
}

function whyUnusable(model: string): string | undefined {
  if (model === "") return "sessionLabels is enabled and has no model";
  if (!/^[^\s/]+\/[^\s/]\S*$/.test(model)) return `sessionLabels.model "${model}" is not of the form provider/model`;
  return model.startsWith("local/") ? `there is no local classifier "${model}"` : undefined;
}

/** Asks a model what the conversation is about. One retry, which says what was wrong with the answer; never rejects. */
export async function classifyWithModel(models: Models, question: ClassifyQuestion): Promise<ClassifyOutcome> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), question.timeoutMs);
  const signal = question.signal === undefined ? late.signal : AbortSignal.any([question.signal, late.signal]);
  let usage: Partial<Usage> = {};
  let fault: ClassifyFault | undefined;
  try {
    for (let tries = 0; tries < 2; tries++) {
      const wrong = fault?.code === "classify-unreadable" ? fault.message : undefined;
      const tried = await askOnce(models, question, signal, wrong);
      if (signal.aborted) break;
      if ("answer" in tried) {
        usage = addUsage(usage, tried.answer.usage);
        const read = readClassification(tried.answer.text);
        if (!("fault" in read)) return { classification: read, usage };
        fault = { code: "classify-unreadable", message: read.fault };
      } else fault = { code: "classify-model-error", message: tried.error };
    }
  } finally {
    clearTimeout(timer);
  }
  if (question.signal?.aborted) fault = { code: "classify-aborted", message: "it was called off" };
  else if (late.signal.aborted)
    fault = { code: "classify-timeout", message: `${question.model} took longer than ${question.timeoutMs} ms` };
  return { fault: fault ?? { code: "classify-unreadable", message: "there was no answer" }, usage };
}

type Tried = { readonly answer: ModelAnswer } | { readonly error: string };

/** Comes back when the signal does, even when the port never settles. */
async function askOnce(
  models: Models,
  { model, conversation }: ClassifyQuestion,
  signal: AbortSignal,
  wrong: string | undefined,
): Promise<Tried> {
  const called = new Promise<Tried>((resolve) => {
    const stop = (): void => resolve({ error: "it was called off" });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  if (signal.aborted) return called;
  const asked: ModelQuestion = {
    model,
    ...classificationPrompt(conversation, wrong),
    maxTokens: ANSWER_TOKENS,
    signal,
  };
  return Promise.race([called, answerTo(models, asked)]);
}

/** A port that throws at once, or answers something else, is an error like any other. */
async function answerTo(models: Models, asked: ModelQuestion): Promise<Tried> {
  try {
    const answer: Partial<ModelAnswer> | undefined = await models.ask(asked);
    if (typeof answer?.text !== "string") return { error: "the model port gave no text" };
    return { answer: { text: answer.text, usage: answer.usage ?? {} } };
  } catch (error) {
    // Providers repeat the key that they refuse.
    return { error: redactSecrets(errorText(error)) };
  }
}

function addUsage(a: Partial<Usage>, b: Partial<Usage>): Partial<Usage> {
  const sum: { -readonly [key in keyof Usage]?: Usage[key] } = { ...a };
  for (const key of ["inputTokens", "outputTokens", "calls", "cost"] as const) {
    const more = b[key];
    if (more !== undefined) sum[key] = (sum[key] ?? 0) + more;
  }
  return sum;
}
