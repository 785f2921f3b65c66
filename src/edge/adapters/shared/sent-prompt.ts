import { asList, asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { Json } from "../../../base/words/json.ts";
import type { BuiltPrompt, BuiltSection } from "../../../base/words/prompt.ts";

/** A sent prompt: enough to detect whether a later one differs. `rest` starts at the first section of the turn. */
export type SentPrompt = { readonly prefix: string; readonly rest: readonly SentSection[] };

type SentSection = Pick<BuiltSection, "contributor" | "heading" | "hash">;

/** The prompt that the model has (`had`), and one handed to the runtime that may not have reached it yet (`given`). */
export type SentPrompts = { readonly had?: SentPrompt; readonly given?: SentPrompt };

export function sentPrompt(prompt: BuiltPrompt): SentPrompt {
  const rest = restOf(prompt).map(({ contributor, heading, hash }) => ({ contributor, hash, heading }));
  return { prefix: prompt.prefixHash, rest };
}

const REPLACES =
  "The following instructions replace the earlier version. Sections that are missing here no longer apply.";

/**
 * The text to send to a model that has `before`: nothing, the changed sections, or the whole prompt. The old text
 * stays in the conversation, so a new one says what it replaces.
 */
export function promptNews(before: SentPrompt | undefined, now: BuiltPrompt): string | undefined {
  if (before === undefined) return now.text;
  const whole = `${REPLACES}\n\n${now.text}`;
  if (before.prefix !== now.prefixHash) return whole;
  const known = new Map(before.rest.map(({ contributor, hash }) => [contributor, hash]));
  const rest = restOf(now);
  const changed = rest.filter(({ contributor, hash }) => known.get(contributor) !== hash);
  const gone = before.rest.filter((old) => !rest.some(({ contributor }) => contributor === old.contributor));
  // A section without a heading cannot be referred to.
  if ([...changed, ...gone].some(({ heading }) => heading === undefined)) return whole;
  const lines = [
    ...(gone.length === 0 ? [] : [`These sections no longer apply: ${gone.map(({ heading }) => heading).join(", ")}.`]),
    ...(changed.length === 0 ? [] : ["This is new; all your other instructions still apply."]),
    ...changed.map(({ text }) => text),
  ];
  return lines.length === 0 ? undefined : lines.join("\n\n");
}

/** The part of the prompt that the model still needs; from now on it counts as handed over. */
export function givePrompt(live: { prompt: SentPrompts }, prompt: BuiltPrompt): string | undefined {
  // In shadow mode, or while paused, nothing is sent and nothing is withdrawn.
  if (prompt.text === "") return undefined;
  const news = promptNews(live.prompt.had, prompt);
  live.prompt = { ...live.prompt, given: sentPrompt(prompt) };
  return news;
}

/** The prompt that was handed over has reached the model. */
export function confirmPrompt(live: { prompt: SentPrompts }): void {
  if (live.prompt.given !== undefined) live.prompt = { had: live.prompt.given };
}

/** Reads saved prompts. An unreadable one counts as never sent, so the model gets the prompt again. */
export function readSentPrompts(stored: Json | undefined): SentPrompts {
  const { had, given } = asObject(stored);
  return { had: readPrompt(had), given: readPrompt(given) };
}

function readPrompt(value: Json | undefined): SentPrompt | undefined {
  if (!isObject(value)) return undefined;
  const rest = asList(value.rest)
    .filter(isObject)
    .map(({ contributor, hash, heading }) => ({
      contributor: asString(contributor),
      hash: asString(hash),
      heading: typeof heading === "string" ? heading : undefined,
    }));
  return { prefix: asString(value.prefix), rest };
}

function restOf({ sections }: BuiltPrompt): readonly BuiltSection[] {
  const turn = sections.findIndex(({ zone }) => zone === "turn");
  return turn < 0 ? [] : sections.slice(turn);
}

/** A note for the model on how to read a message, for hooks that cannot change its text. */
export const MODES_HANDLED =
  "The message begins with mode words for this session (/think, /verbose, /elevated, /modes). Conduct has handled them; the message itself begins after them.";
