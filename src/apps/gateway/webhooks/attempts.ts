import type { Delivery } from "../../../base/ports/stores/hosting/deliveries.ts";

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
/** The pauses between the attempts, as the Standard Webhooks specification proposes. */
export const PAUSES: readonly number[] = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR],
  ...[10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
];

export type Attempt = Pick<Delivery, "state" | "nextAt" | "attempts" | "result">;

/** What to store after an attempt that failed: when to try next, or that it was the last. `asked`: the least pause. */
export function again(id: string, attempts: number, now: number, result: string, asked: number): Attempt {
  const pause = PAUSES[attempts - 1];
  if (pause === undefined) return { state: "failed", attempts, nextAt: now, result };
  // Spreads the deliveries that failed together over a tenth of the pause.
  const spread = (Number.parseInt(id.slice(-4), 16) || 0) / 0xffff / 10;
  return { state: "waiting", attempts, nextAt: now + Math.max(asked, Math.round(pause * (1 + spread))), result };
}
