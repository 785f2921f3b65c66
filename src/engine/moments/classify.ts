import { errorText } from "../../base/kernel/error-text.ts";
import { redactSecrets } from "../../base/kernel/redact-secrets.ts";
import type { ModelAnswer, ModelQuestion, Models } from "../../base/ports/models.ts";
import type { Usage } from "../../base/words/budget.ts";
import type { ClassifyBecause, SessionClassification } from "../../base/words/classification.ts";
import type { SessionLabels } from "../../base/words/hosting/agent.ts";
import {
  ANSWER_TOKENS,
  classificationPrompt,
  readClassification,
} from "../../behavior/classification/classification.ts";
import {
  classificationSlice,
  classified,
  conversationOf,
  dueBecause,
  failed,
  wish,
} from "../../behavior/classification/classification-state.ts";
import { classifyLocally } from "../../behavior/classification/classify-locally.ts";
import { turnSlice } from "../../behavior/session/session-identity.ts";
import {
  emit,
  isEnded,
  overLimit,
  reportFault,
  type SessionContext,
  spendAmount,
  viewOf,
} from "../session/session-context.ts";
import { aborted, withinLimit } from "./gather.ts";

/** Timeout for classifying a conversation with a model. Runs in the background. */
const CLASSIFY_MS = 30_000;

/** Classifies the conversation now. Returns `undefined` on failure; a fault then gives the reason. */
export async function classifyNow(context: SessionContext): Promise<SessionClassification | undefined> {
  await context.classifying?.run;
  const before = context.slices.get(classificationSlice).latest;
  classify(context, "demand");
  await context.classifying?.run;
  const { latest } = context.slices.get(classificationSlice);
  return latest === before ? undefined : (latest ?? undefined);
}

/** The classification used by the prompt. A subagent's session uses its parent's. */
export function heldClassification(context: SessionContext): SessionClassification | undefined {
  return viewOf(context).held;
}

/** Waits for a running classification, up to the agent's limit, so that the first prompt can use it. */
export async function awaitClassification(context: SessionContext): Promise<void> {
  const { wait = 0 } = context.compiled.agent.sessionLabels ?? {};
  if (context.classifying === undefined || wait === 0 || heldClassification(context) !== undefined) return;
  const { run } = context.classifying;
  await withinLimit(Math.min(wait, CLASSIFY_MS), () => run);
}

/** The topic may have changed after a compaction. */
export function classifyAfterCompaction(context: SessionContext): void {
  const state = context.slices.get(classificationSlice);
  context.slices = context.slices.with(classificationSlice, wish(state, "compaction"));
  classifyWhenDue(context);
}

export function stopClassifying(context: SessionContext): void {
  context.classifying?.abort.abort();
  context.classifying = undefined;
}

export function classifyWhenDue(context: SessionContext): void {
  const { sessionLabels } = context.compiled.agent;
  // A subagent works on part of its parent's conversation.
  if (sessionLabels?.enabled !== true || context.parent !== undefined) return;
  const turn = context.slices.get(turnSlice).number;
  const because = dueBecause(context.slices.get(classificationSlice), turn, sessionLabels);
  if (because !== undefined) classify(context, because);
}

function classify(context: SessionContext, because: ClassifyBecause): void {
  if (context.classifying !== undefined) return;
  const labels = resolveLabels(context.compiled.agent.sessionLabels);
  const conversation = conversationOf(context.slices.get(classificationSlice));
  if (labels.kind === "off" || conversation.length === 0) return;
  if (labels.kind === "local") {
    take(context, classifyLocally(conversation), "local/rules", because, {});
    return;
  }
  const { models } = context.ports;
  const over = isEnded(context)
    ? "the session is over"
    : overLimit(context, {}) && "the session has used up its budget";
  if (labels.kind === "skipped" || models === undefined || over !== undefined) {
    const message = labels.kind === "skipped" ? labels.warning : (over ?? "no model is available here");
    if (!context.classificationSkipped) fail(context, "classification-skipped", message, because);
    context.classificationSkipped = true;
    return;
  }
  const { model } = labels;
  const abort = new AbortController();
  const asked = classifyWithModel(models, { model, conversation, signal: abort.signal, timeoutMs: CLASSIFY_MS });
  const run = asked.then((answer) => {
    if (abort.signal.aborted) return;
    context.classifying = undefined;
    spendAmount(context, `classification-${context.ports.ids.next("b")}`, answer.usage);
    if ("fault" in answer) fail(context, answer.fault.code, answer.fault.message, because);
    else take(context, answer.classification, model, because, answer.usage);
  });
  // Catch every failure: nobody may be awaiting this promise, and an unhandled rejection ends the process.
  const settled = run.catch((error: unknown) => fail(context, "classify-error", errorText(error), because));
  context.classifying = { run: settled, abort };
}

function take(
  context: SessionContext,
  classification: SessionClassification,
  model: string,
  because: ClassifyBecause,
  usage: Partial<Usage>,
): void {
  const turn = context.slices.get(turnSlice).number;
  const next = classified(context.slices.get(classificationSlice), classification, turn, because);
  context.slices = context.slices.with(classificationSlice, next);
  const held = next.held ?? classification;
  emit(context, { type: "classification", classification, held, model, because, usage });
}

function fail(context: SessionContext, code: string, message: string, because: ClassifyBecause): void {
  const turn = context.slices.get(turnSlice).number;
  const next = failed(context.slices.get(classificationSlice), turn, because);
  context.slices = context.slices.with(classificationSlice, next);
  reportFault(context, { where: "classification", code, message });
}

/** The classifier that needs no model. */
const LOCAL_RULES = "local/rules";

/** How an agent's sessions are classified. `skipped`: enabled, but not possible. */
type ResolvedLabels =
  | { readonly kind: "off" }
  | { readonly kind: "local" }
  | { readonly kind: "model"; readonly model: string }
  | { readonly kind: "skipped"; readonly warning: string };

type ClassifyFault = {
  readonly code: "classify-unreadable" | "classify-model-error" | "classify-timeout" | "classify-aborted";
  readonly message: string;
};

/** Usage is reported on success and on failure. */
type ClassifyOutcome =
  | { readonly classification: SessionClassification; readonly usage: Partial<Usage> }
  | { readonly fault: ClassifyFault; readonly usage: Partial<Usage> };

type ClassifyQuestion = {
  /** `provider/model`. */
  readonly model: string;
  /** The first message, then the newest messages. */
  readonly conversation: readonly string[];
  readonly signal?: AbortSignal;
  /** Shared by both attempts. */
  readonly timeoutMs: number;
};

/** Never falls back to the agent's own model, which may be expensive. */
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
  if (model === "") return "sessionLabels is enabled but has no model";
  if (!/^[^\s/]+\/[^\s/]\S*$/.test(model)) return `sessionLabels.model "${model}" is not of the form provider/model`;
  return model.startsWith("local/") ? `there is no local classifier "${model}"` : undefined;
}

/** Asks a model to classify the conversation. Retries once with the error in the prompt; never rejects. */
export async function classifyWithModel(models: Models, question: ClassifyQuestion): Promise<ClassifyOutcome> {
  const { model, conversation, timeoutMs } = question;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  const signal = question.signal === undefined ? late.signal : AbortSignal.any([question.signal, late.signal]);
  const ended = aborted(signal);
  let usage: Partial<Usage> = {};
  let fault: ClassifyFault = { code: "classify-unreadable", message: "there was no answer" };
  let wrong: string | undefined;
  for (let tries = 0; tries < 2 && !signal.aborted; tries++) {
    const asked = { model, ...classificationPrompt(conversation, wrong), maxTokens: ANSWER_TOKENS, signal };
    // A model port may never settle.
    const tried = await Promise.race([ended, answerTo(models, asked)]);
    if (tried === undefined || signal.aborted) break;
    wrong = undefined;
    if ("error" in tried) {
      fault = { code: "classify-model-error", message: tried.error };
      continue;
    }
    usage = addUsage(usage, tried.usage);
    const read = readClassification(tried.text);
    if (!("fault" in read)) {
      clearTimeout(timer);
      return { classification: read, usage };
    }
    wrong = read.fault;
    fault = { code: "classify-unreadable", message: wrong };
  }
  clearTimeout(timer);
  if (question.signal?.aborted) fault = { code: "classify-aborted", message: "it was cancelled" };
  else if (late.signal.aborted)
    fault = { code: "classify-timeout", message: `${model} took longer than ${timeoutMs} ms` };
  return { fault, usage };
}

/** A port that throws synchronously or returns an invalid answer counts as a normal error. */
async function answerTo(models: Models, asked: ModelQuestion): Promise<ModelAnswer | { readonly error: string }> {
  try {
    const answer: Partial<ModelAnswer> | undefined = await models.ask(asked);
    if (typeof answer?.text !== "string") return { error: "the model port returned no text" };
    return { text: answer.text, usage: answer.usage ?? {} };
  } catch (error) {
    // Providers repeat rejected keys in their error messages.
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
