import { createHash, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../../base/ports/clock.ts";
import { type Rate, RateLimit } from "../http/limits.ts";
import { Problem } from "../http/problem.ts";
import { readBody } from "../http/request.ts";

const SECRET_HEADER = "x-telegram-bot-api-secret-token";
/** Telegram's own limit on requests to a bot is far below this. */
const TELEGRAM_RATE: Rate = { burst: 200, perMinute: 1_800 };
/** For each address that does not know the secret. Separate, so that a stranger cannot use up Telegram's. */
const STRANGER_RATE: Rate = { burst: 20, perMinute: 20 };
/** An update is a few kilobytes: a text of 4,096 characters and what Telegram says of its sender. */
const MOST_BYTES = 512 * 1024;

export type WebhookOptions = {
  readonly secret: string;
  /** Gets requests of Telegram only, their body complete. */
  readonly handle: (request: Request) => Promise<Response>;
  readonly clock: Clock;
};

/** Answers Telegram. The secret is checked before anything of the body is read. Rejects with a `Problem`. */
export function guardWebhook({ secret, handle, clock }: WebhookOptions) {
  const expected = hashOf(secret);
  const [telegram, strangers] = [new RateLimit(TELEGRAM_RATE, clock), new RateLimit(STRANGER_RATE, clock)];

  return async (request: Request, address: string): Promise<Response> => {
    if (!timingSafeEqual(hashOf(request.headers.get(SECRET_HEADER) ?? ""), expected)) {
      strangers.take(address);
      throw new Problem(401, "UNAUTHORIZED", "The secret of the webhook is missing or wrong.", {
        fix: "Set the webhook again with the secret_token of TELEGRAM_WEBHOOK_SECRET.",
      });
    }
    telegram.take("telegram");
    const { url, method, headers } = request;
    return handle(new Request(url, { method, headers, body: await readBody(request, MOST_BYTES) }));
  };
}

/** Hashes have one length, so that comparing them tells nothing about the secret. */
function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
