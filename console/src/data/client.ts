import {
  type Answer,
  type CallOptions,
  conductClient,
  GatewayError,
  type Given,
  type JsonKey,
} from "agent-conduct/client";

export type { Answer, Given, JsonKey };
export { GatewayError };

/** The gateway that served this page, with the browser's cookie. */
export const client = conductClient();

/** The result of a request. Failures are values, so that every screen has to handle them. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: GatewayError };

/** Fires `signed-out` when the login has expired or was revoked. */
export const login = new EventTarget();

/** Calls a route. Every failure becomes a `GatewayError`; a lost connection has status 0. */
export async function ask<K extends JsonKey>(
  key: K,
  given: Given<K> | undefined,
  options?: CallOptions,
): Promise<Outcome<Answer<K>>> {
  return (await send(key, given, options)) as Outcome<Answer<K>>;
}

/** `ask` for a route that is only known at run time. */
export async function send(key: JsonKey, given: unknown, options: CallOptions = {}): Promise<Outcome<unknown>> {
  try {
    const call = client.call as (key: JsonKey, given: unknown, options: CallOptions) => Promise<unknown>;
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
    fix: "Check that it is running (npm start), then try again.",
  });
}

/** For an `Idempotency-Key`. `randomUUID` needs https or localhost. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
