import { cutGraphemes, wellFormed } from "../../base/kernel/text.ts";
import type { Feedback, FeedbackDraft, Observation, Severity } from "../../base/words/feedback.ts";

const MAX_SUMMARY = 2_000;
const MAX_LINE = 500;
const MAX_LINES = 20;
const SEVERITIES: readonly unknown[] = ["info", "caution", "warning"] satisfies Severity[];

type Content = Pick<Feedback, "summary" | "observations" | "suggestions" | "severity">;

/** What a provider returned, bounded and complete; throws one sentence on what is no draft, because providers are foreign code. */
export function readDraft(returned: FeedbackDraft): Content {
  const draft: unknown = returned;
  if (typeof draft !== "object" || draft === null) throw new TypeError(`it returned ${describe(draft)}`);
  if (isThenable(draft)) {
    draft.then(undefined, () => {});
    throw new TypeError("it returned a promise; providers are synchronous");
  }
  const { summary, observations = [], suggestions = [], severity = "info" } = returned;
  if (typeof summary !== "string" || summary.trim() === "") throw new TypeError("its feedback has no summary");
  if (!isListOf(observations, isObservation))
    throw new TypeError("its observations are not a list of category and text");
  if (!isListOf(suggestions, isText)) throw new TypeError("its suggestions are not a list of texts");
  if (!SEVERITIES.includes(severity)) throw new TypeError(`its severity is ${describe(severity)}`);
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

/** `shouldRun` must answer yes or no: a promise would be true whatever it says. */
export function readAnswer(returned: boolean): boolean {
  const answer: unknown = returned;
  if (typeof answer === "boolean") return answer;
  if (isThenable(answer)) answer.then(undefined, () => {});
  throw new TypeError(`shouldRun returned ${isThenable(answer) ? "a promise" : describe(answer)}`);
}

function shorten(text: string, max: number): string {
  const whole = wellFormed(text);
  return whole.length <= max ? whole : `${cutGraphemes(whole, max - 1)}…`;
}

function describe(value: unknown): string {
  return value === null || value === undefined || typeof value === "boolean" ? String(value) : `a ${typeof value}`;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
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
