import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

type Json = { readonly [key: string]: unknown };

export type BotCall = { readonly method: string; readonly body: Json };

/** A fake Telegram Bot API on loopback, including the failures that a bot must handle. */
export type BotApi = {
  readonly url: string;
  readonly token: string;
  readonly username: string;
  /** Every call except getUpdates. */
  readonly calls: readonly BotCall[];
  /** How often two bots polled at the same time. */
  readonly conflicts: number;
  /** Adds an update, returned by getUpdates until the bot confirms it. */
  push(update: Json): void;
  /** Makes the next calls of this method fail. Default `times`: 1. */
  fail(
    method: string,
    error: { readonly code: number; readonly description: string; readonly retryAfter?: number },
    times?: number,
  ): void;
  /** Delays every later response of this method by `ms`. */
  delay(method: string, ms: number): void;
  /** Resolves with the calls of this method once there are `count`. */
  waitFor(method: string, count: number): Promise<readonly BotCall[]>;
  close(): Promise<void>;
};

type Failure = { readonly code: number; readonly description: string; readonly retryAfter?: number };

const MAX_TEXT = 4_096;

export async function startBotApi({ token = "100:TEST-token_abc", username = "conduct_bot" } = {}): Promise<BotApi> {
  const calls: BotCall[] = [];
  const failures = new Map<string, Failure[]>();
  const delays = new Map<string, number>();
  const waiting = new Set<() => void>();
  let updates: { readonly update_id: number; readonly [key: string]: unknown }[] = [];
  let nextUpdate = 1;
  let nextMessage = 1_000;
  /** The long poll that waits. */
  let asking: { wake(): void; conflict(): void } | undefined;
  let conflicts = 0;
  let closed = false;

  const server = createServer((request, response) => {
    answer(request)
      .then((reply) => send(response, reply))
      .catch((error: Error) =>
        send(response, { status: 500, body: { ok: false, error_code: 500, description: error.message } }),
      );
  });

  async function answer(request: IncomingMessage): Promise<{ readonly status: number; readonly body: Json }> {
    const [, , given = "", method = ""] = /^\/(bot([^/]+))\/(\w+)/.exec(request.url ?? "") ?? [];
    if (given !== token) return failed(401, "Unauthorized");
    const body = await readBody(request);
    if (method === "getUpdates") return poll(body, request);
    calls.push({ method, body });
    for (const wake of [...waiting]) wake();
    const delay = delays.get(method);
    if (delay !== undefined) await sleep(delay, undefined, { ref: false });
    const [failure, ...later] = failures.get(method) ?? [];
    if (failure !== undefined) {
      failures.set(method, later);
      return failed(failure.code, failure.description, failure.retryAfter);
    }
    return act(method, body);
  }

  function act(method: string, body: Json): { readonly status: number; readonly body: Json } {
    switch (method) {
      case "getMe":
        return done({ id: 100, is_bot: true, first_name: "Conduct", username, can_join_groups: true });
      case "sendMessage":
      case "editMessageText": {
        const text = String(body.text ?? "");
        if (text.trim() === "") return failed(400, "Bad Request: message text is empty");
        if (text.length > MAX_TEXT) return failed(400, "Bad Request: message is too long");
        const id = method === "sendMessage" ? nextMessage++ : Number(body.message_id);
        return done({ message_id: id, date: 1, chat: { id: body.chat_id, type: "private" }, text });
      }
      case "sendChatAction":
      case "answerCallbackQuery":
      case "setWebhook":
      case "deleteWebhook":
      case "setMyCommands":
        return done(true);
      default:
        return failed(404, "Not Found: method not found");
    }
  }

  /** Long polling as in Telegram; a second poll ends the first with 409. */
  async function poll(
    { offset = 0, timeout = 0 }: { readonly offset?: unknown; readonly timeout?: unknown },
    request: IncomingMessage,
  ): Promise<{ readonly status: number; readonly body: Json }> {
    asking?.conflict();
    updates = updates.filter(({ update_id }) => update_id >= Number(offset));
    if (updates.length > 0 || Number(timeout) === 0 || closed) return done(updates);
    const { promise, resolve } = Promise.withResolvers<"conflict" | "wake">();
    const own = {
      wake: () => resolve("wake"),
      conflict() {
        conflicts += 1;
        resolve("conflict");
      },
    };
    asking = own;
    const timer = setTimeout(own.wake, Number(timeout) * 1_000);
    // A bot that is killed does not poll any more.
    request.socket.once("close", own.wake);
    const ended = await promise;
    clearTimeout(timer);
    if (asking === own) asking = undefined;
    return ended === "wake" ? done(updates) : failed(409, "Conflict: terminated by other getUpdates request");
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    username,
    calls,
    get conflicts() {
      return conflicts;
    },
    push(update) {
      updates.push({ update_id: nextUpdate++, ...update });
      asking?.wake();
    },
    fail(method, error, times = 1) {
      failures.set(method, [...(failures.get(method) ?? []), ...Array.from({ length: times }, () => error)]);
    },
    delay: (method, ms) => void delays.set(method, ms),
    waitFor(method, count) {
      return new Promise((resolve) => {
        const look = () => {
          const found = calls.filter((call) => call.method === method);
          if (found.length < count) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      });
    },
    async close() {
      closed = true;
      asking?.wake();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}

function done(result: unknown): { readonly status: number; readonly body: Json } {
  return { status: 200, body: { ok: true, result } };
}

function failed(
  code: number,
  description: string,
  retryAfter?: number,
): { readonly status: number; readonly body: Json } {
  const parameters = retryAfter === undefined ? {} : { parameters: { retry_after: retryAfter } };
  return { status: code, body: { ok: false, error_code: code, description, ...parameters } };
}

async function readBody(request: IncomingMessage): Promise<Json> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text === "" ? {} : JSON.parse(text);
}

function send(response: ServerResponse, { status, body }: { readonly status: number; readonly body: Json }): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
