import { afterAll, beforeAll, describe, expect } from "vitest";
import { type BotApi, startBotApi } from "../src/testing/test/bot-api.ts";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type Gateway, Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let model: ModelServer;
let gateway: Gateway;
let bot: BotApi;

const CONFIG = (url: string) => `
channels: { telegram: { operators: [7], agent: clerk } }
agents:
  defaults: { model: own/scripted, tools: [{ name: shell, args: [command] }] }
  clerk: {}
  small: { model: own/small, soul: You are small. }
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
  own/small: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY, window: 6000 }
`;

const start = () => machine.gateway([], { TELEGRAM_BOT_TOKEN: bot.token, TELEGRAM_API_ROOT: bot.url });

beforeAll(async () => {
  model = await machine.model();
  bot = await startBotApi();
  machine.onClose(() => bot.close());
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
  await machine.conduct(["behavior", "add", "STOP: long answers"]);
  gateway = await start();
});
afterAll(() => machine.close());

const run = (command: string) => ({ calls: [{ name: "shell", input: { command } }] });
const BIG = run("seq -f 'line %g of the big log' 1 20000");
const NOTICE = /Output truncated: ~\d+ tokens exceeds limit of 38400\. .*"handle"/;
const results = () => model.requests.at(-1)?.results.map(({ text }) => text) ?? [];

describe("edge cases that people meet, on the gateway", () => {
  wired("agents.*.model", "WIR-903 an empty answer of the model is a failed turn with a reason", async () => {
    for (const text of ["", " \n "]) {
      model.setScript(() => ({ text }));
      const { status, why } = await gateway.say("clerk", "hello");
      expect([status, why]).toEqual(["failed", "the model gave an empty answer"]);
    }
  });

  wired(
    "channels.*.agent",
    "WIR-904 a large result has one limit on every channel, also for debug lines, later turns and a restarted gateway",
    async () => {
      const { id } = await gateway.operator.call("POST /api/sessions", { body: { agent: "clerk" } });
      const say = async (text: string) =>
        gateway.operator.call("POST /api/sessions/{id}/messages", {
          params: { id },
          query: { wait: "true" },
          body: { text },
        });
      model.setScript([BIG, { text: "done" }]);
      const { notes = [] } = await say("/verbose look");
      expect(results()[0]).toMatch(NOTICE);
      expect(notes.join("\n").length).toBeLessThan(4_000);
      expect(notes.join("\n")).toMatch(/\[DEBUG\] {3}line 1 of the big log[\s\S]*more characters left out/);
      await gateway.stop();
      gateway = await start();
      model.setScript([{ text: "later" }]);
      await say("and now?");
      expect(results()[0]).toMatch(NOTICE);
      expect(model.requests.at(-1)?.raw.length).toBeLessThan(120_000);

      const sent = () => bot.calls.filter(({ method }) => method === "sendMessage");
      model.setScript([BIG, { text: "done" }]);
      const from = { id: 7, is_bot: false, first_name: "Ann" };
      bot.push({ message: { message_id: 1, date: 1, chat: { id: 7, type: "private" }, from, text: "look" } });
      await expect.poll(() => sent().length).toBe(1);
      expect(results().at(-1)).toMatch(NOTICE);
    },
  );

  wired("agents.*.tools[].args", "WIR-905 the same call runs again; no answer comes from a cache", async () => {
    model.setScript([run("echo x >> times; wc -l < times"), run("echo x >> times; wc -l < times"), { text: "done" }]);
    await gateway.say("clerk", "go");
    expect(results().map((text) => text.trim())).toEqual(["1", "2"]);
  });

  wired(
    "agents.*.soul",
    "WIR-906 modes count at the start of a message only, and the text behind them is sent byte for byte",
    async () => {
      const say = await gateway.open("clerk");
      for (const [written, sent] of [
        ["open /home/user/think/file.txt", "open /home/user/think/file.txt"],
        ["see https://x.example/verbose/page", "see https://x.example/verbose/page"],
        ["`/elevated` is a mode", "`/elevated` is a mode"],
        ["/temp 9 hi", "/temp 9 hi"],
        ["/think\r\n  a\n\n\tb  c\n", "  a\n\n\tb  c\n"],
        ["/THINK@conduct_bot:off  two", " two"],
      ] as const) {
        model.setScript(() => ({ text: "ok" }));
        await say(written);
        const said = model.requests.at(-1)?.history.filter((one) => one.kind === "text" && one.role === "user");
        expect(said?.at(-1), written).toMatchObject({ text: sent });
      }
      const before = model.requests.length;
      expect((await say("/verbose")).answer).toBe("verbose: off");
      await say("/verbose on");
      expect((await say("/modes")).answer).toBe("think: off\nverbose: on\nelevated: off");
      expect((await say("/modes reset")).answer).toBe("think: off\nverbose: off\nelevated: off");
      expect(model.requests.length).toBe(before);
    },
  );

  wired(
    "models.*.window",
    "WIR-907 a long conversation is compacted: prompt, contract, first task and whole calls stay, and the person is told",
    async () => {
      const say = await gateway.open("small");
      const notes: string[] = [];
      for (let at = 0; at < 12; at += 1) {
        const left = [run(`seq -f 'turn ${at} row %g' 1 60`)];
        model.setScript(({ tools }) =>
          tools.length === 0 ? { text: "no summary" } : (left.shift() ?? { text: `answer ${at}` }),
        );
        const turn = await say(`message ${at} of twelve`);
        expect(turn.status).toBe("complete");
        notes.push(...(turn.notes ?? []));
      }
      expect(notes).toEqual([
        expect.stringMatching(
          /was compacted .*: \d+ earlier messages with \d+ calls \(shell \d+\) .*\d+ tokens became \d+\. A summary could not be created/,
        ),
      ]);
      const { system = "", history = [] } = model.requests.at(-1) ?? {};
      expect(system).toMatch(/STOP: long answers[\s\S]*You are small\./);
      const texts = history.flatMap((one) => (one.kind === "text" && one.role === "user" ? [one.text] : []));
      expect(texts[0]).toBe("message 0 of twelve");
      expect(texts[1]).toMatch(/earlier messages .* were removed[\s\S]*answer 0[\s\S]*message 1 of twelve/);
      const ids = (kind: "call" | "result") => history.flatMap((one) => (one.kind === kind ? [one.callId] : []));
      expect(ids("result")).toEqual(ids("call"));
    },
  );
});
