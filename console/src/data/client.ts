import { type Answer, conductClient, GatewayError, type Given, type JsonKey } from "agent-conduct/client";

export type { Answer, Given, JsonKey };
export { GatewayError };

/** The gateway that served this page; the browser's cookie says who asks. */
export const client = conductClient();

/** What became of a request: failures are values, so that every screen has to show them. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: GatewayError };

/** Arguments of a route; none where it takes none. */
export type Args<K extends JsonKey> = Record<never, never> extends Given<K> ? [given?: Given<K>] : [given: Given<K>];

/** Hears `signed-out` when the gateway no longer knows the browser: the login has expired or was revoked. */
export const login = new EventTarget();

/** Asks once; whatever goes wrong becomes a `GatewayError`, a lost connection too (status 0). */
export async function ask<K extends JsonKey>(
  key: K,
  given: Given<K> | undefined,
  options: { readonly idempotencyKey?: string; readonly signal?: AbortSignal } = {},
): Promise<Outcome<Answer<K>>> {
  try {
    const call = client.call as (key: K, given: unknown, options: object) => Promise<Answer<K>>;
    return { ok: true, value: await call(key, given ?? {}, options) };
  } catch (thrown) {
    const error = asGatewayError(thrown);
    if (error.code === "UNAUTHORIZED") login.dispatchEvent(new Event("signed-out"));
    return { ok: false, error };
  }
}

export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError(0, {
    code: "UNREACHABLE",
    detail: "The gateway does not answer.",
    fix: "Look whether it still runs (npm start), then try again.",
  });
}

/** For an `Idempotency-Key`; `randomUUID` is not there on plain http from another machine. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
