import type { BuiltPrompt, BuiltSection, ContributorSource } from "../../base/words/prompt.ts";
import type { Paint, Style } from "./paint.ts";
import { clip, count, oneLine } from "./printable.ts";
import { visible, widthOf, wrapLine } from "./prompt-wrap.ts";

/** One colour for each source; the table names it. */
export const SOURCE_STYLES: Readonly<Record<ContributorSource, Style>> = {
  builtin: "cyan",
  agent: "blue",
  config: "magenta",
  plugin: "green",
  workspace: "amber",
};

const WIDEST_NAME = 18;

export type PromptLayout = { readonly columns: number; readonly paint: Paint };

/** The prompt with its contributors in the margin, and a line where the cache ends. */
export function renderPrompt(prompt: BuiltPrompt, layout: PromptLayout): string {
  const { sections } = prompt;
  const width = Math.max(0, ...sections.map(({ contributor }) => shortName(contributor).length));
  const boundary = sections.findIndex(({ zone }) => zone === "turn");
  const blocks = sections.map((section, at) => {
    const lines = sectionLines(section, width, layout);
    return at === boundary ? [boundaryLine(prompt, layout), "", ...lines] : lines;
  });
  if (boundary < 0) blocks.push([boundaryLine(prompt, layout)]);
  return blocks.map((lines) => `${lines.join("\n")}\n`).join("\n");
}

/** `identity` of `builtin:identity`, `task` of `section:001:task`. */
export function shortName(contributor: string): string {
  return clip(oneLine(contributor.replace(/^(?:builtin:|workspace:|section:\d+:)/, "")), WIDEST_NAME);
}

function sectionLines(section: BuiltSection, width: number, { columns, paint }: PromptLayout): readonly string[] {
  const style = SOURCE_STYLES[section.source];
  const room = Math.max(20, columns - width - 5);
  let named = false;
  return section.text.split("\n").flatMap((line, at) => {
    const heading = at === 0 && section.heading !== undefined;
    return wrapLine(visible(line).trimEnd(), room).map((piece) => {
      const name = named ? "" : shortName(section.contributor);
      named = true;
      const margin = `  ${paint(style, `${name.padStart(width)} │`)}`;
      return piece === "" ? margin : `${margin} ${heading ? paint("bold", piece) : piece}`;
    });
  });
}

function boundaryLine({ sections, prefixTokens, tokens }: BuiltPrompt, { columns, paint }: PromptLayout): string {
  const turn = tokens - prefixTokens;
  const above = `cached above, ${count(prefixTokens)} tokens`;
  const text =
    sections.length === 0
      ? " nothing is told "
      : turn === 0
        ? ` ${above} · nothing below `
        : ` ${above} · changes every turn below, ${count(turn)} `;
  const rest = Math.max(0, columns - 4 - widthOf(text));
  const left = Math.min(4, rest);
  return `  ${paint("dim", `${"─".repeat(left)}${text}${"─".repeat(rest - left)}`)}`;
}
