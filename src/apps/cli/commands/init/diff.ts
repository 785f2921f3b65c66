import { type DiffLine, diffLines } from "../../../gateway/api/diff-lines.ts";
import type { Change } from "../../../install/plan.ts";
import type { Paint } from "../../line/paint.ts";
import { clip, plural, printableLine, wrap } from "../../line/printable.ts";

const AROUND = 2;
/** Of a long piece so many lines are shown, unless all are asked for. */
const MOST = 12;

export type DiffLayout = {
  readonly paint: Paint;
  readonly columns: number;
  /** The person's home, for short paths. */
  readonly home: string;
  /** Is not shown, wherever it stands. */
  readonly secret: string;
  readonly full: boolean;
  readonly about: boolean;
};

/** One file's change: what goes, what comes, and a little around it. */
export function renderChange({ file, before, after }: Change, layout: DiffLayout): string {
  const { paint, secret } = layout;
  const [old, fresh] = [before, after].map((text) => (text ?? "").replace(/\n$/, "").replaceAll(secret, "‹token›"));
  const lines = linesOf(old ?? "", fresh ?? "");
  const [come, go] = (["new", "gone"] as const).map((kind) => lines.filter((line) => line.kind === kind).length);
  const what =
    before === undefined
      ? `new file, ${plural(come ?? 0, "line")}`
      : after === undefined
        ? "is removed"
        : `+${come} -${go} lines`;
  const head = `  ${paint("bold", shortPath(file.path, layout.home))}  ${paint("dim", what)}`;
  const about = !layout.about ? [] : wrap(file.about, layout.columns - 6).map((line) => `    ${paint("dim", line)}`);
  const shown = pieces(lines).flatMap((piece) => renderPiece(piece, layout));
  return `${[head, ...about, ...shown].join("\n")}\n`;
}

/** A file that is new, or goes, has no lines in common with one that is empty. */
function linesOf(old: string, fresh: string): readonly DiffLine[] {
  if (old !== "" && fresh !== "") return diffLines(old, fresh);
  const [kind, text] = old === "" ? (["new", fresh] as const) : (["gone", old] as const);
  return text === "" ? [] : text.split("\n").map((line) => ({ kind, text: line }));
}

export function shortPath(path: string, home: string): string {
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** The changed lines with a few around them; what lies between is left out. */
function pieces(lines: readonly DiffLine[]): readonly (readonly DiffLine[])[] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== "same"),
  );
  const found: DiffLine[][] = [];
  for (const [at, line] of lines.entries()) {
    if (near[at] !== true) continue;
    if (near[at - 1] !== true) found.push([]);
    found.at(-1)?.push(line);
  }
  return found;
}

function renderPiece(piece: readonly DiffLine[], { paint, columns, full }: DiffLayout): readonly string[] {
  const cut = !full && piece.length > MOST + 2;
  const lines = (cut ? piece.slice(0, MOST) : piece).map(({ kind, text }) => {
    const line = clip(printableLine(text), columns - 8);
    if (kind === "same") return `      ${line}`.trimEnd();
    return kind === "new" ? paint("green", `    + ${line}`.trimEnd()) : paint("red", `    - ${line}`.trimEnd());
  });
  const more = cut ? [paint("dim", `      … ${plural(piece.length - MOST, "line")} more; --full shows them`)] : [];
  return [...lines, ...more];
}
