import { afterAll, beforeAll, describe, expect } from "vitest";
import { type BotApi, startBotApi } from "../src/testing/test/bot-api.ts";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { ClaudeCode } from "./claude-code.ts";
import { type Gateway, Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key", TZ: "UTC" });
let model: ModelServer;
let gateway: Gateway;
let bot: BotApi;
let messages = 0;

const CONFIG = (url: string) => `
agents:
  defaults: { model: own/scripted, tools: [{ name: shell, args: [command] }] }
  by-turn: { limits: { turn: { calls: 1 } } }
  by-session: { limits: { session: { calls: 1 } } }
  by-day: { limits: { day: { calls: 2 } } }
  both: { limits: { day: { calls: 3 } } }
  poor-day: { limits: { day: { outputTokens: 5 } } }
  late-turn: { feedback: [{ deadline: {}, every: { calls: 1 } }], limits: { turn: { deadline: 1s } } }
${SPENT.map(([scope, key]) => `  ${nameOf(scope, key)}: { limits: { ${scope}: { ${key}: 50 } } }`).join("\n")}
${SLOW.map(([scope, key]) => `  ${nameOf(scope, key)}: { limits: { ${scope}: { ${key}: 1s } } }`).join("\n")}
channels:
  telegram: { operators: [7], agent: by-session }
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY, prices: { input: 1000000, output: 0 } }
`;

const nameOf = (scope: string, key: string) => `${scope}-${key}`.toLowerCase();
const AMOUNTS = ["tokens", "inputTokens", "outputTokens", "cost"];
const SPENT = ["turn", "session", "day"].flatMap((scope) => AMOUNTS.map((key) => [scope, key] as const));
const SLOW = [
  ["turn", "time"],
  ["session", "time"],
  ["session", "deadline"],
] as const;

async function start(): Promise<Gateway> {
  return machine.gateway([], { TELEGRAM_BOT_TOKEN: bot.token, TELEGRAM_API_ROOT: bot.url });
}

beforeAll(async () => {
  bot = await startBotApi();
  machine.onClose(() => bot.close());
  model = await machine.model(() => ({ text: "done" }));
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
  gateway = await start();
});
afterAll(() => machine.close());

const shell = (command: string) => ({ calls: [{ name: "shell", input: { command } }] });
/** What the model got back for one call in each message of one conversation. */
async function callEach(say: Awaited<ReturnType<Gateway["open"]>>, commands: readonly string[]) {
  const before = model.requests.length;
  model.setScript([...commands.map(shell), () => ({ text: "done" })]);
  await say("go");
  return (
    model.requests
      .slice(before)
      .at(-1)
      ?.results.map(({ text }) => text) ?? []
  );
}

describe("limits", () => {
  wired(
    ["agents.*.limits.turn", "agents.*.limits.turn.calls"],
    "WIR-330 the second call of a turn is denied by name, and the next message has its own budget",
    async () => {
      const say = await gateway.open("by-turn");
      const [first, second] = await callEach(say, ["echo one", "echo two"]);
      expect(first).toContain("one");
      expect(second).toContain("The turn's budget for calls is used up (1 of 1; limits.turn.calls)");
      expect((await callEach(say, ["echo three"])).at(-1)).toContain("three");
    },
  );

  wired(
    ["agents.*.limits.session", "agents.*.limits.session.calls"],
    "WIR-331 a used-up session says so with its limit, and /new starts one with a budget of its own",
    async () => {
      const { id } = await gateway.operator.call("POST /api/sessions", { body: { agent: "by-session" } });
      const send = (session: string, text: string) =>
        gateway.operator.call("POST /api/sessions/{id}/messages", {
          params: { id: session },
          query: { wait: "true" },
          body: { text },
        });
      await callEach(async (text) => send(id, text), ["echo one"]);
      expect(JSON.stringify(await send(id, "again"))).toContain("limits.session.calls), so the agent can make no more");
      const renewed = await send(id, "/reset");
      expect(renewed.conversation).not.toBe(id);
      expect(renewed.answer).toContain("This is a new session.");
      expect((await callEach(async (text) => send(renewed.conversation, text), ["echo two"])).at(-1)).toContain("two");
    },
  );

  wired("channels.*.agent", "WIR-332 a Telegram chat that used up its session goes on after /new", async () => {
    const say = async (text: string): Promise<string> => {
      const sent = () => bot.calls.filter(({ method }) => method === "sendMessage");
      const before = sent().length;
      messages += 1;
      const from = { id: 7, is_bot: false, first_name: "Ann" };
      bot.push({ message: { message_id: messages, date: 1, chat: { id: 7, type: "private" }, from, text } });
      await expect.poll(() => sent().length).toBeGreaterThan(before);
      return String(sent().at(-1)?.body.text);
    };
    model.setScript([shell("echo one"), () => ({ text: "done" })]);
    await say("go");
    expect(await say("again")).toContain("Send /new to start a new session.");
    expect(await say("/new")).toContain("This is a new session.");
    model.setScript([shell("echo fresh"), () => ({ text: "done" })]);
    expect(await say("go")).toBe("done");
    expect(model.requests.at(-1)?.results.at(-1)?.text).toContain("fresh");
  });

  wired(
    ["agents.*.limits.day", "agents.*.limits.day.calls"],
    "WIR-333 the calls of a day count over sessions and over a restart of the gateway, for each user alone",
    async () => {
      expect((await callEach(await gateway.open("by-day"), ["echo one"])).at(-1)).toContain("one");
      await gateway.close();
      gateway = await start();
      const [second, third] = await callEach(await gateway.open("by-day"), ["echo two", "echo three"]);
      expect(second).toContain("two");
      expect(third).toContain("The day's budget for calls is used up (2 of 2; limits.day.calls)");
      const bob = await gateway.person("bob");
      expect((await callEach(await gateway.open("by-day", bob), ["echo four"])).at(-1)).toContain("four");
    },
  );

  wired(
    "agents.*.limits.day",
    "WIR-515 the gateway and the daemon count one day: the calls of a user in both, in the zone that the user set",
    async () => {
      const ann = await gateway.person("ann");
      // A zone in which it is another day than on this machine: a process that counts by its own clock is found out.
      const zone = new Date().getUTCHours() >= 10 ? "Pacific/Kiritimati" : "Pacific/Pago_Pago";
      await ann.call("PATCH /api/users/{id}", { params: { id: "ann" }, body: { zone } });
      machine.onClose(() => machine.conduct(["daemon", "stop"]));
      const { code, out, err } = await machine.conduct([
        "init",
        "claude-code",
        "--agent",
        "both",
        "--user",
        "ann",
        "--yes",
      ]);
      expect(code, out + err).toBe(0);
      await machine.conduct(["enforce", "claude-code", "--yes"]);
      const claude = new ClaudeCode(machine, "day");
      await claude.start();
      await claude.say("begin");
      expect((await callEach(await gateway.open("both", ann), ["echo one"])).at(-1)).toContain("one");
      expect(await claude.shell("echo two")).not.toContain("deny");
      expect((await callEach(await gateway.open("both", ann), ["echo three"])).at(-1)).toContain("three");
      const usedUp = "The day's budget for calls is used up (3 of 3; limits.day.calls)";
      expect(await claude.shell("echo four")).toContain(usedUp);
      expect((await callEach(await gateway.open("both", ann), ["echo five"])).at(-1)).toContain(usedUp);
      expect((await callEach(await gateway.open("both"), ["echo six"])).at(-1)).toContain("six");
    },
  );

  wired(
    "agents.*.limits.day.outputTokens",
    "WIR-334 once the tokens of the day are used up, the model is not asked in any session",
    async () => {
      model.setScript(() => ({ text: "done", usage: { input: 10, output: 50 } }));
      await gateway.say("poor-day", "first");
      const before = model.requests.length;
      const { answer } = await gateway.say("poor-day", "second");
      expect(answer).toContain("limits.day.outputTokens), so the agent was not asked. It starts afresh at midnight");
      expect(model.requests.length).toBe(before);
    },
  );

  wired(
    "agents.*.limits.turn.deadline",
    "WIR-335 the deadline of a turn counts from the message and is in the agent's feedback",
    async () => {
      const say = await gateway.open("late-turn");
      const [first, second] = await callEach(say, ["echo one; sleep 1.2", "echo two"]);
      expect(first).toContain("the deadline has passed");
      expect(second).toContain("limits.turn.deadline");
      expect((await callEach(say, ["echo three"])).at(-1)).toContain("three");
    },
  );

  wired(
    [
      "agents.*.limits.turn.tokens",
      "agents.*.limits.turn.inputTokens",
      "agents.*.limits.turn.outputTokens",
      "agents.*.limits.turn.cost",
      "agents.*.limits.session.tokens",
      "agents.*.limits.session.inputTokens",
      "agents.*.limits.session.outputTokens",
      "agents.*.limits.session.cost",
      "agents.*.limits.day.tokens",
      "agents.*.limits.day.inputTokens",
      "agents.*.limits.day.cost",
    ],
    "WIR-336 a call after too many tokens or dollars is denied with the name of its limit",
    async () => {
      for (const [scope, key] of SPENT) {
        const say = await gateway.open(nameOf(scope, key));
        const before = model.requests.length;
        const costly = { ...shell("echo made"), usage: { input: 60, output: 60 } };
        model.setScript([costly, shell("echo again"), () => ({ text: "done" })]);
        await say("go");
        const got = model.requests.slice(before).flatMap(({ results }) => results.map(({ text }) => text));
        expect(got.join("\n")).toContain(`; limits.${scope}.${key})`);
      }
    },
  );

  wired(
    ["agents.*.limits.turn.time", "agents.*.limits.session.time", "agents.*.limits.session.deadline"],
    "WIR-337 a call after the time or the deadline is denied with the name of its limit",
    async () => {
      for (const [scope, key] of SLOW) {
        const got = await callEach(await gateway.open(nameOf(scope, key)), ["sleep 1.2", "echo late"]);
        expect(got.at(-1)).toContain(`limits.${scope}.${key})`);
      }
    },
  );
});
