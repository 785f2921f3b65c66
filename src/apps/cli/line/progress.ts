import { count } from "../../shared/printable.ts";
import type { Terminal } from "./terminal.ts";

type Progress = { readonly done: number; readonly of: number };

const PATIENCE_MS = 1_000;
const EVERY_MS = { tty: 100, plain: 5_000 };

/** Shows progress after the first second; the second function clears the line. */
export function tellProgress(
  { tty, json, error, paint }: Terminal,
  doing: string,
  of: string,
  now: () => number = () => performance.now(),
): readonly [tell: (progress: Progress) => void, over: () => void] {
  let next = now() + PATIENCE_MS;
  let shown = false;
  const tell = (progress: Progress) => {
    if (json || now() < next) return;
    next = now() + (tty ? EVERY_MS.tty : EVERY_MS.plain);
    const line = `${doing}: ${count(progress.done)} of ${count(progress.of)} ${of}`;
    error(tty ? `\r\u001b[K  ${paint("dim", line)}` : `  ${line}\n`);
    shown = true;
  };
  return [tell, () => void (shown && tty && error("\r\u001b[K"))];
}
