/** The lines that differ, as in a diff: `-` is only in the first text, `+` only in the second. */
export type LineDiff = { readonly added: number; readonly removed: number; readonly lines: readonly string[] };

/** Beyond this, the parts that differ count as replaced as a whole. */
const MAX_CELLS = 1_000_000;

/** Compares two texts line by line. */
export function diffLines(before: string, after: string): LineDiff {
  const [a, b] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const lines = changesOf(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const added = lines.filter((line) => line.startsWith("+")).length;
  return { added, removed: lines.length - added, lines };
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** By the longest common subsequence. */
function changesOf(a: readonly string[], b: readonly string[]): readonly string[] {
  const width = b.length + 1;
  if ((a.length + 1) * width > MAX_CELLS) return [...a.map((line) => `-${line}`), ...b.map((line) => `+${line}`)];
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) [i, j] = [i + 1, j + 1];
    else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) lines.push(`-${a[i++]}`);
    else lines.push(`+${b[j++]}`);
  }
  return lines;
}
