import { renameSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
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
let exported: Awaited<ReturnType<typeof collector>>;

const CONFIG = (url: string) => `
channels: { telegram: { operators: [7], agent: clerk } }
agents:
  clerk: { model: own/scripted, tools: [{ name: shell, args: [command] }] }
schedules:
  - { id: daily, agent: clerk, user: operator, say: Say it., cron: "0 4 * * *", zone: Europe/Zurich }
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;

const start = () =>
  machine.gateway([], {
    TELEGRAM_BOT_TOKEN: bot.token,
    TELEGRAM_API_ROOT: bot.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: exported.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  });

beforeAll(async () => {
  model = await machine.model(() => ({ text: "ok" }));
  bot = await startBotApi();
  machine.onClose(() => bot.close());
  exported = await collector(machine);
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
  gateway = await start();
});
afterAll(() => machine.close());

describe("what may come back to a gateway", () => {
  wired(
    [],
    "WIR-908 a damaged state of a session is set aside; its next message is answered, and the operator sees it",
    async () => {
      const { id } = await gateway.operator.call("POST /api/sessions", { body: { agent: "clerk" } });
      const say = async (text: string) =>
        gateway.operator.call("POST /api/sessions/{id}/messages", {
          params: { id },
          query: { wait: "true" },
          body: { text },
        });
      await say("one");
      await gateway.stop();
      const store = new DatabaseSync(join(machine.home, "conduct.db"));
      store.exec(`update conduct_kept_sessions set snapshot = substr(snapshot, 1, 60) where session = '${id}'`);
      store.close();
      gateway = await start();
      expect((await say("two")).answer).toMatch(/^The stored state of this conversation was damaged .*\n\nok$/);
      expect((await say("three")).answer).toBe("ok");
      await expect
        .poll(async () => (await machine.conduct(["watch", "--once"])).out.replace(/\s+/g, " "))
        .toContain("fault ! session state The saved state");
    },
  );

  wired(
    "channels.*.agent",
    "WIR-909 a Telegram message that is delivered twice is answered once, also by a restarted gateway",
    async () => {
      const sent = () => bot.calls.filter(({ method, body }) => method === "sendMessage" && body.text === "ok").length;
      const from = { id: 7, is_bot: false, first_name: "Ann" };
      const update = (message_id: number, text: string) =>
        bot.push({ message: { message_id, date: 1, chat: { id: 7, type: "private" }, from, text } });
      update(11, "hello");
      await expect.poll(sent).toBe(1);
      update(11, "hello");
      await gateway.stop();
      gateway = await start();
      update(11, "hello");
      update(12, "again");
      await expect.poll(sent).toBe(2);
      expect(model.requests.filter(({ lastUserText }) => lastUserText.includes("hello"))).toHaveLength(1);
    },
  );

  wired("models.*.baseUrl", "WIR-910 telemetry names an own model and its provider once", async () => {
    await gateway.say("clerk", "good day");
    const sent = () => exported.received.map(({ text }) => text).join("\n");
    const named = '"gen_ai.request.model","value":{"stringValue":"scripted"}';
    await expect.poll(sent, { timeout: 30_000 }).toContain(named);
    expect(sent()).toContain('"gen_ai.provider.name","value":{"stringValue":"own"}');
  });

  wired("schedules[].id", "WIR-911 a gateway without the file leaves the schedules of the file alone", async () => {
    const [file, away] = ["conduct.yaml", "away.yaml"].map((name) => join(machine.home, name)) as [string, string];
    await gateway.stop();
    renameSync(file, away);
    gateway = await start();
    await gateway.stop();
    renameSync(away, file);
    gateway = await start();
    const { schedules } = await gateway.operator.call("GET /api/schedules");
    expect(schedules).toContainEqual(expect.objectContaining({ id: "daily" }));
  });
});
