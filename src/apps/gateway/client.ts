import { callback, checkOptions, number, optional, type ShapesOf, text } from "../../base/kernel/check-options.ts";
import type { RouteOutput, RouteRequest } from "./api/route.ts";
import type { Routes } from "./api/routes.ts";

export type ClientOptions = {
  /** Where the gateway is; the page's own origin unless told. */
  readonly url?: string;
  /** Without one the browser's cookie is used. */
  readonly token?: string;
  readonly fetch?: typeof fetch;
  /** A stream on which nothing comes for so long, not even a heartbeat, is dead: a machine that slept hears nothing of that. */
  readonly silenceMs?: number;
};

/** Three heartbeats of the gateway's. */
const SILENCE_MS = 45_000;

type Key = keyof Routes;
/** Routes that answer once. */
export type JsonKey = { [K in Key]: Routes[K]["response"] extends "events" ? never : K }[Key];
/** Routes that go on: server-sent events. */
export type StreamKey = { [K in Key]: Routes[K]["response"] extends "events" ? K : never }[Key];
/** What a route is sent. */
export type Given<K extends Key> = RouteRequest<K, Routes[K]>;
/** What it answers. */
export type Answer<K extends JsonKey> = RouteOutput<Routes[K]>;
type Parts = {
  readonly params?: { readonly [name: string]: string };
  readonly query?: { readonly [name: string]: unknown };
  readonly body?: unknown;
};

/** What the gateway answered when it was not what was asked for. */
export class GatewayError extends Error {
  readonly status: number;
  readonly code: string;
  readonly fix: string | undefined;
  /** All that it said: some have more, as the faults of a definition. */
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

export type ConductClient = ReturnType<typeof conductClient>;

/** The gateway's API, typed by its routes: `client.call("GET /api/agents")`. Works in Node and in browsers. */
export function conductClient(options: ClientOptions = {}) {
  checkOptions("conductClient", options, KEYS);
  const { url = "", token, fetch: send = fetch, silenceMs = SILENCE_MS } = options;

  function request(key: string, given: Parts, more: RequestInit = {}): Promise<Response> {
    const [method = "GET", path = ""] = key.split(" ");
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(given.params?.[name] ?? ""));
    const asked = Object.entries(given.query ?? {}).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(
      Object.fromEntries(asked.map(([name, value]) => [name, String(value)])),
    ).toString();
    return send(`${url}${filled}${search === "" ? "" : `?${search}`}`, {
      method,
      ...more,
      headers: {
        ...(given.body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...more.headers,
      },
      ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
    });
  }

  return {
    /** `idempotencyKey`: the same write sent twice is done once. Throws a `GatewayError`. */
    async call<K extends JsonKey>(
      key: K,
      ...[given, options]: Record<never, never> extends Given<K>
        ? [given?: Given<K>, options?: { readonly idempotencyKey?: string; readonly signal?: AbortSignal }]
        : [given: Given<K>, options?: { readonly idempotencyKey?: string; readonly signal?: AbortSignal }]
    ): Promise<Answer<K>> {
      const response = await request(key, (given ?? {}) as Parts, {
        ...(options?.signal === undefined ? {} : { signal: options.signal }),
        ...(options?.idempotencyKey === undefined ? {} : { headers: { "idempotency-key": options.idempotencyKey } }),
      });
      if (!response.ok) throw await failure(response);
      const isJson = response.headers.get("content-type")?.includes("json") === true;
      return (isJson ? await response.json() : await response.text()) as Answer<K>;
    },
    /**
     * Server-sent events, as they come, until the signal ends it or the gateway does; rejects when the connection breaks or dies.
     * `opened`: from now on nothing is missed. Whoever opens it again reads then what happened in between.
     */
    async *stream<K extends StreamKey>(
      key: K,
      given: Given<K>,
      signal: AbortSignal,
      opened: () => void = () => undefined,
    ): AsyncGenerator<{ readonly event: string; readonly data: unknown }> {
      const silence = new AbortController();
      const dead = () => silence.abort(new Error(`nothing has come from the gateway for ${silenceMs / 1_000} s`));
      let timer = setTimeout(dead, silenceMs);
      try {
        const response = await request(key, given as Parts, { signal: AbortSignal.any([signal, silence.signal]) });
        if (!response.ok || response.body === null) throw await failure(response);
        opened();
        const decoder = new TextDecoder();
        let held = "";
        // Not `for await`: not every browser's stream can be iterated.
        const reader = response.body.getReader();
        for (let next = await reader.read(); !next.done; next = await reader.read()) {
          clearTimeout(timer);
          held += decoder.decode(next.value, { stream: true });
          const blocks = held.split("\n\n");
          held = blocks.pop() ?? "";
          for (const block of blocks) {
            const event = /^event: ?(.*)$/m.exec(block)?.[1];
            const data = [...block.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join("\n");
            if (event !== undefined) yield { event, data: JSON.parse(data) };
          }
          timer = setTimeout(dead, silenceMs);
        }
      } finally {
        clearTimeout(timer);
        // Whoever no longer listens keeps no connection.
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
