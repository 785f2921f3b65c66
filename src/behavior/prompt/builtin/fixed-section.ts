import { demoteHeadings } from "../../../base/kernel/foreign-text.ts";
import type { PromptContributor, PromptSection } from "../../../base/words/prompt.ts";

/** Says the same in every session of its agent, or nothing when there is no text. */
export function fixedSection(
  id: string,
  priority: number,
  heading: string,
  content: string | undefined,
): PromptContributor {
  const section: PromptSection | undefined = content === undefined ? undefined : { heading, content };
  return { id, priority, zone: "static", contribute: () => section };
}

/** The operator's own words inside a section; `undefined` when there are none. */
export function ownWords(text: string | undefined): string | undefined {
  const words = text?.trim() ?? "";
  return words === "" ? undefined : demoteHeadings(words);
}

/** A line in front of a list; `undefined` when the list is empty. */
export function listed(intro: string, items: readonly string[]): string | undefined {
  return items.length === 0 ? undefined : [intro, ...items.map((item) => `- ${item}`)].join("\n");
}
