import { isObject, parseObject } from "../../../base/kernel/json.ts";
import { cutGraphemes, neutraliseTags } from "../../../base/kernel/text.ts";
import type { TokenCounter } from "../../../base/ports/token-counter.ts";
import type { Json } from "../../../base/words/json.ts";
import type { TranscriptMessage } from "./transcript.ts";

const DIGEST_ENTRY_MAX = 300;

/** One word with a slash or an extension. */
const PATH = /^(?=.*[/\\.])[^\s<>"'|?*{}()]{2,240}$/;
const ADDRESS = /^[a-z][a-z\d+.-]*:\/\//i;

/** A summary without a model: what was said, which files were named, what failed. Open items stay open. */
export function digest(gone: readonly TranscriptMessage[], earlier: Summary | undefined): Summary {
  const said = gone.flatMap((message) => (message.kind === "user" ? [firstLine(message.text)] : []));
  return {
    goal: said.filter((line) => line !== "").at(-1) ?? "",
    decisions: unique(gone.flatMap((message) => (message.kind === "assistant" ? [firstLine(message.text)] : []))),
    open: earlier?.open ?? [],
    files: unique(
      gone.flatMap((message) => (message.kind === "assistant" ? message.calls.flatMap(({ args }) => paths(args)) : [])),
    ),
    errors: unique(
      gone.flatMap((message) =>
        message.kind === "result" && message.failed ? [`${message.tool}: ${firstLine(message.text)}`] : [],
      ),
    ),
    left: 0,
  };
}

function paths(args: string): readonly string[] {
  return strings(parseObject(args) ?? {}).filter((text) => PATH.test(text) && !ADDRESS.test(text));
}

function strings(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(strings);
  return isObject(value) ? Object.values(value).flatMap((inner) => (inner === undefined ? [] : strings(inner))) : [];
}

function firstLine(text: string): string {
  const line = text.trimStart().split(/[\r\n]/, 1)[0] ?? "";
  return neutraliseTags(cutGraphemes(line.trim(), DIGEST_ENTRY_MAX));
}

function unique(entries: readonly string[]): readonly string[] {
  return [...new Set(entries.filter((entry) => entry !== ""))];
}

/** A summary of dropped messages. `left`: older entries that had no room. */
export type Summary = {
  readonly goal: string;
  readonly decisions: readonly string[];
  readonly open: readonly string[];
  readonly files: readonly string[];
  readonly errors: readonly string[];
  readonly left: number;
};

export const LISTS = ["decisions", "open", "files", "errors"] as const;

/** An object with a value for each list. */
export function eachList<T>(make: (list: (typeof LISTS)[number]) => T) {
  return {
    decisions: make("decisions"),
    open: make("open"),
    files: make("files"),
    errors: make("errors"),
  };
}

const HEADINGS: { readonly [list in (typeof LISTS)[number]]: string } = {
  decisions: "Decided and found out",
  open: "Open",
  files: "Files",
  errors: "Errors",
};

/** Joins two summaries. Entries stay verbatim, so that repeated compaction does not blur them; `goal` and `open` are the later. */
export function joinSummaries(earlier: Summary | undefined, later: Summary): Summary {
  if (earlier === undefined) return later;
  const both = (list: "decisions" | "files" | "errors") => [...new Set([...earlier[list], ...later[list]])];
  return {
    goal: later.goal === "" ? earlier.goal : later.goal,
    decisions: both("decisions"),
    open: later.open,
    files: both("files"),
    errors: both("errors"),
    left: earlier.left + later.left,
  };
}

/** Drops the oldest entries of the longest lists until the summary fits. */
export function fitSummary(summary: Summary, tokens: number, counter: TokenCounter): Summary {
  let fitted = summary;
  for (;;) {
    let over = counter.count(renderSummary(fitted)) - tokens;
    if (over <= 0) return fitted;
    const gone = { decisions: 0, open: 0, files: 0, errors: 0 };
    while (over > 0) {
      const longest = LISTS.reduce((a, b) => (fitted[b].length - gone[b] > fitted[a].length - gone[a] ? b : a));
      const oldest = fitted[longest][gone[longest]];
      if (oldest === undefined) break;
      over -= counter.count(oldest);
      gone[longest] += 1;
    }
    const many = LISTS.reduce((sum, list) => sum + gone[list], 0);
    if (many === 0) return { ...fitted, goal: cutGoal(fitted.goal, tokens, counter) };
    const before = fitted;
    fitted = { ...before, ...eachList((list) => before[list].slice(gone[list])), left: before.left + many };
  }
}

export function renderSummary(summary: Summary): string {
  const lists = LISTS.flatMap((list) => {
    const entries = summary[list];
    return entries.length === 0 ? [] : [`${HEADINGS[list]}:\n${entries.map((entry) => `- ${entry}`).join("\n")}`];
  });
  const left = summary.left === 0 ? [] : [`(${summary.left} older entries had no room.)`];
  return [...(summary.goal === "" ? [] : [`Goal: ${summary.goal}`]), ...lists, ...left].join("\n");
}

function cutGoal(goal: string, tokens: number, counter: TokenCounter): string {
  const { end } = counter.fit(goal, Math.max(0, tokens - 24));
  return end >= goal.length ? goal : cutGraphemes(goal, end);
}
