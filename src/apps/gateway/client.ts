import type { RouteOutput, RouteRequest } from "./api/route.ts";
import type { Routes } from "./api/routes.ts";

export type ClientOptions = {
  /** Where the gateway is; the page's own origin unless told. */
  readonly url?: string;
  /** Without one the browser's cookie is used. */
  readonly token?: string;
  readonly fetch?: typeof fetch;
};

type Key = keyof Routes;
type JsonKey = { [K in Key]: Routes[K]["response"] extends "events" ? never : K }[Key];
type StreamKey = { [K in Key]: Routes[K]["response"] extends "events" ? K : never }[Key];
type Given<K extends Key> = RouteRequest<K, Routes[K]>;
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
  constructor(status: number, problem: { readonly code?: string; readonly detail?: string; readonly fix?: string }) {
    super(problem.detail ?? `the gateway answered ${status}`);
    this.name = "GatewayError";
    this.status = status;
    this.code = problem.code ?? "UNKNOWN";
    this.fix = problem.fix;
  }
}

async function failure(response: Response): Promise<GatewayError> {
  const problem: unknown = await response.json().catch(() => undefined);
  return new GatewayError(response.status, typeof problem === "object" && problem !== null ? problem : {});
}

export type ConductClient = ReturnType<typeof conductClient>;

/** The gateway's API, typed by its routes: `client.call("GET /api/agents")`. Works in Node and in browsers. */
export function conductClient({ url = "", token, fetch: send = fetch }: ClientOptions = {}) {
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
    ): Promise<RouteOutput<Routes[K]>> {
      const response = await request(key, (given ?? {}) as Parts, {
        ...(options?.signal === undefined ? {} : { signal: options.signal }),
        ...(options?.idempotencyKey === undefined ? {} : { headers: { "idempotency-key": options.idempotencyKey } }),
      });
      if (!response.ok) throw await failure(response);
      const isJson = response.headers.get("content-type")?.includes("json") === true;
      return (isJson ? await response.json() : await response.text()) as RouteOutput<Routes[K]>;
    },
    /** Server-sent events, as they come, until the signal ends it or the gateway does. */
    async *stream<K extends StreamKey>(
      key: K,
      given: Given<K>,
      signal: AbortSignal,
    ): AsyncGenerator<{ readonly event: string; readonly data: unknown }> {
      const response = await request(key, given as Parts, { signal });
      if (!response.ok || response.body === null) throw await failure(response);
      const decoder = new TextDecoder();
      let held = "";
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        held += decoder.decode(chunk, { stream: true });
        const blocks = held.split("\n\n");
        held = blocks.pop() ?? "";
        for (const block of blocks) {
          const event = /^event: ?(.*)$/m.exec(block)?.[1];
          const data = [...block.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join("\n");
          if (event !== undefined) yield { event, data: JSON.parse(data) };
        }
      }
    },
  };
}
