import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

type Json = { readonly [key: string]: unknown };
export type SlackCall = { readonly method: string; readonly body: Json };

/** A fake Slack Web API on loopback. It refuses what the real one refuses, and signs events as Slack does. */
export type SlackApi = {
  readonly url: string;
  readonly token: string;
  readonly secret: string;
  readonly bot: string;
  readonly calls: readonly SlackCall[];
  /** Makes the next call of this method fail with Slack's error code. */
  fail(method: string, error: string): void;
  /** Posts an event to a gateway, signed. Returns the status. */
  event(to: string, event: Json, sign?: Partial<Signature>): Promise<Response>;
  /** Presses a button, as Slack reports it. */
  press(
    to: string,
    press: { readonly user: string; readonly channel: string; readonly ts: string; readonly value: string },
  ): Promise<Response>;
  /** Resolves with the calls of this method once there are `count`. */
  waitFor(method: string, count: number): Promise<readonly SlackCall[]>;
  close(): Promise<void>;
};

type Signature = { readonly secret: string; readonly time: number };

const NAME = /^[CDGUW][A-Z0-9]{4,}$/;
/** Direct messages have their own channel, which Slack names in its answer. */
const channelOf = (to: string) => (/^[UW]/.test(to) ? `D${to.slice(1)}` : to);

export async function startSlackApi({
  token = "xoxb-TEST-token",
  secret = "5ee5ee5ee5ee5ee5",
} = {}): Promise<SlackApi> {
  const calls: SlackCall[] = [];
  const failures = new Map<string, string>();
  const posted = new Map<string, string>();
  const waiting = new Set<() => void>();
  let next = 1;

  const server = createServer((request, response) => {
    void answer(request).then((body) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(body));
    });
  });

  async function answer(request: IncomingMessage): Promise<Json> {
    const method = (request.url ?? "").replace("/api/", "");
    let text = "";
    for await (const chunk of request) text += chunk;
    if (request.headers.authorization !== `Bearer ${token}`) return { ok: false, error: "invalid_auth" };
    const body: { [key: string]: unknown } = Object.fromEntries(new URLSearchParams(text));
    if (typeof body.blocks === "string") body.blocks = JSON.parse(body.blocks);
    const failure = failures.get(method);
    failures.delete(method);
    if (failure !== undefined) return { ok: false, error: failure };
    const reply = act(method, body);
    calls.push({ method, body: { ...body, ...reply } });
    for (const wake of [...waiting]) wake();
    return reply;
  }

  function act(method: string, body: Json): Json {
    const channel = String(body.channel ?? "");
    switch (method) {
      case "auth.test":
        return { ok: true, user_id: "UBOT0001", user: "conduct", team_id: "T0001" };
      case "chat.postMessage": {
        if (!NAME.test(channel)) return { ok: false, error: "channel_not_found" };
        const fault = faultOf(body);
        if (fault !== undefined) return { ok: false, error: fault };
        const ts = `1718000000.${String(next++).padStart(6, "0")}`;
        posted.set(ts, String(body.text));
        return { ok: true, channel: channelOf(channel), ts };
      }
      case "chat.update": {
        if (!/^[CDG]/.test(channel)) return { ok: false, error: "channel_not_found" };
        if (!posted.has(String(body.ts))) return { ok: false, error: "message_not_found" };
        posted.set(String(body.ts), String(body.text));
        return { ok: true, channel, ts: body.ts };
      }
      case "chat.postEphemeral":
        return { ok: true, message_ts: "1718000000.000000" };
      default:
        return { ok: false, error: "unknown_method" };
    }
  }

  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;

  async function post(to: string, type: string, body: string, sign: Partial<Signature> = {}): Promise<Response> {
    const time = String(sign.time ?? Math.floor(Date.now() / 1_000));
    const hash = createHmac("sha256", sign.secret ?? secret)
      .update(`v0:${time}:${body}`)
      .digest("hex");
    const headers = { "content-type": type, "x-slack-request-timestamp": time, "x-slack-signature": `v0=${hash}` };
    return fetch(to, { method: "POST", headers, body });
  }

  return {
    url: `http://127.0.0.1:${port}/api/`,
    token,
    secret,
    bot: "UBOT0001",
    calls,
    fail: (method, error) => void failures.set(method, error),
    event: (to, event, sign) =>
      post(to, "application/json", JSON.stringify({ type: "event_callback", team_id: "T0001", event }), sign),
    press(to, { user, channel, ts, value }) {
      const message = { ts, text: posted.get(ts) ?? "" };
      const payload = {
        type: "block_actions",
        user: { id: user },
        channel: { id: channel },
        message,
        actions: [{ value }],
      };
      const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
      return post(to, "application/x-www-form-urlencoded", body);
    },
    async waitFor(method, count) {
      for (;;) {
        const found = calls.filter((call) => call.method === method);
        if (found.length >= count) return found;
        await new Promise<void>((wake) => {
          const once = () => {
            waiting.delete(once);
            wake();
          };
          waiting.add(once);
        });
      }
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

function faultOf({ text, blocks }: Json): string | undefined {
  if (typeof text !== "string" || text === "") return "no_text";
  if (text.length > 40_000) return "msg_too_long";
  for (const block of Array.isArray(blocks) ? (blocks as readonly Json[]) : []) {
    const section = block.text as { readonly text?: string } | undefined;
    if (block.type === "section" && (section?.text ?? "").length > 3_000) return "invalid_blocks";
    const elements = Array.isArray(block.elements) ? (block.elements as readonly Json[]) : [];
    const ids = elements.map(({ action_id }) => action_id);
    if (block.type === "actions" && (ids.length === 0 || ids.length > 25)) return "invalid_blocks";
    if (new Set(ids).size !== ids.length) return "invalid_blocks";
    if (elements.some(({ value }) => String(value).length > 2_000)) return "invalid_blocks";
  }
  return undefined;
}
