/**
 * A typed client of the gateway.
 * @module client
 */

import { callback, checkOptions, number, optional, type ShapesOf, text } from "../../base/kernel/check-options.ts";
import type { Events, RouteEvents, RouteRequest } from "./http/route.ts";
import type { Routes } from "./http/routes/index.ts";

/** How to reach a gateway. */
export type ClientOptions = {
  /** URL of the gateway; the page's own origin by default. */
  readonly url?: string;
  /** Without a token, the browser's cookie is used. */
  readonly token?: string;
  readonly fetch?: typeof fetch;
  /** A stream without any data, even heartbeats, for this long is dead. A machine that slept would not notice otherwise. */
  readonly silenceMs?: number;
};

/** Three heartbeats of the gateway. */
const SILENCE_MS = 45_000;

type Key = keyof Routes;
/** Routes with one response. */
export type JsonKey = { [K in Key]: Routes[K]["response"] extends Events ? never : K }[Key];
/** Routes that stream server-sent events. */
export type StreamKey = Exclude<Key, JsonKey>;
/** The parameters, query and body of a route. */
export type Given<K extends Key> = RouteRequest<K, Routes[K]>;
/** The response of a route. */
export type Answer<K extends JsonKey> = Routes[K]["response"];
/** `idempotencyKey`: the same write sent twice is done once. */
export type CallOptions = { readonly idempotencyKey?: string; readonly signal?: AbortSignal };
/** The input of a route is optional if every part of it is. */
export type CallArgs<K extends Key> =
  Record<never, never> extends Given<K>
    ? [given?: Given<K>, options?: CallOptions]
    : [given: Given<K>, options?: CallOptions];
type Parts = {
  readonly params?: { readonly [name: string]: string };
  readonly query?: { readonly [name: string]: unknown };
  readonly body?: unknown;
};

/** The gateway refused or failed a request. */
export class GatewayError extends Error {
  readonly status: number;
  readonly code: string;
  readonly fix: string | undefined;
  /** The whole problem+json, with extra fields such as the faults of a definition. */
  readonly problem: Readonly<Record<string, unknown>>;
  constructor(status: number, problem: { readonly code?: string; readonly detail?: string; readonly fix?: string }) {
    super(problem.detail ?? `the gateway answered ${status}`);
    this.name = "GatewayError";
    this.status = status;
    this.code = problem.code ?? "UNKNOWN";
    this.fix = problem.fix;
    this.problem = { ...problem };
  }
}

async function failure(response: Response): Promise<GatewayError> {
  const problem: unknown = await response.json().catch(() => undefined);
  return new GatewayError(response.status, typeof problem === "object" && problem !== null ? problem : {});
}

/** A typed client of the gateway's HTTP API. */
export type ConductClient = ReturnType<typeof conductClient>;

/** The gateway's API, typed by its routes: `client.call("GET /api/agents")`. Works in Node and in browsers. */
export function conductClient(options: ClientOptions = {}) {
  checkOptions("conductClient", options, KEYS);
  const { url = "", token, fetch: send = fetch, silenceMs = SILENCE_MS } = options;

  function request(key: string, given: Parts, more: CallOptions = {}): Promise<Response> {
    const [method = "GET", path = ""] = key.split(" ");
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(given.params?.[name] ?? ""));
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(given.query ?? {}))
      if (value !== undefined) query.set(name, String(value));
    const headers = new Headers();
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    if (given.body !== undefined) headers.set("content-type", "application/json");
    if (more.idempotencyKey !== undefined) headers.set("idempotency-key", more.idempotencyKey);
    const body = given.body === undefined ? undefined : JSON.stringify(given.body);
    const search = query.size === 0 ? "" : `?${query}`;
    return send(`${url}${filled}${search}`, { method, headers, body, signal: more.signal });
  }

  return {
    /** Rejects with a `GatewayError` if the gateway refuses or fails the request. */
    async call<K extends JsonKey>(key: K, ...[given, options]: CallArgs<K>): Promise<Answer<K>> {
      const response = await request(key, (given ?? {}) as Parts, options);
      if (!response.ok) throw await failure(response);
      const isJson = response.headers.get("content-type")?.includes("json") === true;
      return (isJson ? await response.json() : await response.text()) as Answer<K>;
    },
    /**
     * Yields server-sent events until the signal or the gateway ends the stream. Rejects if the connection is lost.
     * `opened` is called when the stream is connected: events before that must be read with another route.
     */
    async *stream<K extends StreamKey>(
      key: K,
      given: Given<K>,
      signal: AbortSignal,
      opened: () => void = () => undefined,
    ): AsyncGenerator<RouteEvents<Routes[K]>> {
      const silence = new AbortController();
      const dead = () => silence.abort(new Error(`the gateway has sent nothing for ${silenceMs / 1_000} s`));
      let timer = setTimeout(dead, silenceMs);
      try {
        const response = await request(key, given as Parts, { signal: AbortSignal.any([signal, silence.signal]) });
        if (!response.ok || response.body === null) throw await failure(response);
        opened();
        const decoder = new TextDecoder();
        let held = "";
        // A reader instead of `for await`, because not every browser can iterate a stream.
        const reader = response.body.getReader();
        for (let next = await reader.read(); !next.done; next = await reader.read()) {
          clearTimeout(timer);
          held += decoder.decode(next.value, { stream: true });
          const blocks = held.split("\n\n");
          held = blocks.pop() ?? "";
          for (const block of blocks) {
            const event = /^event: ?(.*)$/m.exec(block)?.[1];
            const data = [...block.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join("\n");
            if (event !== undefined) yield { event, data: JSON.parse(data) } as RouteEvents<Routes[K]>;
          }
          timer = setTimeout(dead, silenceMs);
        }
      } finally {
        clearTimeout(timer);
        // Closes the connection when the consumer stops iterating.
        silence.abort();
      }
    },
  };
}

const KEYS: ShapesOf<ClientOptions> = {
  url: optional(text),
  token: optional(text),
  fetch: optional(callback),
  silenceMs: optional(number),
};
