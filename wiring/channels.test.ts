import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { type BotApi, startBotApi } from "../src/testing/test/bot-api.ts";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { collector } from "./collector.ts";
import { type Gateway, Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let model: ModelServer;
let gateway: Gateway;
let bot: BotApi;
let exported: Awaited<ReturnType<typeof collector>>["received"] = [];

const ANN = 4711;
const STRANGER = 4712;

const CONFIG = (url: string) => `
agents:
  clerk: { model: own/scripted, soul: You are the clerk. }
  porter:
    model: own/scripted
    soul: You are the porter.
    tools: [{ name: read_file, paths: { path: read } }]
    rules: [{ id: ask-first, on: read_file, effect: ask, say: May I read it? }]
  watcher: { model: own/scripted, soul: You watch. }
channels:
  telegram: { operators: [${ANN}], strangers: refuse, agent: porter, guidance: Write telegrams. }
  pager: { guidance: One line., interactive: false }
schedules:
  - { id: every-minute, agent: watcher, user: ann, cron: "* * * * *", say: Look around., deliver: { channel: telegram, address: "${ANN}" } }
  - { id: nightly, agent: watcher, user: ann, cron: "0 3 * * *", zone: Asia/Tokyo, say: Good night. }
gateway: { url: "https://conduct.example.org", origins: ["https://other.example.org"], streams: 1, programs: [/opt] }
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;

beforeAll(async () => {
  const telemetry = await collector(machine);
  exported = telemetry.received;
  bot = await startBotApi();
  machine.onClose(() => bot.close());
  model = await machine.model(() => ({ text: "done" }));
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
  gateway = await machine.gateway([], {
    TELEGRAM_BOT_TOKEN: bot.token,
    TELEGRAM_API_ROOT: bot.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: telemetry.url,
    OTEL_EXPORTER_OTLP_HEADERS: "x-team=behaviour",
    OTEL_SERVICE_NAME: "the-gateway",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=trial",
    CONDUCT_TELEMETRY_CONTENT: "1",
  });
});
afterAll(() => machine.close());

function telegram(from: number, text: string): void {
  const person = { id: from, is_bot: false, first_name: `P${from}` };
  bot.push({
    message: { message_id: Date.now() % 1e6, date: 1, chat: { id: from, type: "private" }, from: person, text },
  });
}
const textsTo = (chat: number) =>
  bot.calls
    .filter(({ method, body }) => method === "sendMessage" && String(body.chat_id) === String(chat))
    .map(({ body }) => String(body.text));

describe("channels, schedules and the environment of the gateway", () => {
  wired(
    [
      "TELEGRAM_BOT_TOKEN",
      "TELEGRAM_API_ROOT",
      "channels",
      "channels.*.agent",
      "channels.*.guidance",
      "channels.*.operators",
    ],
    "WIR-70 an operator's Telegram message reaches the channel's agent with its guidance, and is answered",
    async () => {
      telegram(ANN, "hello over there");
      await expect.poll(() => textsTo(ANN)).toContain("done");
      const request = model.requests.findLast(({ raw }) => raw.includes("hello over there"));
      expect(request?.system).toContain("You are the porter.");
      expect(request?.system).toContain("Write telegrams.");
    },
  );
  wired(
    "TELEGRAM_BOT_TOKEN",
    "WIR-76 the console shows the connection, and a question that is answered there shows so in Telegram",
    async () => {
      const system = await gateway.operator.call("GET /api/system");
      expect(system.channels).toEqual([{ name: "telegram", state: "connected", detail: "as @conduct_bot" }]);
      expect(system.store.kind).toBe("sqlite");
      model.setScript([{ calls: [{ name: "read_file", input: { path: "notes.txt" } }] }, () => ({ text: "done" })]);
      telegram(ANN, "read the notes");
      await expect.poll(() => textsTo(ANN)).toContain("May I read it?");
      const { approvals } = await gateway.operator.call("GET /api/approvals");
      const params = { id: String(approvals[0]?.approval) };
      await gateway.operator.call("POST /api/approvals/{id}", { params, body: { answer: "no" } });
      const edits = () => bot.calls.filter(({ method }) => method === "editMessageText").map(({ body }) => body.text);
      await expect.poll(() => edits().join()).toContain("✗ no · by operator");
      model.setScript(() => ({ text: "done" }));
    },
  );
  wired("channels.*.strangers", "WIR-71 a stranger on Telegram is refused and reaches no model", async () => {
    telegram(STRANGER, "let me in, please");
    await expect.poll(() => textsTo(STRANGER).length).toBeGreaterThan(0);
    expect(model.requests.some(({ raw }) => raw.includes("let me in"))).toBe(false);
  });
  wired(
    ["CONDUCT_TOKEN", "CONDUCT_HOME"],
    "WIR-72 the token lets the operator in, and the home holds the store",
    async () => {
      await gateway.say("clerk", "a word for the store");
      expect(existsSync(join(machine.home, "conduct.db"))).toBe(true);
      const refused = await fetch(`${gateway.url}/api/sessions`, { headers: { authorization: "Bearer wrong" } });
      expect(refused.status).toBe(401);
    },
  );
  wired(
    ["gateway", "gateway.url", "gateway.origins"],
    "WIR-73 links carry the public address, and only the named origins may call",
    async () => {
      expect(gateway.output).toContain("https://conduct.example.org/login#code=");
      const asked = async (origin: string) =>
        (await fetch(`${gateway.url}/api/sessions`, { method: "POST", headers: { origin, authorization: "Bearer x" } }))
          .status;
      expect(await asked("https://other.example.org")).toBe(401);
      expect(await asked("https://evil.example.org")).toBe(403);
    },
  );
  wired(
    [
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      "OTEL_EXPORTER_OTLP_HEADERS",
      "OTEL_SERVICE_NAME",
      "OTEL_RESOURCE_ATTRIBUTES",
      "CONDUCT_TELEMETRY_CONTENT",
    ],
    "WIR-74 spans of a turn reach the collector under the service's name, with the given headers and, if asked for, the content",
    async () => {
      await gateway.say("clerk", "words for the collector");
      await expect.poll(() => exported.map(({ text }) => text).join("\n")).toContain("words for the collector");
      const all = exported.map(({ text }) => text).join("\n");
      expect(all).toContain("the-gateway");
      expect(all).toContain("deployment.environment.name");
      expect(exported[0]?.headers["x-team"]).toBe("behaviour");
    },
  );
  wired(
    [
      "schedules",
      "schedules[].id",
      "schedules[].agent",
      "schedules[].user",
      "schedules[].cron",
      "schedules[].say",
      "schedules[].deliver",
      "schedules[].deliver.channel",
      "schedules[].deliver.address",
    ],
    "WIR-75 a schedule says its words to its agent at its time, for its user, and delivers the answer to its chat",
    async () => {
      const before = textsTo(ANN).length;
      await expect
        .poll(() => model.requests.some(({ raw }) => raw.includes("Look around.")), { timeout: 90_000 })
        .toBe(true);
      const request = model.requests.findLast(({ raw }) => raw.includes("Look around."));
      expect(request?.system).toContain("You watch.");
      expect(request?.system).toContain("/watcher/ann");
      expect(request?.system).toContain("You are responding via scheduled.");
      expect(request?.system).toContain("automated run");
      await expect.poll(() => textsTo(ANN).length, { timeout: 30_000 }).toBeGreaterThan(before);
    },
  );
});
