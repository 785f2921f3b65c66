import type { Answer } from "../../data/client.ts";

type Figures = Answer<"GET /api/figures">["total"];

type Span = { readonly since: number; readonly until: number };

export type Measure = {
  readonly name: string;
  /** Explanation for new users. */
  readonly hint: string;
  readonly tone: "neutral" | "denied" | "advised" | "passed";
  /** Value of a bucket, or of the whole time range. */
  readonly value: (figures: Figures) => number;
  readonly unit: "count" | "tokens" | "share";
  /** Link to the underlying events. */
  readonly behind: (time: Span, agent: string) => string;
};

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
/** Link to the sessions of a time range, for one agent if selected. */
const sessions = ({ since, until }: Span, agent: string, more = ""): string =>
  `/sessions?since=${since}&until=${until}${agent === "" ? "" : `&agent=${encodeURIComponent(agent)}`}${more}`;

export const MEASURES: readonly Measure[] = [
  {
    name: "Calls",
    hint: "tool calls that Conduct decided on",
    tone: "neutral",
    unit: "count",
    value: ({ calls }) => calls,
    behind: (time, agent) => sessions(time, agent),
  },
  {
    name: "Denials",
    hint: "calls that a rule or policy denied",
    tone: "denied",
    unit: "count",
    value: ({ denials }) => denials,
    behind: (time, agent) => sessions(time, agent, "&denied=true"),
  },
  {
    name: "Questions",
    hint: "calls that waited for a person",
    tone: "advised",
    unit: "count",
    value: ({ asked }) => asked,
    behind: (time, agent) => sessions(time, agent),
  },
  {
    name: "Stops refused",
    hint: "attempts to stop before the task was done",
    tone: "denied",
    unit: "count",
    value: ({ stopsRefused }) => stopsRefused,
    behind: (time, agent) => sessions(time, agent),
  },
  {
    name: "Tokens saved",
    hint: "removed from results that were too long",
    tone: "passed",
    unit: "tokens",
    value: ({ tokensSaved }) => tokensSaved,
    behind: (time, agent) => sessions(time, agent),
  },
  {
    name: "Stable prompt",
    hint: "cacheable share of the prompt",
    tone: "passed",
    unit: "share",
    value: ({ stableTokens, promptTokens }) => share(stableTokens, promptTokens),
    behind: (_time, agent) => `/prompt${agent === "" ? "" : `?agent=${encodeURIComponent(agent)}`}`,
  },
];
