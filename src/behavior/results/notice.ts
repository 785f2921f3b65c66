/** What the notice says of a cut. `kept` counts everything shown, the notice included. */
export type NoticeFacts = {
  readonly original: number;
  readonly estimated: boolean;
  readonly limit: number;
  readonly kept: number;
  readonly strategy: "head" | "head-tail";
  /** Where the first part that is not shown begins, for `read_result`. */
  readonly offset: number;
  readonly handle?: string | undefined;
};

/** From all that a reader wants to know down to the least, for budgets that hold no more. */
export const NOTICES: readonly ((facts: NoticeFacts) => string)[] = [full, short, minimal];

/** Stands where the middle was left out. */
export function omission(characters: number): string {
  return `[... ${characters} characters omitted ...]`;
}

function full(facts: NoticeFacts): string {
  const shown = facts.strategy === "head" ? "Showing first" : "Showing the start and the end,";
  const rest =
    facts.handle === undefined
      ? "The rest is not kept. Use pagination or filters to get specific data."
      : `Call read_result with {"handle":${JSON.stringify(facts.handle)},"offset":${facts.offset}} for the rest, or use pagination or filters.`;
  return `${opening(facts)} tokens exceeds limit of ${facts.limit}. ${shown} ${facts.kept} tokens. ${rest}]`;
}

function short(facts: NoticeFacts): string {
  const rest = facts.handle === undefined ? "rest not kept" : `read_result ${facts.handle}`;
  return `${opening(facts)} > ${facts.limit} tokens, kept ${facts.kept}; ${rest}]`;
}

function minimal(facts: NoticeFacts): string {
  return `${opening(facts)} tokens]`;
}

function opening(facts: NoticeFacts): string {
  return `⚠️ [Output truncated: ${facts.estimated ? "~" : ""}${facts.original}`;
}
