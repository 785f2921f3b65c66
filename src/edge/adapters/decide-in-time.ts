import type { Decision } from "../../base/words/decision.ts";

/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

export type InTime = {
  /** Left out: for ever. */
  readonly limitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Hears of a decision that came too late and was no denial: the call it let through never runs. */
  giveBack(): unknown;
};

/** Waits for a decision no longer than that, and not beyond an abort; rejects then, so that the call does not run. */
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
      Math.min(limitMs, MAX_TIMER_MS),
      `Conduct has not answered within ${Math.round(limitMs / 100) / 10} s`,
    );
    over.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
  const first = await Promise.race([deciding, tooLate]).finally(() => over.abort());
  if (typeof first !== "string") return first;
  // Whether that fails as well is of no use to anybody any more.
  deciding.then(({ kind }) => (kind === "deny" ? undefined : giveBack())).catch(() => undefined);
  throw new Error(first);
}
