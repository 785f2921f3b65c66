import type { PromptContributor } from "../../../base/words/prompt.ts";
import { isReservedHeading } from "../../../behavior/prompt/reserved-headings.ts";
import { cleanContent } from "../../../behavior/prompt/section-measures.ts";
import { buildContributor } from "../build-agent.ts";
import { splitFrontMatter } from "./config-files.ts";
import { type Complaint, type ConfigFault, ConfigSource, sortFaults } from "./config-source.ts";
import { contributorProblems } from "./contributor-problems.ts";
import { contributorKeys } from "./prompt-schema.ts";
import { readForm } from "./schema-faults.ts";
import { idText, map, optional } from "./schema-fields.ts";

/** Maximum size in characters. */
export const PROMPT_FILE_MAX = 20_000;
/** The same for messages; `toLocaleString` would load the locale tables at every start. */
export const PROMPT_FILE_LIMIT = "20,000";

/** A contributor and the line of its id, or all faults. */
export type ParsedPromptFile =
  | { readonly contributor: PromptContributor; readonly idLine: number }
  | { readonly faults: readonly ConfigFault[] };

/**
 * Parses markdown with optional front matter. `file` is its name in faults; it also makes the id, unless one is set.
 */
export function parsePromptFile(text: string, file: string): ParsedPromptFile {
  const fault = (line: number, message: string, hint: string): ConfigFault => {
    return { file, line, column: 1, path: "", message, hint };
  };
  if (text.length > PROMPT_FILE_MAX) {
    const message = `the file is longer than ${PROMPT_FILE_LIMIT} characters`;
    return {
      faults: [
        fault(1, message, "split the file, or list it under prompt.docs so that the agent reads it when needed"),
      ],
    };
  }
  const split = splitFrontMatter(text);
  if (split.kind === "open") {
    return { faults: [fault(1, "the front matter has no end", "end it with a line of ---")] };
  }
  const source = new ConfigSource(split.yaml, file);
  const read = readForm(source, FORM);
  if ("faults" in read) return read;
  const content = split.content.trim();
  const contributor = buildContributor({ id: idOf(file), ...read.data, content });
  const complaints: readonly Complaint[] = [
    ...read.complaints,
    ...contributorProblems(contributor).map(({ at, ...problem }) => ({ path: at, ...problem })),
  ];
  const faults = [
    ...complaints.map(source.locate),
    ...reservedTitle(read.data?.heading, content).map((title) =>
      fault(
        split.contentLine,
        `the heading '${title}' is reserved for one of Conduct's own sections`,
        "give the file another heading",
      ),
    ),
    ...(content === ""
      ? [fault(split.contentLine, "the file has no content", "write the content below the front matter")]
      : []),
  ];
  if (faults.length > 0) return { faults: sortFaults(faults) };
  const written = read.data?.id !== undefined;
  return { contributor, idLine: written ? source.locate({ path: ["id"], message: "" }).line : 1 };
}

/** Without `heading`, the first heading of the text is the title. */
function reservedTitle(heading: string | undefined, content: string): readonly string[] {
  const title = cleanContent(content, heading !== undefined, "neutralise").heading;
  return title !== undefined && isReservedHeading(title) ? [title] : [];
}

const FORM = {
  schema: map({
    id: optional(idText()),
    ...contributorKeys,
    maxChars: contributorKeys.maxChars.refine((value) => value === undefined || value <= PROMPT_FILE_MAX, {
      error: `must be at most ${PROMPT_FILE_LIMIT}`,
    }),
  }).nullable(),
  unknownKey: (_path: unknown, key: string) =>
    key === "content" ? { hint: "write the content below the front matter instead" } : undefined,
};

/** `workspace:style` for `.agents/prompts/style.md`. */
function idOf(file: string): string {
  const name = (file.split("/").at(-1) ?? "").replace(/\.md$/i, "").replace(/[^\p{L}\p{N}._:/-]+/gu, "-");
  return `workspace:${name}`.slice(0, 100);
}
