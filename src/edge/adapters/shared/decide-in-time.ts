import type { Decision } from "../../../base/words/decision.ts";

/** Node fires a longer timer at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** Limits a duration to what a timer accepts. */
export function timerMs(ms: number): number {
  return Math.min(Math.max(1, ms), MAX_TIMER_MS);
}

type InTime = {
  /** No limit by default. */
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
  /** Called when the decision is late and no denial: the allowed call never runs. */
  giveBack(): unknown;
};

/** Waits for a decision until the limit or an abort; then it rejects, so that the call does not run. */
export async function decideInTime(
  deciding: Promise<Decision>,
  { limitMs, signal, giveBack }: InTime,
): Promise<Decision> {
  const over = new AbortController();
  const tooLate = new Promise<string>((resolve) => {
    const aborted = () => resolve("the run was aborted before it was decided");
    if (signal?.aborted === true) aborted();
    signal?.addEventListener("abort", aborted, { once: true, signal: over.signal });
    if (limitMs === undefined) return;
    const timer = setTimeout(
      resolve,
      timerMs(limitMs),
      `Conduct has not answered within ${Math.round(limitMs / 100) / 10} s`,
    );
    over.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
  const first = await Promise.race([deciding, tooLate]).finally(() => over.abort());
  if (typeof first !== "string") return first;
  deciding.then(({ kind }) => (kind === "deny" ? undefined : giveBack())).catch(() => undefined);
  throw new Error(first);
}
