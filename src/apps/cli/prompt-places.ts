import type { LintFinding } from "../../behavior/prompt/lint-prompt.ts";

/** Where the words of a finding stand, as far as that can be told from the files. Lines count from 1. */
export type Place = { readonly file: string; readonly line: number };

/** The files that a contributor's text may be in, its own file first. */
export type PlaceFiles = {
  readonly texts: ReadonlyMap<string, string>;
  fileOf(contributor: string): string | undefined;
};

/**
 * The line that has the quoted words: in the contributor's own file, else after the line with its id, else wherever they
 * are first. Without a quote, or where it runs over lines, the line with the id.
 */
export function placeOf({ contributor, quote }: LintFinding, { texts, fileOf }: PlaceFiles): Place | undefined {
  const own = fileOf(contributor);
  const files = own === undefined ? [...texts] : [...texts].filter(([file]) => file === own);
  const wanted = quote?.split("\n")[0]?.trim() ?? "";
  let named: Place | undefined;
  let quoted: Place | undefined;
  for (const [file, text] of files) {
    const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
    const id = lines.findIndex((line) =>
      new RegExp(`\\bid:\\s*['"]?${literal(contributor)}['"]?(?:[\\s,}]|$)`).test(line),
    );
    const from = Math.max(0, id);
    const after = wanted === "" ? -1 : lines.findIndex((line, at) => at >= from && line.includes(wanted));
    if (id >= 0) named ??= { file, line: id + 1 };
    if (after >= 0 && (quoted === undefined || id >= 0)) quoted = { file, line: after + 1 };
    if (id >= 0 && after >= 0) return quoted;
  }
  return quoted ?? named ?? (own === undefined ? undefined : { file: own, line: 1 });
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
