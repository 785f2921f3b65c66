import { createHmac, timingSafeEqual } from "node:crypto";
import { asObject } from "../../../../base/kernel/json.ts";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { type Rate, RateLimit } from "../../http/limits.ts";
import { Problem } from "../../http/problem.ts";
import { parseJson, readBody } from "../../http/request.ts";

/** An older signature could be a recorded one. */
const FRESH_S = 5 * 60;
const MOST_BYTES = 1024 * 1024;
/** Per address without a valid signature. */
const STRANGER_RATE: Rate = { burst: 20, perMinute: 20 };

/** A request of Slack whose signature is valid. */
export type SlackRequest =
  | { readonly kind: "challenge"; readonly challenge: string }
  | { readonly kind: "event"; readonly event: JsonObject }
  | { readonly kind: "interaction"; readonly payload: JsonObject };

/** Reads requests of Slack. Rejects with a `Problem` unless Slack has signed the body in the last five minutes. */
export function slackRequests(secret: string, clock: Clock) {
  const strangers = new RateLimit(STRANGER_RATE, clock);

  return async (request: Request, address: string): Promise<SlackRequest> => {
    const body = await readBody(request, MOST_BYTES);
    if (!isSigned(request.headers, body, secret, clock.now())) {
      strangers.take(address);
      const fix = "Check SLACK_SIGNING_SECRET: Slack shows it under Basic Information of the app.";
      throw new Problem(
        401,
        "UNAUTHORIZED",
        "The request has no valid signature of Slack from the last 5 minutes.",
        fix,
      );
    }
    if (request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") === true)
      return { kind: "interaction", payload: asObject(parseJson(new URLSearchParams(body).get("payload") ?? "{}")) };
    const { type, challenge, event } = asObject(parseJson(body));
    if (type === "url_verification") return { kind: "challenge", challenge: String(challenge) };
    return { kind: "event", event: asObject(event) };
  };
}

function isSigned(headers: Headers, body: string, secret: string, now: number): boolean {
  const time = headers.get("x-slack-request-timestamp") ?? "";
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1_000 - Number(time)) > FRESH_S) return false;
  const given = Buffer.from(headers.get("x-slack-signature") ?? "");
  const expected = Buffer.from(`v0=${createHmac("sha256", secret).update(`v0:${time}:${body}`).digest("hex")}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
