import { demoteHeadings } from "../../base/kernel/foreign-text.ts";
import { cutGraphemes, neutraliseTags, wellFormed } from "../../base/kernel/text.ts";

const MAX_HEADING = 200;
const LEADING_HEADING = /^#{1,6}(?:[ \t]+([^\r\n\v\f\u0085\u2028\u2029]*))?(?=[\r\n\v\f\u0085\u2028\u2029]|$)/;

/** Whether Conduct's own tags in a text are somebody else's, or written by Conduct itself. */
export type OwnTags = "neutralise" | "keep";

/** Content as a section can have it; `heading` is the one it began with, where the section has none of its own. */
export type CleanContent = { readonly heading?: string; readonly content: string };

/** Trimmed, its headings below the sections', its code blocks closed. Blank content stays blank. */
export function cleanContent(given: string, titled: boolean, tags: OwnTags): CleanContent {
  const text = wellFormed(given).trim();
  const lead = titled ? null : LEADING_HEADING.exec(text);
  if (lead === null) return { content: demoteHeadings(text, tags) };
  // Marks at its end close a heading.
  const heading = cleanHeading(lead[1] ?? "")?.replace(/(?:^| )#+$/, "") ?? "";
  const content = demoteHeadings(text.slice(lead[0].length).trim(), tags);
  return heading === "" ? { content } : { heading, content };
}

/** A heading on one line; `undefined` when nothing of it can be seen. */
export function cleanHeading(given: string): string | undefined {
  const line = wellFormed(given)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  if (line === "") return undefined;
  return neutraliseTags(line.length <= MAX_HEADING ? line : `${cutGraphemes(line, MAX_HEADING - 1)}…`);
}
