import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { TokenCounter } from "../../../base/ports/token-counter.ts";

/** What is known of the messages that are gone. `left`: older entries that had no room. */
export type Summary = {
  readonly goal: string;
  readonly decisions: readonly string[];
  readonly open: readonly string[];
  readonly files: readonly string[];
  readonly errors: readonly string[];
  readonly left: number;
};

export const LISTS = ["decisions", "open", "files", "errors"] as const;

const HEADINGS: { readonly [list in (typeof LISTS)[number]]: string } = {
  decisions: "Decided and found out",
  open: "Open",
  files: "Files",
  errors: "Errors",
};

/**
 * The later part joined to the earlier one. Entries stay word for word, so that no round of compaction blurs what an earlier one
 * kept; the goal and what is open are as the later part tells them.
 */
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

/** In at most so many tokens: the oldest entries of the longest list go first, and are counted. */
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
    fitted = {
      ...fitted,
      decisions: fitted.decisions.slice(gone.decisions),
      open: fitted.open.slice(gone.open),
      files: fitted.files.slice(gone.files),
      errors: fitted.errors.slice(gone.errors),
      left: fitted.left + many,
    };
  }
}

/** As the model reads it; empty when there is nothing to say. */
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
