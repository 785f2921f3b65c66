import { afterAll, beforeAll, describe, expect } from "vitest";
import { type BotApi, startBotApi } from "../src/testing/test/bot-api.ts";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type Gateway, Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let model: ModelServer;
let gateway: Gateway;
let bot: BotApi;
let messages = 0;

const CONFIG = (url: string) => `
agents:
  defaults: { model: own/scripted, tools: [{ name: shell, args: [command] }] }
  clerk: {}
  fed:
    feedback:
      - { name: brief, static: Stay brief., every: { calls: 1 } }
      - { name: calm, static: Stay calm., every: { calls: 2 } }
  unnoted: { memory: off }
channels:
  telegram: { operators: [7], agent: clerk }
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
  own/other: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;

beforeAll(async () => {
  bot = await startBotApi();
  machine.onClose(() => bot.close());
  model = await machine.model(() => ({ text: "done" }));
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
  gateway = await machine.gateway([], {
    TELEGRAM_BOT_TOKEN: bot.token,
    TELEGRAM_API_ROOT: bot.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: "not a url",
  });
});
afterAll(() => machine.close());

async function telegram(text: string): Promise<string> {
  const sent = () => bot.calls.filter(({ method }) => method === "sendMessage");
  const before = sent().length;
  messages += 1;
  const from = { id: 7, is_bot: false, first_name: "Ann" };
  bot.push({ message: { message_id: messages, date: 1, chat: { id: 7, type: "private" }, from, text } });
  await expect.poll(() => sent().length).toBeGreaterThan(before);
  return String(sent().at(-1)?.body.text);
}

describe("users of the gateway and of local runtimes", () => {
  wired(
    "channels",
    "WIR-340 a user sets a zone on Telegram, and the next turn of the open conversation has its time",
    async () => {
      await telegram("hello");
      expect(model.requests.at(-1)?.system).toContain("(UTC)");
      expect(await telegram("/zone Londn")).toContain("did you mean 'Europe/London'?");
      const asked = model.requests.length;
      expect(await telegram("/zone europe/london")).toContain("(Europe/London)");
      expect(model.requests.length).toBe(asked);
      await telegram("what time is it?");
      expect(model.requests.at(-1)?.system).toContain("(Europe/London)");
    },
  );

  wired(
    "agents.*.model",
    "WIR-341 a changed model and tool list apply from the next turn of an open conversation",
    async () => {
      const say = await gateway.open("clerk");
      await say("one");
      expect(model.requests.at(-1)?.raw).toContain('"model":"scripted"');
      expect(model.requests.at(-1)?.toolNames).not.toContain("read_file");
      const params = { name: "clerk" };
      const { version } = await gateway.operator.call("GET /api/agents/{name}", { params });
      const definition = { model: "own/other", tools: [{ name: "read_file", args: ["path"] }] };
      const body = { definition, reason: "another model", after: version };
      await gateway.operator.call("PUT /api/agents/{name}", { params, body });
      await say("two");
      expect(model.requests.at(-1)?.raw).toContain('"model":"other"');
      expect(model.requests.at(-1)?.raw).toContain("one");
      expect(model.requests.at(-1)?.toolNames).toContain("read_file");
    },
  );

  wired("agents.*.memory", "WIR-342 memory: off offers no notes; read_memory stays for the instructions", async () => {
    await gateway.say("unnoted", "hello");
    const names = model.requests.at(-1)?.toolNames ?? [];
    expect(names).toContain("update_instructions");
    expect(names).toContain("read_memory");
    expect(names).not.toContain("save_memory");
    expect(model.requests.at(-1)?.raw).toContain("There are no notes.");
  });

  wired(
    "agents.*.feedback",
    "WIR-343 the feedback of a session can be listed, and chosen by its provider",
    async () => {
      const { id } = await gateway.operator.call("POST /api/sessions", { body: { agent: "fed" } });
      const calls = ["echo one", "echo two"].map((command) => ({ calls: [{ name: "shell", input: { command } }] }));
      model.setScript([...calls, () => ({ text: "done" })]);
      const query = { wait: "true" } as const;
      await gateway.operator.call("POST /api/sessions/{id}/messages", { params: { id }, query, body: { text: "go" } });
      model.setScript(() => ({ text: "done" }));
      const list = async (provider?: string) => {
        const asked = { params: { id }, query: { provider } };
        const { feedback } = await gateway.operator.call("GET /api/journal/sessions/{id}/feedback", asked);
        return feedback.map(({ providerName }) => providerName);
      };
      await expect.poll(() => list("calm")).toEqual(["calm"]);
      expect((await list()).toSorted()).toEqual(["brief", "brief", "calm"]);
    },
  );

  wired("OTEL_EXPORTER_OTLP_ENDPOINT", "WIR-344 the gateway prints that a collector's address is wrong", async () => {
    expect(await gateway.line("nothing is exported")).toContain("OTEL_EXPORTER_OTLP_ENDPOINT");
  });

  wired("conduct init --user", "WIR-345 init shows the user of the sessions and writes it down", async () => {
    const shown = await machine.conduct(["init", "claude-code", "--yes", "--agent", "clerk", "--user", "ann"]);
    expect(shown.out.replaceAll(/\s+/g, " "), shown.err).toContain("instructions and notes of the user ann");
    expect(JSON.parse(machine.read(".conduct/runtimes.json"))).toMatchObject({ "claude-code": { user: "ann" } });
    await machine.conduct(["daemon", "stop"]);
    const wrong = await machine.conduct(["init", "claude-code", "--yes", "--user", "n".repeat(101)]);
    expect(wrong.err + wrong.out).toContain("--user must be a name");
  });
});
