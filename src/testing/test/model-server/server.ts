import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { anything, callback, checkOptions, optional, type ShapesOf, text } from "../../../base/kernel/check-options.ts";
import { asString, parseObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { breakEvents, listenOnLoopback, plainHeaders, readBody, sendEvents, sendJson } from "./exchange.ts";
import { gemini } from "./gemini.ts";
import { describeContent, type ModelRequest } from "./model-request.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import { answerSideRequest, requestKind, thinkingAsked } from "./request-kind.ts";
import {
  answerThrown,
  completeMessage,
  playScript,
  type Script,
  type ScriptedReply,
  type ScriptFault,
} from "./script.ts";
import { openaiError, pieces, type ServerSentEvent, type WireFormat } from "./wire-format.ts";

export type ModelServerOptions = {
  script: Script;
  /** Returns a reply for side requests, `undefined` for the agent's own turns. Default: `answerSideRequest`. */
  ignore?: (request: ModelRequest) => ScriptedReply | undefined;
  /** Part of every generated id; set it to resume a conversation against a second server. */
  idPrefix?: string;
};

/** A model provider on 127.0.0.1 that plays a script and records its requests. */
export type ModelServer = {
  /** Base URL for Anthropic clients; OpenAI clients use `openaiUrl`. */
  url: string;
  openaiUrl: string;
  /** The agent's turns, each answered by the script. */
  requests: readonly ModelRequest[];
  /** Requests answered by `ignore`, and token counts. */
  sideRequests: readonly ModelRequest[];
  /** All other requests, including malformed ones. */
  probes: readonly Probe[];
  faults: readonly ScriptFault[];
  /** Number of requests after the script's end. */
  readonly exhausted: number;
  readonly remaining: number;
  /** Starts another script; recorded requests stay. */
  setScript(script: Script): void;
  /** Throws if the script ran out, threw, or was not played to its end. */
  assertPlayed(): void;
  /** Closes open sockets too. */
  close(): Promise<void>;
};

const WIRES: readonly WireFormat[] = [anthropicMessages, openaiResponses, openaiChat, gemini];

/** Starts the server on a free port; resolves when it is ready. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  checkOptions("startModelServer", options, KEYS);
  const ignore = options.ignore ?? answerSideRequest;
  const requests: ModelRequest[] = [];
  const sideRequests: ModelRequest[] = [];
  const probes: Probe[] = [];
  const faults: ScriptFault[] = [];
  let player = playScript(options.script, faults);
  let replies = 0;

  function answerAside(request: ModelRequest): ScriptedReply | undefined {
    try {
      return ignore(request);
    } catch (thrown) {
      return answerThrown(faults, request, thrown);
    }
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = incoming.method ?? "GET";
    const path = pathOf(incoming);
    const raw = await readBody(incoming);
    const wire = method === "POST" ? findWire(path) : undefined;
    const refuse = (status: number, body: JsonObject): void => {
      probes.push({ method, path, status });
      sendJson(response, status, body);
    };
    if (wire === undefined) {
      const { status, body } = answerProbe(method, path, plainHeaders(incoming));
      return refuse(status, body);
    }
    const body = raw === undefined ? undefined : parseObject(raw);
    if (raw === undefined || body === undefined)
      return refuse(400, wire.error(400, "the request body is not a JSON object"));

    const seen = describeRequest(wire, incoming, raw, body, requests.length);
    if (countsTokens(path)) {
      sideRequests.push({ ...seen, index: sideRequests.length });
      return sendJson(response, 200, { input_tokens: Math.ceil(raw.length / 4) });
    }
    const turn = `${options.idPrefix ?? ""}${++replies}`;
    const aside = answerAside(seen);
    if (aside !== undefined) {
      const request = { ...seen, index: sideRequests.length };
      sideRequests.push(request);
      return sendReply(wire, request, aside, turn, response);
    }
    requests.push(seen);
    return sendReply(wire, seen, await player.next(seen), turn, response);
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((thrown: unknown) =>
      response.destroy(thrown instanceof Error ? thrown : undefined),
    );
  });
  const url = await listenOnLoopback(server);
  return {
    url,
    openaiUrl: `${url}/v1`,
    requests,
    sideRequests,
    probes,
    faults,
    get exhausted() {
      return faults.filter((fault) => fault.code === "exhausted").length;
    },
    get remaining() {
      return player.remaining();
    },
    setScript: (script) => {
      player = playScript(script, faults);
    },
    assertPlayed: () => assertPlayed(faults, player.remaining()),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function pathOf(incoming: IncomingMessage): string {
  return new URL(incoming.url ?? "/", "http://127.0.0.1").pathname;
}

function findWire(path: string): WireFormat | undefined {
  const below = path.replace(/^\/v1/, "");
  // Gemini names the model before the method.
  const method = /^\/v1beta\/models\/[^/]+(:\w+)$/.exec(path)?.[1];
  return countsTokens(path) ? anthropicMessages : WIRES.find((wire) => wire.path === (method ?? below));
}

function countsTokens(path: string): boolean {
  return path.endsWith("/messages/count_tokens");
}

function describeRequest(
  wire: WireFormat,
  incoming: IncomingMessage,
  raw: string,
  body: JsonObject,
  index: number,
): ModelRequest {
  const thinking = thinkingAsked(body);
  const seen = {
    index,
    wire: wire.name,
    path: pathOf(incoming),
    headers: plainHeaders(incoming),
    raw,
    body,
    model: asString(body.model) || (/\/models\/([^/]+):/.exec(pathOf(incoming))?.[1] ?? ""),
    stream: body.stream === true || wire === gemini,
    thinking,
    ...describeContent(wire.read(body)),
  };
  return { ...seen, kind: requestKind(seen) };
}

function sendReply(
  wire: WireFormat,
  request: ModelRequest,
  reply: ScriptedReply,
  turn: string,
  response: ServerResponse,
): void {
  if ("error" in reply) {
    const { status, message, retry, retryAfterMs } = reply.error;
    const headers = {
      "x-should-retry": retry === undefined ? undefined : String(retry),
      "retry-after-ms": retryAfterMs === undefined ? undefined : String(retryAfterMs),
    };
    sendJson(response, status, wire.error(status, message), headers);
    return;
  }
  if ("broken" in reply) {
    const { broken, text } = reply;
    const events = wire.events(completeMessage({ text: text ?? "" }, request, turn), request.body);
    breakEvents(response, text === undefined ? events.slice(0, 1) : upToText(events, text), broken);
    return;
  }
  const message = completeMessage(reply, request, turn);
  if (request.stream) sendEvents(response, wire.events(message, request.body));
  else sendJson(response, 200, wire.whole(message));
}

/** The events up to the last one with text, before any that marks it complete. */
function upToText(events: readonly ServerSentEvent[], text: string): readonly ServerSentEvent[] {
  const last = pieces(text).at(-1) ?? "";
  const at = events.findIndex(({ data }) => JSON.stringify(data).includes(JSON.stringify(last).slice(1, -1)));
  return events.slice(0, at + 1);
}

function assertPlayed(faults: readonly ScriptFault[], remaining: number): void {
  const complaints = faults.map((fault) => `request ${fault.request}: ${fault.message}`);
  if (remaining > 0) complaints.push(`${remaining} scripted replies were never asked for`);
  if (complaints.length > 0) throw new Error(`the script was not played as written:\n${complaints.join("\n")}`);
}

const KEYS: ShapesOf<ModelServerOptions> = {
  script: anything,
  ignore: optional(callback),
  idPrefix: optional(text),
};

/** A request that was not for the model: its method, path and response status. */
export type Probe = { method: string; path: string; status: number };

/** A harmless response to clients' other requests: an empty catalogue, a health check, or 404. */
function answerProbe(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): { status: number; body: JsonObject } {
  const reads = method === "GET" || method === "HEAD";
  if (reads && path === "/") return { status: 200, body: { ok: true } };
  if (reads && /^(\/v1)?\/models$/.test(path)) {
    return {
      status: 200,
      body: { object: "list", data: [], has_more: false, first_id: null, last_id: null, models: [] },
    };
  }
  const error = "anthropic-version" in headers ? anthropicMessages.error : openaiError;
  return { status: 404, body: error(404, `the scripted model server has no ${method} ${path}`) };
}
