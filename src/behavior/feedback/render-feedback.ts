import { neutraliseTags } from "../../base/kernel/text.ts";
import type { Feedback } from "../../base/words/feedback.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&apos;",
  '"': "&quot;",
};

/** One block for the agent to read. Nothing inside can close it or open another. */
export function renderFeedback({ providerName, summary, observations, suggestions }: Feedback): string {
  const paragraphs = [
    summary,
    observations.map(({ category, description }) => `• ${oneLine(category)}: ${oneLine(description)}`).join("\n"),
    suggestions.map((suggestion) => `-> ${oneLine(suggestion)}`).join("\n"),
  ];
  const body = neutraliseTags(paragraphs.filter((paragraph) => paragraph !== "").join("\n\n"));
  return `<feedback provider='${attribute(providerName)}'>\n${body}\n</feedback>`;
}

function attribute(text: string): string {
  return oneLine(text).replace(/[&<>'"]/g, (character) => ENTITIES[character] ?? "");
}

/** Keeps an item from passing itself off as the next one. */
function oneLine(text: string): string {
  return text.split(/[\r\n\u2028\u2029]+/).join(" ");
}
