import type { BuiltPrompt, BuiltSection } from "../../../base/words/prompt.ts";

/** What of a prompt tells whether a later one is another: its start, and each section from the first of the turn on. */
export type ToldPrompt = { readonly prefix: string; readonly rest: readonly ToldSection[] };

type ToldSection = Pick<BuiltSection, "contributor" | "heading" | "hash">;

export function toldPrompt(prompt: BuiltPrompt): ToldPrompt {
  const rest = restOf(prompt).map(({ contributor, heading, hash }) => ({
    contributor,
    hash,
    ...(heading === undefined ? {} : { heading }),
  }));
  return { prefix: prompt.prefixHash, rest };
}

const REPLACES =
  "What follows replaces the earlier version of these instructions; sections that it does not have no longer hold.";

/**
 * What a model that was told `before` still has to be told: nothing, the sections that have changed, or the whole prompt.
 * What it was told stays in its conversation, so that a new text says what it replaces.
 */
export function promptNews(before: ToldPrompt | undefined, now: BuiltPrompt): string | undefined {
  if (before === undefined) return now.text;
  const whole = `${REPLACES}\n\n${now.text}`;
  if (before.prefix !== now.prefixHash) return whole;
  const known = new Map(before.rest.map(({ contributor, hash }) => [contributor, hash]));
  const rest = restOf(now);
  const changed = rest.filter(({ contributor, hash }) => known.get(contributor) !== hash);
  const gone = before.rest.filter((old) => !rest.some(({ contributor }) => contributor === old.contributor));
  // What has no heading cannot be referred to.
  if ([...changed, ...gone].some(({ heading }) => heading === undefined)) return whole;
  const lines = [
    ...(gone.length === 0 ? [] : [`These sections no longer hold: ${gone.map(({ heading }) => heading).join(", ")}.`]),
    ...(changed.length === 0 ? [] : ["This is new; all else that you were told still holds.", ...changed.map(textOf)]),
  ];
  return lines.length === 0 ? undefined : lines.join("\n\n");
}

function restOf({ sections }: BuiltPrompt): readonly BuiltSection[] {
  const turn = sections.findIndex(({ zone }) => zone === "turn");
  return turn < 0 ? [] : sections.slice(turn);
}

function textOf({ text }: BuiltSection): string {
  return text;
}
