import { setTimeout as sleep } from "node:timers/promises";
import {
  ConnectionErrorRetryHandler,
  RatelimitRetryHandler,
  ServerErrorRetryHandler,
  SlackAPIClient,
  SlackAPIError,
} from "slack-web-api-client";
import { asObject } from "../../../../base/kernel/json.ts";
import type { Button, Posted } from "../messenger.ts";
import { splitText } from "../split-text.ts";

/** Slack cuts longer texts. */
const MAX_TEXT = 3_900;
/** Slack refuses a longer text above buttons. */
const MAX_SECTION = 2_900;
const CALL_MS = 60_000;

/** Errors after which the same call may succeed later, for example with another token. */
const PASSING: ReadonlySet<string> = new Set([
  ...["ratelimited", "internal_error", "fatal_error", "service_unavailable", "request_timeout"],
  ...["invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive"],
]);

/** The few calls of Slack's Web API that the channel needs. Every text is plain, so no text can mention or format. */
export function slackClient(token: string, apiRoot: string | undefined) {
  const api = new SlackAPIClient(token, {
    baseUrl: apiRoot,
    logLevel: "ERROR",
    retryHandlers: [
      new RatelimitRetryHandler({ maxAttempts: 4 }),
      new ServerErrorRetryHandler(),
      new ConnectionErrorRetryHandler(),
    ],
  });

  const call = async (method: string, body: object) => asObject(await inTime(api.call(method, body)));

  /** Posts one text. `address` may contain a thread. */
  async function post(address: string, text: string, blocks?: readonly object[]): Promise<Posted> {
    const [channel = "", thread] = address.split(":");
    const sent = await call("chat.postMessage", {
      ...{ channel, text: escaped(text), thread_ts: thread, blocks },
      ...{ mrkdwn: false, parse: "none", link_names: false, unfurl_links: false, unfurl_media: false },
    });
    return { address: String(sent.channel ?? channel), message: String(sent.ts) };
  }

  return {
    /** The bot's own user id and name. */
    async identity(): Promise<{ readonly user: string; readonly name: string }> {
      const { user_id, user } = await call("auth.test", {});
      return { user: String(user_id), name: String(user) };
    },
    /** Sends a text in as many messages as it needs. */
    async send(address: string, text: string): Promise<void> {
      for (const piece of splitText(text, MAX_TEXT)) await post(address, piece);
    },
    ask(address: string, text: string, buttons: readonly Button[]): Promise<Posted> {
      const [first = "May I?"] = splitText(text, MAX_SECTION);
      const elements = buttons.map(([label, value]) => ({
        ...{ type: "button", text: { type: "plain_text", text: label }, value, action_id: value },
      }));
      const section = { type: "section", text: { type: "plain_text", text: first, emoji: false } };
      return post(address, first, [section, { type: "actions", elements }]);
    },
    async close({ address, message }: Posted, text: string): Promise<void> {
      const [channel] = address.split(":");
      const [first = ""] = splitText(text, MAX_SECTION);
      await call("chat.update", { channel, ts: message, text: escaped(first), blocks: [], parse: "none" });
    },
    /** Shows a text to one person only. */
    async whisper(channel: string, user: string, text: string): Promise<void> {
      await call("chat.postEphemeral", { channel, user, text: escaped(text) });
    },
  };
}

/** Whether the same call would fail again: the channel is gone, or the bot is not in it. */
export function isFinalError(error: unknown): boolean {
  return error instanceof SlackAPIError && !PASSING.has(error.error);
}

/** Slack's error code, if it answered with one. */
export function slackErrorCode(error: unknown): string | undefined {
  return error instanceof SlackAPIError ? error.error : undefined;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The client has no time limit of its own. */
async function inTime<T>(call: Promise<T>): Promise<T> {
  const limit = new AbortController();
  const late = sleep(CALL_MS, undefined, { signal: limit.signal, ref: false }).then(() => {
    throw new Error("Slack did not answer within 60 seconds");
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    late.catch(() => undefined);
    limit.abort();
  }
}
