import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { slackRequests } from "./slack-request.ts";

const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const NOW = 1_531_420_618_000;
const clock = { now: () => NOW, monotonic: () => NOW };

function signed(body: string, { secret = SECRET, seconds = NOW / 1_000, type = "application/json" } = {}): Request {
  const hash = createHmac("sha256", secret).update(`v0:${seconds}:${body}`).digest("hex");
  const headers = {
    "content-type": type,
    "x-slack-request-timestamp": String(seconds),
    "x-slack-signature": `v0=${hash}`,
  };
  return new Request("http://127.0.0.1/slack/webhook", { method: "POST", headers, body });
}
const read = () => slackRequests(SECRET, clock);

describe("requests of Slack", () => {
  it("SLK-7 a signed request is read: the challenge, an event, a pressed button", async () => {
    const challenge = signed(JSON.stringify({ type: "url_verification", challenge: "abc" }));
    expect(await read()(challenge, "a")).toEqual({ kind: "challenge", challenge: "abc" });
    const event = signed(JSON.stringify({ type: "event_callback", event: { type: "message" } }));
    expect(await read()(event, "a")).toEqual({ kind: "event", event: { type: "message" } });
    const form = `payload=${encodeURIComponent('{"type":"block_actions"}')}`;
    const press = signed(form, { type: "application/x-www-form-urlencoded" });
    expect(await read()(press, "a")).toEqual({ kind: "interaction", payload: { type: "block_actions" } });
  });

  it.each([
    ["another secret", signed("{}", { secret: "other" })],
    ["an old time", signed("{}", { seconds: NOW / 1_000 - 301 })],
    ["a future time", signed("{}", { seconds: NOW / 1_000 + 301 })],
    ["another body", new Request(signed("{}"), { body: '{"a":1}' })],
    ["no headers", new Request("http://127.0.0.1/", { method: "POST", body: "{}" })],
  ])("SLK-8 a request with %s is refused", async (_what, request) => {
    await expect(read()(request, "a")).rejects.toMatchObject({ status: 401, code: "UNAUTHORIZED" });
  });

  it("SLK-9 an address without signatures is slowed down", async () => {
    const reading = read();
    const attempts = Array.from({ length: 30 }, () => reading(signed("{}", { secret: "other" }), "1.2.3.4"));
    const statuses = (await Promise.allSettled(attempts)).map((one) =>
      one.status === "rejected" ? one.reason.status : 0,
    );
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
  });
});
