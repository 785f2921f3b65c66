export type DiffLine = { readonly kind: "same" | "gone" | "new"; readonly text: string };

/** Larger texts are shown as fully removed and added, because the table would need too much memory. */
const MOST_CELLS = 4_000_000;

/** Compares two texts line by line, by their longest common subsequence. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const head = commonLength(a, b, (index) => [a[index], b[index]]);
  const tail = commonLength(a.slice(head), b.slice(head), (index) => [
    a[a.length - 1 - index],
    b[b.length - 1 - index],
  ]);
  const middle = changed(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const same = (text: string): DiffLine => ({ kind: "same", text });
  return [...a.slice(0, head).map(same), ...middle, ...a.slice(a.length - tail).map(same)];
}

function commonLength(
  a: readonly string[],
  b: readonly string[],
  pair: (index: number) => readonly [string | undefined, string | undefined],
): number {
  const most = Math.min(a.length, b.length);
  for (let index = 0; index < most; index++) {
    const [left, right] = pair(index);
    if (left !== right) return index;
  }
  return most;
}

function changed(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const gone = (text: string): DiffLine => ({ kind: "gone", text });
  const fresh = (text: string): DiffLine => ({ kind: "new", text });
  if (a.length * b.length > MOST_CELLS) return [...a.map(gone), ...b.map(fresh)];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push({ kind: "same", text: left });
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(gone(left));
      i += 1;
    } else if (right !== undefined) {
      lines.push(fresh(right));
      j += 1;
    }
  }
  return lines;
}
