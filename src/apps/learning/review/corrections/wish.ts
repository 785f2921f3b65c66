import type { DirectiveType } from "../../../../base/words/contract.ts";
import type { Folded } from "./fold-sentence.ts";
import type { Markers } from "./markers.ts";
import { wordsIn } from "./phrases.ts";
import { SPEECH, WORK } from "./vocabulary.ts";

/** What a sentence asks for; `strength` is how sure its form is, 0 to 1, before anything else speaks for or against it. */
export type Wish = { readonly type: DirectiveType; readonly text: string; readonly strength: number };

/** A sentence with all that forms look at. */
export type Sentence = {
  readonly folded: Folded;
  readonly markers: Markers;
  /** The sentence before it in the message: what `keep that up` is about. */
  readonly before?: Folded;
};

/** How sure a form is by itself. */
export const STRENGTH = {
  /** `STOP: x` by somebody whose lines are not taken at once. */
  stated: 0.95,
  /** From now on, always, never; said before. */
  standing: 0.85,
  /** About the agent's own behavior, and nothing else: stop sending, be less. */
  direct: 0.72,
  /** I want you to, could you. */
  wished: 0.65,
  /** Too long, you keep. */
  complaint: 0.6,
  /** It may be about this once. */
  unsure: 0.52,
} as const;

/** Does it name what an agent says, or what is the agent's own? Looks at the first words only. */
export function namesBehavior(text: string, most = 6): boolean {
  const words = wordsIn(firstPart(text)).slice(0, most);
  if (SPEECH.in(words)) return true;
  const your = words.indexOf("your");
  return your >= 0 && WORK.in(words.slice(your + 1, your + 5));
}

export function namesWork(text: string, most = 5): boolean {
  return WORK.in(wordsIn(firstPart(text)).slice(0, most));
}

export function firstWords(text: string, most: number): string {
  return firstPart(text).trim().split(/\s+/).slice(0, most).join(" ");
}

function firstPart(text: string): string {
  return text.split(/[,;(]/, 1)[0] ?? "";
}
