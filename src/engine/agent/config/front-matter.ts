/** A markdown text and the YAML before it. `yaml` keeps the lines where they are in the file, so that faults fit. */
export type FrontMatter =
  | { readonly kind: "open" }
  | { readonly kind: "split"; readonly yaml: string; readonly content: string; readonly contentLine: number };

/** Between two lines of `---` at the very beginning; `open` when the second is missing. */
export function splitFrontMatter(text: string): FrontMatter {
  const lines = plainText(text).split("\n");
  if (!FENCE.test(lines[0] ?? "")) return { kind: "split", yaml: "", content: lines.join("\n"), contentLine: 1 };
  const end = lines.findIndex((line, at) => at > 0 && FENCE.test(line));
  if (end < 0) return { kind: "open" };
  return {
    kind: "split",
    yaml: ["", ...lines.slice(1, end)].join("\n"),
    content: lines.slice(end + 1).join("\n"),
    contentLine: Math.min(end + 2, lines.length),
  };
}

/** Without a byte order mark, its lines ended by LF. */
export function plainText(text: string): string {
  return text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}

const FENCE = /^---[ \t]*$/;
