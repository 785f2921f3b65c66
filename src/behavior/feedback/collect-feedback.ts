import { describeValue, errorText, isPromise } from "../../base/kernel/error-text.ts";
import { cutGraphemes, neutraliseTags, wellFormed } from "../../base/kernel/text.ts";
import type { Fault } from "../../base/words/event.ts";
import type {
  Feedback,
  FeedbackContext,
  FeedbackDraft,
  FeedbackProvider,
  Observation,
  Severity,
} from "../../base/words/feedback.ts";
import type { SessionView } from "../../base/words/session-view.ts";
import {
  agentFeedback,
  type CollectInput,
  dueProviders,
  type FeedbackState,
  followClock,
  rememberFeedback,
  settleFiles,
} from "./feedback-state.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&apos;",
  '"': "&quot;",
};

/** The block that the agent reads. Its content cannot close it or open another. */
export function renderFeedback({ providerName, summary, observations, suggestions }: Feedback): string {
  const paragraphs = [
    summary,
    observations.map(({ category, description }) => `• ${oneLine(category)}: ${oneLine(description)}`).join("\n"),
    suggestions.map((suggestion) => `-> ${oneLine(suggestion)}`).join("\n"),
  ];
  const body = neutraliseTags(paragraphs.filter((paragraph) => paragraph !== "").join("\n\n"));
  const provider = oneLine(providerName).replace(/[&<>'"]/g, (character) => ENTITIES[character] ?? "");
  return `<feedback provider='${provider}'>\n${body}\n</feedback>`;
}

/** A line break could fake another item. */
function oneLine(text: string): string {
  return text.split(/[\r\n\u2028\u2029]+/).join(" ");
}

const MAX_SUMMARY = 2_000;
const MAX_LINE = 500;
const MAX_LINES = 20;
const SEVERITIES: readonly unknown[] = ["info", "caution", "warning"] satisfies Severity[];

type Content = Pick<Feedback, "summary" | "observations" | "suggestions" | "severity">;

/** Validates and bounds what a provider, which is foreign code, returned. Throws with one sentence. */
function readDraft(returned: FeedbackDraft): Content {
  const draft: unknown = returned;
  if (isPromise(draft)) throw new TypeError("it returned a promise; providers are synchronous");
  if (typeof draft !== "object" || draft === null) throw new TypeError(`it returned ${describeValue(draft)}`);
  const { summary, observations = [], suggestions = [], severity = "info" } = returned;
  if (typeof summary !== "string" || summary.trim() === "") throw new TypeError("its feedback has no summary");
  if (!isListOf(observations, isObservation))
    throw new TypeError("its observations are not a list of category and text");
  if (!isListOf(suggestions, isText)) throw new TypeError("its suggestions are not a list of texts");
  if (!SEVERITIES.includes(severity)) throw new TypeError(`its severity is ${describeValue(severity)}`);
  return {
    summary: shorten(summary.trim(), MAX_SUMMARY),
    observations: observations.slice(0, MAX_LINES).map(({ category, description }) => ({
      category: shorten(category, MAX_LINE),
      description: shorten(description, MAX_LINE),
    })),
    suggestions: suggestions.slice(0, MAX_LINES).map((text) => shorten(text, MAX_LINE)),
    severity,
  };
}

/** Must be a boolean: a promise would always be true. */
function wantsToRun(provider: FeedbackProvider, context: FeedbackContext): boolean {
  if (provider.shouldRun === undefined) return true;
  const answer: unknown = provider.shouldRun(context);
  if (typeof answer === "boolean") return answer;
  throw new TypeError(`shouldRun returned ${describeValue(answer)}`);
}

function shorten(text: string, max: number): string {
  const whole = wellFormed(text);
  return whole.length <= max ? whole : `${cutGraphemes(whole, max - 1)}…`;
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isItem);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isObservation(value: unknown): value is Observation {
  if (typeof value !== "object" || value === null) return false;
  return "category" in value && isText(value.category) && "description" in value && isText(value.description);
}

/** `text`: what the agent reads after its call, if anything. */
type Collected = {
  readonly feedback: readonly Feedback[];
  readonly text?: string;
  readonly state: FeedbackState;
  readonly faults: readonly Fault[];
};

/** Collects feedback after a call. All triggers and `shouldRun` are decided first. A provider that fails stays due. */
export function collectFeedback(input: CollectInput): Collected {
  const { session, agent } = input;
  let state = followClock(input);
  const due = dueProviders(state, input);
  if (due.length === 0) return { feedback: NO_FEEDBACK, state, faults: NO_FAULTS };

  const context = feedbackContext(state, session, agent);
  const faults: Fault[] = [];
  const willing = due.filter(({ provider }) => guarded(provider, context, faults, wantsToRun) === true);
  if (willing.length === 0) return { feedback: NO_FEEDBACK, state, faults };
  const feedback = willing.flatMap(({ provider }) => guarded(provider, context, faults, ask) ?? []);

  for (const said of feedback) state = rememberFeedback(state, agent, said);
  state = settleFiles(state, due, new Set(feedback.map((said) => said.providerName)));
  const text = feedback.length === 0 ? undefined : feedback.map(renderFeedback).join("\n\n");
  return { feedback, text, state, faults };
}

function ask(provider: FeedbackProvider, context: FeedbackContext): Feedback {
  return {
    providerName: provider.name,
    ...readDraft(provider.provide(context)),
    timestamp: context.session.now,
    callIndex: context.toolCallCount,
    promptName: context.prompt.name,
  };
}

const NO_FEEDBACK: readonly Feedback[] = [];
const NO_FAULTS: readonly Fault[] = [];

function guarded<T>(
  provider: FeedbackProvider,
  context: FeedbackContext,
  faults: Fault[],
  run: (provider: FeedbackProvider, context: FeedbackContext) => T,
): T | undefined {
  try {
    return run(provider, context);
  } catch (error) {
    faults.push({ where: `feedback:${provider.name}`, code: "feedback-failed", message: errorText(error) });
    return undefined;
  }
}

/** The providers' view: the state before this collection, of one agent only. */
export function feedbackContext(state: FeedbackState, session: SessionView, agent: string): FeedbackContext {
  const { calls, last, providers } = agentFeedback(state, agent);
  return {
    session,
    prompt: { name: agent },
    deadline: session.deadline,
    lastFeedback: last,
    lastFeedbackForProvider: (name) => providers.get(name)?.last,
    toolCallCount: calls,
    toolCallsSinceLastFeedback: () => calls - (last?.callIndex ?? 0),
    toolCallsSinceLastFeedbackForProvider: (name) => calls - (providers.get(name)?.lastCallIndex ?? 0),
    recentToolCalls: (n) => session.recentCalls(n),
  };
}
