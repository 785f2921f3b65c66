import type { DiffLine } from "../../ui/diff.tsx";

/** Runs of unchanged lines become one that says how many they are; some stay around what changed. */
export function foldSame(lines: readonly DiffLine[], around = 3): readonly DiffLine[] {
  const isNear = lines.map(() => false);
  for (const [at, { kind }] of lines.entries()) {
    if (kind === "same") continue;
    for (let near = Math.max(0, at - around); near <= Math.min(lines.length - 1, at + around); near += 1)
      isNear[near] = true;
  }
  const folded: DiffLine[] = [];
  let hidden = 0;
  const close = () => {
    if (hidden > 0) folded.push({ kind: "same", text: `… ${hidden} ${hidden === 1 ? "line" : "lines"} unchanged` });
    hidden = 0;
  };
  for (const [at, line] of lines.entries()) {
    if (isNear[at] === true) {
      close();
      folded.push(line);
    } else hidden += 1;
  }
  close();
  return folded;
}
