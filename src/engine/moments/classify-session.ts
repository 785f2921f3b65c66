import { errorText } from "../../base/kernel/error-text.ts";
import type { Usage } from "../../base/words/budget.ts";
import type { ClassifyBecause, SessionClassification } from "../../base/words/classification.ts";
import {
  classificationSlice,
  classified,
  conversationOf,
  dueBecause,
  failed,
  wish,
} from "../../behavior/classification/classification-state.ts";
import { classifyLocally } from "../../behavior/classification/classify-locally.ts";
import { turnSlice } from "../../behavior/session/turn.ts";
import { emit, isEnded, reportFault, type SessionContext } from "../session/session-context.ts";
import { overLimit, spendAmount } from "../session/spending.ts";
import { classifyWithModel, resolveLabels } from "./classify.ts";

/** How long a model may take to classify a conversation. No turn waits for it. */
const CLASSIFY_MS = 30_000;

/** Classifies the conversation now. `undefined` when it could not be classified; a fault then says why. */
export async function classifyNow(context: SessionContext): Promise<SessionClassification | undefined> {
  await context.classifying?.run;
  const before = context.slices.get(classificationSlice).latest;
  classify(context, "demand");
  await context.classifying?.run;
  const { latest } = context.slices.get(classificationSlice);
  return latest === before ? undefined : (latest ?? undefined);
}

/** The classification that the prompt uses. A subagent's session uses its parent's. */
export function heldClassification(context: SessionContext): SessionClassification | undefined {
  if (context.parent !== undefined) return heldClassification(context.parent);
  return context.slices.get(classificationSlice).held ?? undefined;
}

/** Waits for a running classification, as long as the agent allows, so that the first prompt can use it. */
export async function awaitClassification(context: SessionContext): Promise<void> {
  const { wait = 0 } = context.compiled.agent.sessionLabels ?? {};
  if (context.classifying === undefined || wait === 0 || heldClassification(context) !== undefined) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enough = new Promise<void>((resolve) => {
    // A timer of more than 24 days would fire at once.
    timer = setTimeout(resolve, Math.min(wait, CLASSIFY_MS));
  });
  await Promise.race([context.classifying.run, enough]);
  clearTimeout(timer);
}

/** After a compaction the conversation may be about something else. */
export function classifyAfterCompaction(context: SessionContext): void {
  const state = context.slices.get(classificationSlice);
  context.slices = context.slices.with(classificationSlice, wish(state, "compaction"));
  classifyWhenDue(context);
}

/** Drops a classification that is under way. */
export function stopClassifying(context: SessionContext): void {
  context.classifying?.abort.abort();
  context.classifying = undefined;
}

export function classifyWhenDue(context: SessionContext): void {
  const { sessionLabels } = context.compiled.agent;
  // A subagent works on a part of its parent's conversation.
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
    const message = labels.kind === "skipped" ? labels.warning : (over ?? "this host gives no access to models");
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
  // A failure here must not end the process: nothing may be waiting for it.
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
