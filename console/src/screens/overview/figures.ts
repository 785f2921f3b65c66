import type { Answer } from "../../data/client.ts";
import { activityHref } from "../activity/filters.ts";

/** Figures of one hour or day. */
export type Counted = Answer<"GET /api/figures">["total"] & Answer<"GET /api/measures">["buckets"][number];

type Span = { readonly since: number; readonly until: number };

export type Measure = {
  readonly name: string;
  /** Explanation for new users. */
  readonly hint: string;
  readonly tone: "neutral" | "denied" | "advised" | "passed";
  /** Value of these hours or days together. */
  readonly value: (counted: readonly Counted[]) => number;
  readonly unit: "count" | "tokens" | "money" | "share";
  /** Link to the underlying events. */
  readonly behind: (time: Span, agent: string) => string;
};

const sum =
  (of: (counted: Counted) => number) =>
  (all: readonly Counted[]): number =>
    all.reduce((total, one) => total + of(one), 0);
const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

export const MEASURES: readonly Measure[] = [
  {
    name: "Calls",
    hint: "tool calls that Conduct decided on",
    tone: "neutral",
    unit: "count",
    value: sum(({ calls }) => calls),
    behind: (time, agent) => activityHref("call", time, agent),
  },
  {
    name: "Denials",
    hint: "calls that a rule or policy denied",
    tone: "denied",
    unit: "count",
    value: sum(({ denials }) => denials),
    behind: (time, agent) => activityHref("denied", time, agent),
  },
  {
    name: "Questions",
    hint: "calls that waited for a person",
    tone: "advised",
    unit: "count",
    value: sum(({ asked }) => asked),
    behind: (time, agent) => activityHref("asked", time, agent),
  },
  {
    name: "Stops refused",
    hint: "attempts to stop before the task was done",
    tone: "denied",
    unit: "count",
    value: sum(({ stopsRefused }) => stopsRefused),
    behind: (time, agent) => activityHref("stop-refused", time, agent),
  },
  {
    name: "Errors",
    hint: "failed turns, failed tools and faults",
    tone: "denied",
    unit: "count",
    value: sum(({ errors }) => errors),
    behind: (time, agent) => activityHref("error", time, agent),
  },
  {
    name: "Cost",
    hint: "US dollars, as the runtimes report it",
    tone: "neutral",
    unit: "money",
    value: sum(({ cost }) => cost),
    behind: (time, agent) => activityHref("usage", time, agent),
  },
  {
    name: "Tokens",
    hint: "sent to models and received from them",
    tone: "neutral",
    unit: "tokens",
    value: sum(({ inputTokens, outputTokens }) => inputTokens + outputTokens),
    behind: (time, agent) => activityHref("usage", time, agent),
  },
  {
    name: "Tokens saved",
    hint: "removed from results that were too long",
    tone: "passed",
    unit: "tokens",
    value: sum(({ tokensSaved }) => tokensSaved),
    behind: (time, agent) => activityHref("truncated", time, agent),
  },
  {
    name: "Stable prompt",
    hint: "cacheable share of the prompt",
    tone: "passed",
    unit: "share",
    value: (all) => share(sum(({ stableTokens }) => stableTokens)(all), sum(({ promptTokens }) => promptTokens)(all)),
    behind: (_time, agent) => `/prompt${agent === "" ? "" : `?agent=${encodeURIComponent(agent)}`}`,
  },
];
