import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../../../base/kernel/error-text.ts";
import { asList, asObject, asString, parseExactly } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { CONNECTION_CLOSED, errorMessage, keyOf, type Rpc, type RpcId, readLine } from "../shared/mcp/json-rpc.ts";
import type { Pipe, PipeListener } from "../shared/mcp/pipe.ts";
import { claimOf, mirroredHeaders } from "../shared/mcp/stateless.ts";

/** How long a server may take to end its session. */
const GOODBYE_MS = 2_000;
/** A broken stream is resumed after this time, at most so often without success. */
const RESUME_MS = 1_000;
const MAX_RESUMES = 3;

type Headers = { readonly [name: string]: string };

/** A server behind a URL (streamable HTTP). `request` sends the requests: a host may check addresses. */
export function connectServer(url: URL, headers: Headers, request: typeof fetch = fetch): Pipe {
  let listener: PipeListener | undefined;
  /** Known once the server has answered `initialize`. */
  let session: Headers = {};
  /** By the names of tools, what their schemas want repeated as headers. */
  const schemas = new Map<string, JsonObject>();
  const over = new AbortController();
  /** Requests that are cancelled by closing their connection. */
  const open = new Map<string, AbortController>();

  const deliver = (text: string) => {
    if (/"protocolVersion"|"x-mcp-header"/.test(text)) learn(asObject(asObject(parseExactly(text)).result));
    // A message is one line; every number stays as written.
    listener?.message(Buffer.from(/[\r\n]/.test(text) ? JSON.stringify(parseExactly(text)) : text));
  };

  const learn = ({ protocolVersion, tools }: JsonObject) => {
    if (typeof protocolVersion === "string") session = { ...session, "mcp-protocol-version": protocolVersion };
    for (const tool of asList(tools).map(asObject)) schemas.set(asString(tool.name), asObject(tool.inputSchema));
  };

  const ask = (method: string, more: Headers, { signal = over.signal, body }: RequestInit = {}) => {
    const accept = method === "POST" ? "application/json, text/event-stream" : "text/event-stream";
    return request(url, { method, headers: { accept, ...session, ...more, ...headers }, signal, body });
  };

  /** Delivers the messages of a stream until the request `id` is answered. A broken stream is resumed if it can be. */
  async function follow(first: Response, signal: AbortSignal, id?: RpcId): Promise<void> {
    let last: Headers = {};
    let stream: Response | undefined = first;
    for (let failures = 0; failures < MAX_RESUMES; failures += stream === undefined ? 1 : 0) {
      try {
        for await (const event of readEvents(stream)) {
          if (event.id !== undefined) last = { "last-event-id": event.id };
          if (event.data === "") continue;
          deliver(event.data);
          if (id !== undefined && isAnswer(event.data, id)) return;
        }
      } catch {
        // The connection broke.
      }
      if (signal.aborted || (id !== undefined && last["last-event-id"] === undefined)) break;
      await sleep(RESUME_MS, undefined, { ref: false });
      const resumed = await ask("GET", last, { signal }).catch(() => undefined);
      stream = resumed?.ok === true ? resumed : undefined;
    }
    if (id !== undefined) throw new Error("the connection was closed before the answer");
  }

  async function post(line: Buffer, rpc: Rpc | undefined): Promise<void> {
    const [id, method] = rpc?.kind === "request" ? [rpc.id, rpc.method] : [];
    const cancel = new AbortController();
    if (rpc?.kind === "request" && claimOf(rpc.params) !== undefined) open.set(keyOf(rpc.id), cancel);
    const signal = AbortSignal.any([over.signal, cancel.signal]);
    const more = { "content-type": "application/json", ...(rpc && mirroredHeaders(rpc, schemas)) };
    const response = await ask("POST", more, { signal, body: new Uint8Array(line) });
    const given = response.headers.get("mcp-session-id");
    if (method === "initialize") session = given === null ? {} : { "mcp-session-id": given };
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (response.ok && isStream) return follow(response, signal, id);
    const text = await response.text();
    if (!response.ok && !(id !== undefined && isAnswer(text, id))) {
      throw new Error(`status ${response.status} ${text}`.trim());
    }
    if (id !== undefined) deliver(text);
  }

  /** Servers may offer a stream for messages that belong to no request. */
  async function listenAside(): Promise<void> {
    const response = await ask("GET", {});
    if (response.ok) await follow(response, over.signal);
  }

  /** Notifications and responses are sent before the next message; requests wait for their own answers. */
  let before: Promise<unknown> = Promise.resolve();
  return {
    listen(given) {
      listener = given;
    },
    send(message) {
      const line = Buffer.from(message);
      const [rpc] = (readLine(line) ?? []).map((one) => one.rpc);
      const notified = rpc?.kind === "notification" ? rpc.method : undefined;
      const cancelled = open.get(keyOf(rpc?.kind === "notification" ? (rpc.params.requestId as RpcId) : ""));
      if (notified === "notifications/cancelled" && cancelled !== undefined) {
        cancelled.abort();
        return true;
      }
      const sent = before
        .then(() => post(line, rpc))
        .then(() => (notified === "notifications/initialized" ? void listenAside().catch(() => undefined) : undefined))
        .catch((error: unknown) => {
          if (rpc?.kind !== "request") return;
          const why = `cannot reach ${url.origin}: ${errorText(error)}`;
          deliver(errorMessage(rpc.id, CONNECTION_CLOSED, why));
        })
        .finally(() => rpc?.kind === "request" && open.delete(keyOf(rpc.id)));
      if (rpc?.kind !== "request") before = sent;
      return true;
    },
    pause: () => undefined,
    resume: () => undefined,
    async close() {
      const told = session["mcp-session-id"] === undefined ? undefined : ask("DELETE", {}).catch(() => undefined);
      // Does not wait for a server that no longer answers.
      await Promise.race([told, sleep(GOODBYE_MS, undefined, { ref: false })]);
      over.abort();
    },
  };
}

function isAnswer(text: string, id: RpcId): boolean {
  return (readLine(Buffer.from(text)) ?? []).some(({ rpc }) => rpc.kind === "response" && rpc.id === id);
}

/** The messages of an event stream. */
async function* readEvents(
  response: Response | undefined,
): AsyncGenerator<{ readonly data: string; readonly id?: string }> {
  let rest = "";
  let isHalf = false;
  let fields: { [name: string]: string } = {};
  for await (const chunk of response?.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    // CR and LF may be one line end in two pieces.
    rest += isHalf && chunk.startsWith("\n") ? chunk.slice(1) : chunk;
    isHalf = chunk.endsWith("\r");
    if (!/[\r\n]/.test(chunk)) continue;
    const lines = rest.split(/\r\n|\n|\r/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (line !== "") fields[name] = name === "data" && fields.data !== undefined ? `${fields.data}\n${value}` : value;
      else {
        const { data = "", id, event = "message" } = fields;
        fields = {};
        if (event === "message") yield { data, id };
      }
    }
  }
}
