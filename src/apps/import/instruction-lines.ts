/** A sentence or list item of an instruction file. Lines count from 1. */
export type Statement = { readonly line: number; readonly text: string };

/** A list item or paragraph: its lines as written, and the sentences in it. */
export type Unit = { readonly line: number; readonly raw: string; readonly statements: readonly Statement[] };

/** The part of a file below one heading. `path` has the headings above it, outermost first. */
export type Section = { readonly path: readonly string[]; readonly line: number; readonly units: readonly Unit[] };

/** `conduct export` writes between these lines; `conduct import` skips what is there. */
export const EXPORT_BEGIN = "<!-- conduct export: begin -->";
export const EXPORT_END = "<!-- conduct export: end -->";

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*\s*$/;

/** Splits Markdown into sections. Front matter, comments and Conduct's own block have no statements. */
export function readInstructions(text: string): readonly Section[] {
  const lines = blanked(text.replace(/^\uFEFF/, "").split(/\r?\n/));
  const sections: { path: readonly string[]; line: number; units: Unit[] }[] = [{ path: [], line: 1, units: [] }];
  const above: { readonly level: number; readonly title: string }[] = [];
  let unit: { line: number; lines: string[]; isCode: boolean } | undefined;
  const end = () => {
    if (unit !== undefined) sections.at(-1)?.units.push(unitOf(unit));
    unit = undefined;
  };
  let fence: string | undefined;
  for (const [at, line] of lines.entries()) {
    const [, mark] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      unit?.lines.push(line);
      if (mark?.startsWith(fence)) {
        fence = undefined;
        end();
      }
      continue;
    }
    const heading = HEADING.exec(line);
    if (mark !== undefined) {
      end();
      fence = mark;
      unit = { line: at + 1, lines: [line], isCode: true };
    } else if (heading !== null) {
      end();
      const [, marks = "", title = ""] = heading;
      while ((above.at(-1)?.level ?? 0) >= marks.length) above.pop();
      above.push({ level: marks.length, title: plainText(title) });
      sections.push({ path: above.map((one) => one.title), line: at + 1, units: [] });
    } else if (line.trim() === "") {
      end();
    } else {
      if (ITEM.test(line)) end();
      unit ??= { line: at + 1, lines: [], isCode: /^\s*[|>]/.test(line) };
      unit.lines.push(line);
    }
  }
  end();
  return sections.filter(({ units }) => units.length > 0);
}

/** The lines with front matter, HTML comments and Conduct's own block emptied; positions stay. */
function blanked(lines: readonly string[]): readonly string[] {
  const front = lines[0]?.trim() === "---" ? lines.findIndex((line, at) => at > 0 && line.trim() === "---") : -1;
  let skip: "own" | "comment" | undefined;
  return lines.map((line, at) => {
    if (at <= front) return "";
    if (skip === "own" || line.trim() === EXPORT_BEGIN) {
      skip = line.trim() === EXPORT_END ? undefined : "own";
      return "";
    }
    if (skip === "comment") {
      if (!line.includes("-->")) return "";
      skip = undefined;
      return line.slice(line.indexOf("-->") + 3);
    }
    const rest = line.replace(/<!--.*?-->/g, "");
    if (!rest.includes("<!--")) return rest;
    skip = "comment";
    return rest.slice(0, rest.indexOf("<!--"));
  });
}

function unitOf(unit: { readonly line: number; readonly lines: readonly string[]; readonly isCode: boolean }): Unit {
  const raw = unit.lines.join("\n").trimEnd();
  if (unit.isCode) return { line: unit.line, raw, statements: [] };
  const statements: { line: number; text: string }[] = [];
  let open = true;
  for (const [at, line] of unit.lines.entries()) {
    const pieces = (at === 0 ? line.replace(ITEM, "") : line).trim().split(/(?<=[.!?])\s+(?=["“'`*_A-Z(])/);
    for (const [index, piece] of pieces.entries()) {
      const last = statements.at(-1);
      // A sentence that began on the line above goes on here.
      if (index === 0 && last !== undefined && open) last.text += ` ${piece}`;
      else statements.push({ line: unit.line + at, text: piece });
      open = !/[.!?]["”')*_]*$/.test(piece);
    }
  }
  return { line: unit.line, raw, statements: statements.map((one) => ({ ...one, text: plainText(one.text) })) };
}

/** The text without Markdown's emphasis and links. Code keeps its backticks. */
function plainText(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, at) =>
      at % 2 === 1
        ? part
        : part
            .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
            .replace(/(\*\*|__)(?=\S)(.*?)(?<=\S)\1/g, "$2")
            .replace(/\*\*|(?<![\w*])[*_](?=\S)|(?<=\S)[*_](?![\w*])/g, ""),
    )
    .join("")
    .replace(/\s+/g, " ")
    .trim();
}
