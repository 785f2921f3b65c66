import { errorText } from "../../../base/kernel/error-text.ts";
import type { Delivery } from "../../../base/ports/stores/hosting/deliveries.ts";
import { PUBLIC_ONLY, pinnedFetch, type UrlChecks } from "../../../edge/host/node/safe-url.ts";
import type { Webhook } from "../../../edge/host/opening/load-outgoing.ts";
import { type Attempt, again } from "./attempts.ts";
import { signedHeaders } from "./sign-webhook.ts";

const SEND_MS = 15_000;
const SECOND = 1_000;
const LONGEST_WAIT = 24 * 3_600_000;
export type SendOptions = {
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly checks?: UrlChecks;
};

/**
 * Sends a delivery once. The address is checked when it is connected to, and redirects are not followed. Resolves to
 * what to store; rejects only if `signal` was aborted, which is no attempt.
 */
export async function sendWebhook(
  { url, key, allowPrivate }: Webhook,
  { id, body, attempts: before }: Delivery,
  { now, signal, checks = PUBLIC_ONLY }: SendOptions,
): Promise<Attempt> {
  const attempts = before + 1;
  const ask = pinnedFetch(allowPrivate ? { ...checks, isAllowed: () => true } : checks);
  try {
    const response = await ask(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...signedHeaders(key, id, now(), body) },
      body: Buffer.from(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(SEND_MS)]),
    });
    await response.body?.cancel();
    const { status } = response;
    if (status >= 200 && status < 300) return { state: "delivered", attempts, nextAt: now(), result: String(status) };
    if (status === 410) return { state: "failed", attempts, nextAt: now(), result: "410: the receiver is gone" };
    return again(id, attempts, now(), resultOf(status), waitOf(response.headers.get("retry-after"), now()));
  } catch (error) {
    signal.throwIfAborted();
    return again(id, attempts, now(), errorText(error).slice(0, 500), 0);
  }
}

function resultOf(status: number): string {
  return status >= 300 && status < 400 ? `${status}: redirects are not followed` : String(status);
}

/** `Retry-After` in milliseconds: seconds or a date. */
function waitOf(header: string | null, now: number): number {
  if (header === null) return 0;
  const wait = /^\d+$/.test(header.trim()) ? Number(header) * SECOND : Date.parse(header) - now;
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), LONGEST_WAIT);
}
