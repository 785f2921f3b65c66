import type { Agent } from "../../../base/words/agent.ts";
import type { PromptContributor } from "../../../base/words/prompt.ts";
import { fixedSection, listed, ownWords } from "./fixed-section.ts";
import { inline } from "./inline.ts";

/** The optional sections of `agent.prompt`; each is left out when the definition has nothing for it. */
export function extraSections({ prompt }: Agent): readonly PromptContributor[] {
  const { skills = [], docs = [], messaging, voice, replyTags = [] } = prompt;
  const skillLines = skills.map(({ name, description, path }) =>
    titled(name, `${inline(description)} (${inline(path)})`),
  );
  const docLines = docs.map(({ path, about }) => titled(path, about));
  const tagLines = replyTags.map(({ tag, means }) => titled(tag, means));
  const skillsText = listed("When a task fits one of these skills, read its file first and follow it:", skillLines);
  const docsText = listed("Read what concerns your task before you guess:", docLines);
  const tagsText = listed("Write a tag exactly as it stands here, and only when you mean it:", tagLines);
  return [
    fixedSection("builtin:skills", 55, "Skills", skillsText),
    fixedSection("builtin:docs", 55, "Docs", docsText),
    fixedSection("builtin:messaging", 55, "Messaging", ownWords(messaging)),
    fixedSection("builtin:voice", 55, "Voice", ownWords(voice)),
    fixedSection("builtin:reply-tags", 55, "Reply Tags", tagsText),
  ];
}

function titled(name: string, about: string | undefined): string {
  const text = inline(about ?? "");
  return text === "" ? inline(name) : `${inline(name)}: ${text}`;
}
