import { createHash } from "node:crypto";
import type { Clock } from "../../../base/ports/clock.ts";
import type { RepliesStore } from "../../../base/ports/stores/replies.ts";
import { Problem } from "./problem.ts";

/** A write that a crash interrupted may be sent again after this time. */
const STALE_MS = 5 * 60_000;
const KEY = /^[\x21-\x7e]{1,200}$/;

/** Runs a write once. The same key and request get the first response again. */
export async function once(
  replies: RepliesStore,
  clock: Clock,
  request: {
    readonly key: string;
    readonly user: string;
    readonly route: string;
    readonly body: string;
    /** The response is not stored; a repeated request gets an error. */
    readonly secret?: true;
  },
  answer: () => Promise<Response>,
): Promise<Response> {
  if (!KEY.test(request.key))
    throw new Problem(400, "BAD_INPUT", "Idempotency-Key must be 1 to 200 printable characters without spaces.");
  const key = hashOf(`${request.user}\n${request.key}`);
  const asked = hashOf(`${request.route}\n${request.body}`);
  const now = clock.now();
  const claim = await replies.claim(key, asked, now, now - STALE_MS);
  switch (claim.kind) {
    case "replied":
      if (claim.status === SHOWN)
        throw new Problem(
          409,
          "SHOWN_ONCE",
          "The response to this request contained a secret, which is shown only once.",
          "Create a new one with another Idempotency-Key.",
        );
      return json(claim.status, claim.body, { "idempotent-replay": "true" });
    case "under-way":
      throw new Problem(409, "UNDER_WAY", "A request with this Idempotency-Key is in progress.", "Retry in a moment.");
    case "other":
      throw new Problem(422, "KEY_REUSED", "This Idempotency-Key was used for another request.", "Use a new key.");
    case "new":
      return keepAnswer(replies, { key, at: now }, answer, request.secret === true);
  }
}

/** The status of a response that was not stored. */
const SHOWN = 0;

async function keepAnswer(
  replies: RepliesStore,
  { key, at }: { readonly key: string; readonly at: number },
  answer: () => Promise<Response>,
  isSecret: boolean,
): Promise<Response> {
  try {
    const response = await answer();
    if (isSecret) await replies.keep(key, at, SHOWN, "");
    else await replies.keep(key, at, response.status, await response.clone().text());
    return response;
  } catch (error) {
    // A failed write changed nothing, so it may be tried again.
    await replies.drop(key, at);
    throw error;
  }
}

export function json(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Response {
  const empty = status === 204;
  return new Response(empty ? null : body, {
    status,
    headers: { ...(empty ? {} : { "content-type": "application/json" }), "cache-control": "no-store", ...headers },
  });
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
