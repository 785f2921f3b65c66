import { createHash, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../../base/ports/clock.ts";
import { type Rate, RateLimit } from "../http/limits.ts";
import { Problem } from "../http/problem.ts";
import { readBody } from "../http/request.ts";

const SECRET_HEADER = "x-telegram-bot-api-secret-token";
/** Far above Telegram's own limit for a bot. */
const TELEGRAM_RATE: Rate = { burst: 200, perMinute: 1_800 };
/** Per address without the secret. Separate, so that strangers cannot use up Telegram's allowance. */
const STRANGER_RATE: Rate = { burst: 20, perMinute: 20 };
/** An update is a few kilobytes. */
const MOST_BYTES = 512 * 1024;

export type WebhookOptions = {
  readonly secret: string;
  /** Receives only authenticated, complete requests. */
  readonly handle: (request: Request) => Promise<Response>;
  readonly clock: Clock;
};

/** Handles webhook requests. Checks the secret before reading the body. Rejects with a `Problem`. */
export function guardWebhook({ secret, handle, clock }: WebhookOptions) {
  const expected = hashOf(secret);
  const [telegram, strangers] = [new RateLimit(TELEGRAM_RATE, clock), new RateLimit(STRANGER_RATE, clock)];

  return async (request: Request, address: string): Promise<Response> => {
    if (!timingSafeEqual(hashOf(request.headers.get(SECRET_HEADER) ?? ""), expected)) {
      strangers.take(address);
      const fix = "Set the webhook again with TELEGRAM_WEBHOOK_SECRET as its secret_token.";
      throw new Problem(401, "UNAUTHORIZED", "The webhook's secret is missing or wrong.", fix);
    }
    telegram.take("telegram");
    const { url, method, headers } = request;
    return handle(new Request(url, { method, headers, body: await readBody(request, MOST_BYTES) }));
  };
}

/** Hashing gives both sides one length, so the comparison leaks nothing about the secret. */
function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
