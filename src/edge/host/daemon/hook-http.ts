import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { errorText } from "../../../base/kernel/error-text.ts";
import { parseKeepingDigits } from "../../../base/kernel/json.ts";

/** An accepted request. The body is parsed JSON, or `undefined` if there is none. */
export type HookRequest = {
  /** The parts of the path that the route names in braces. */
  readonly params: { readonly [name: string]: string };
  readonly query: URLSearchParams;
  readonly headers: { readonly [name: string]: string | undefined };
  readonly body: unknown;
};
/** `text` is sent as it is, to clients that cannot read JSON. */
export type HookResponse = { readonly status: number; readonly body?: object; readonly text?: string };

export type HookRoute = {
  readonly method: "GET" | "POST" | "DELETE";
  /** A part in braces matches one segment: `/sessions/{id}`. */
  readonly path: string;
  handle(request: HookRequest): Promise<HookResponse>;
  /** Open to every process on this machine; otherwise the token is required. */
  readonly open?: boolean;
  /** Longer bodies are rejected; by default only the server's own limit applies. */
  readonly maxBytes?: number;
  /** Takes a body of any kind, as text, and this token in place of the daemon's own. */
  readonly raw?: { readonly token: string };
};

export type RawRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: { readonly [name: string]: string | undefined };
  readonly body: string;
};

/**
 * Answers HTTP requests of hooks on this machine. Never rejects. Clients without the token learn nothing. Browser
 * pages are locked out: without a preflight they can send neither this host name nor a JSON body.
 */
export function hookHttp(token: string, routes: readonly HookRoute[]): (request: RawRequest) => Promise<HookResponse> {
  const wanted = digest(`Bearer ${token}`);
  return async ({ method, url, headers, body }) => {
    if (!isLoopback(headers.host)) return refused(403, "only requests to a loopback host are accepted");
    const { pathname, searchParams: query } = new URL(url, "http://127.0.0.1");
    const here = routes.flatMap((route) => {
      const params = matchPath(route.path, pathname);
      return params === undefined ? [] : [{ ...route, params }];
    });
    const route = here.find((one) => one.method === method);
    const own = route?.raw === undefined ? wanted : digest(`Bearer ${route.raw.token}`);
    if (route?.open !== true && !timingSafeEqual(digest(headers.authorization ?? ""), own)) {
      return refused(401, "the bearer token of the Conduct daemon is required");
    }
    if (route === undefined) return here.length === 0 ? refused(404, `no ${pathname} here`) : refused(405, "no");
    if (method === "POST" && route.raw === undefined && !/^application\/json\b/i.test(headers["content-type"] ?? "")) {
      return refused(415, "the body must be application/json");
    }
    if (route.maxBytes !== undefined && Buffer.byteLength(body) > route.maxBytes) {
      return refused(413, `the body has more than ${route.maxBytes} bytes`);
    }
    try {
      const given = route.raw === undefined && body !== "" ? parseKeepingDigits(body) : body || undefined;
      return await route.handle({ params: route.params, query, headers, body: given });
    } catch (error) {
      return error instanceof SyntaxError ? refused(400, "the body is not JSON") : refused(500, errorText(error));
    }
  };
}

export type HttpServer = { readonly port: number; close(): Promise<void> };

export type HttpOptions = {
  /** Default: a port chosen by the system. */
  readonly port?: number;
  /** Longer bodies are rejected. */
  readonly maxBytes?: number;
  /** Does not keep the process alive. */
  readonly unref?: boolean;
};

/** Listens on 127.0.0.1 only. Rejects if the port is taken. */
export async function listenForHttp(
  answer: (request: RawRequest) => Promise<HookResponse>,
  { port = 0, maxBytes = 32 * 1024 * 1024, unref = false }: HttpOptions = {},
): Promise<HttpServer> {
  const server = createServer((request, response) => {
    receive(request, maxBytes)
      .then((body) =>
        body === undefined ? refused(413, `the body has more than ${maxBytes} bytes`) : answer(rawOf(request, body)),
      )
      .then(({ status, body, text }) => {
        const type = text === undefined ? "application/json" : "text/plain; charset=utf-8";
        const content = text ?? (body === undefined ? "" : JSON.stringify(body));
        // With a length, the content is not sent in chunks, which a shell could not read.
        const length = status === 204 ? {} : { "content-length": Buffer.byteLength(content) };
        response.writeHead(status, { "content-type": type, "cache-control": "no-store", ...length });
        response.end(content);
      })
      .catch(() => response.destroy());
  });
  await listening(server, port);
  if (unref) server.unref();
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function rawOf({ method = "GET", url = "/", headers }: IncomingMessage, body: string): RawRequest {
  const single = Object.entries(headers).map(([name, value]) => [name, [value].flat()[0]]);
  return { method, url, headers: Object.fromEntries(single), body };
}

/** Returns `undefined` if the body is too long. The rest is read and discarded so that the response arrives. */
async function receive(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  return bytes > maxBytes ? undefined : Buffer.concat(chunks).toString("utf8");
}

/** The parts that the pattern names, or `undefined` if the path is another one. */
function matchPath(pattern: string, path: string): { readonly [name: string]: string } | undefined {
  if (!pattern.includes("{")) return pattern === path ? {} : undefined;
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const found = given[at] ?? "";
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? [];
    if (name === undefined ? found !== part : !/^[\w.~-]+$/.test(found)) return undefined;
    if (name !== undefined) params[name] = found;
  }
  return params;
}

/** Rejects other host names, which protects against DNS rebinding. */
function isLoopback(host = ""): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host);
}

/** Equal lengths, so the comparison takes constant time. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function refused(status: number, error: string): HookResponse {
  return { status, body: { error } };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
}
