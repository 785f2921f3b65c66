import { afterAll, beforeAll, describe, expect } from "vitest";
import { type BotApi, startBotApi } from "../src/testing/test/bot-api.ts";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type SlackApi, startSlackApi } from "../src/testing/test/slack-api.ts";
import { ClaudeCode } from "./claude-code.ts";
import { type Gateway, Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let model: ModelServer;
let gateway: Gateway;
let slack: SlackApi;
let bot: BotApi;

const BOSS = "UBOSS0001";
const BOSS_CHAT = "DBOSS0001";
const OTHER = "UOTHER0001";
const ANN = 4711;

const CONFIG = (url: string) => `
agents:
  coding:
    model: own/scripted
    rules: [{ id: ask-touch, on: shell, when: 'args.command.startsWith("touch")', effect: ask, say: May I touch it? }]
  porter:
    model: own/scripted
    soul: You are the porter.
    tools: [{ name: read_file, paths: { path: read } }]
    rules: [{ id: ask-first, on: read_file, effect: ask, say: May I read it? }]
channels:
  slack: { operators: [${BOSS}], strangers: refuse, agent: porter, guidance: Write slacks. }
  telegram: { operators: [${ANN}] }
schedules:
  - { id: often, agent: porter, user: ann, cron: "* * * * *", say: Look around., deliver: { channel: slack, address: C0TEAM001 } }
review: { model: own/scripted, threshold: 0.2, digest: { slack: C0DIGEST1 } }
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;

/** Tells the reviewing model's finding; everybody else hears "done". */
const reviewer: Parameters<ModelServer["setScript"]>[0] = ({ raw, lastUserText }) => {
  if (!raw.includes("You read what people said to an assistant")) return { text: "done" };
  const event = /id="([^"]+)" kind="[^"]*">[^<]*green tables/.exec(lastUserText)?.[1] ?? "";
  const finding = { type: "more", text: "green tables", event, quote: "love green tables so", confidence: 0.3 };
  return { text: JSON.stringify({ findings: [finding] }) };
};

beforeAll(async () => {
  slack = await startSlackApi();
  bot = await startBotApi();
  machine.onClose(() => Promise.all([slack.close(), bot.close()]));
  model = await machine.model(() => ({ text: "done" }));
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
  machine.onClose(() => machine.conduct(["daemon", "stop"]));
  gateway = await machine.gateway([], {
    ...{ SLACK_BOT_TOKEN: slack.token, SLACK_SIGNING_SECRET: slack.secret, SLACK_API_ROOT: slack.url },
    ...{ TELEGRAM_BOT_TOKEN: bot.token, TELEGRAM_API_ROOT: bot.url },
  });
  await gateway.line("slack: connected");
});
afterAll(() => machine.close());

let count = 0;
/** A direct message to the bot. */
function say(user: string, text: string, more: object = {}): Promise<Response> {
  const ts = `1718.${String(++count).padStart(6, "0")}`;
  const channel = user.replace("U", "D");
  return slack.event(`${gateway.url}/slack/webhook`, {
    ...{ type: "message", channel_type: "im", channel, user, text, ts, ...more },
  });
}
const press = (user: string, channel: string, ts: string, value: string) =>
  slack.press(`${gateway.url}/slack/webhook`, { user, channel, ts, value });
const posts = (channel: string) =>
  slack.calls.filter(({ method, body }) => method === "chat.postMessage" && body.channel === channel);
const textsTo = (channel: string) => posts(channel).map(({ body }) => String(body.text));
const updates = () => slack.calls.filter(({ method }) => method === "chat.update").map(({ body }) => String(body.text));
/** The value of a button of the last message to a channel, and the message. */
function button(channel: string, choice: string) {
  const body: { readonly ts?: unknown } = posts(channel).at(-1)?.body ?? {};
  const value = new RegExp(`a:[\\w-]+:${choice}`).exec(JSON.stringify(body))?.[0] ?? "";
  return { value, ts: String(body.ts) };
}

describe("Slack", () => {
  wired(
    ["SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET", "SLACK_API_ROOT", "channels.*.operators"],
    "WIR-990 an operator's direct message reaches the channel's agent, is answered, and may change the contract; a stranger reaches no model",
    async () => {
      expect((await say(BOSS, "hello over there")).status).toBe(200);
      await expect.poll(() => textsTo(BOSS_CHAT)).toContain("done");
      const request = model.requests.findLast(({ raw }) => raw.includes("hello over there"));
      expect(request?.system).toContain("You are the porter.");
      expect(request?.system).toContain("Write slacks.");
      await say(BOSS, "STOP: long reports");
      await expect.poll(() => textsTo(BOSS_CHAT).join()).toContain("Noted.");
      await say(BOSS, "still there?");
      await expect.poll(() => model.requests.some(({ raw }) => raw.includes("still there?"))).toBe(true);
      expect(model.requests.findLast(({ raw }) => raw.includes("still there?"))?.system).toContain(
        "STOP: long reports",
      );
      await say(OTHER, "let me in");
      await expect.poll(() => textsTo("DOTHER0001").join()).toContain("I don't know you");
      expect(model.requests.some(({ raw }) => raw.includes("let me in"))).toBe(false);
    },
  );
  wired([], "WIR-991 a message that Slack sends again is answered once, and an unsigned one is refused", async () => {
    const before = textsTo(BOSS_CHAT).length;
    const event = { text: "only once, please", ts: "1718.900000" };
    const both = await Promise.all([say(BOSS, "", event), say(BOSS, "", event)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    await expect.poll(() => textsTo(BOSS_CHAT).length).toBe(before + 1);
    expect(model.requests.filter(({ raw }) => raw.includes("only once, please"))).toHaveLength(1);
    const forged = { type: "message", channel_type: "im", channel: BOSS_CHAT, user: BOSS, text: "STOP: x", ts: "1.1" };
    expect((await slack.event(`${gateway.url}/slack/webhook`, forged, { secret: "guessed" })).status).toBe(401);
  });
  wired(
    [],
    "WIR-992 a question has buttons; only who may answer it can, and the message shows the answer",
    async () => {
      model.setScript([{ calls: [{ name: "read_file", input: { path: "notes.txt" } }] }, () => ({ text: "finished" })]);
      await say(BOSS, "read the notes");
      await expect.poll(() => textsTo(BOSS_CHAT).join()).toContain("May I read it?");
      const { value, ts } = button(BOSS_CHAT, "yes");
      await press(OTHER, BOSS_CHAT, ts, value);
      await slack.waitFor("chat.postEphemeral", 1);
      await press(BOSS, BOSS_CHAT, ts, value);
      await expect.poll(() => textsTo(BOSS_CHAT)).toContain("finished");
      await expect.poll(() => updates().join()).toContain(`✓ yes · by slack:${BOSS}`);
    },
  );
  wired([], "WIR-993 a question that is answered in the console shows so in Slack", async () => {
    model.setScript([
      { calls: [{ name: "read_file", input: { path: "more.txt" } }] },
      () => ({ text: "refused then" }),
    ]);
    await say(BOSS, "read more");
    await expect.poll(() => button(BOSS_CHAT, "yes").value).not.toBe("");
    const { approvals } = await gateway.operator.call("GET /api/approvals");
    const params = { id: String(approvals[0]?.approval) };
    await gateway.operator.call("POST /api/approvals/{id}", { params, body: { answer: "no" } });
    await expect.poll(() => updates().join()).toContain("✗ no · by operator");
  });
  wired(
    "review.digest.slack",
    "WIR-995 the review's digest and a schedule's answer arrive in their Slack channels",
    async () => {
      model.setScript(reviewer);
      await say(BOSS, "I love green tables so much.");
      await expect.poll(() => textsTo("C0TEAM001"), { timeout: 90_000 }).toContain("done");
      await gateway.operator.call("POST /api/review/run", {});
      await expect.poll(() => textsTo("C0DIGEST1").join(), { timeout: 60_000 }).toContain("MORE: green tables");
    },
  );
  wired(
    [],
    "WIR-994 a coding runtime's question is asked in every operator's chats; the first answer wins, and the other chats show it",
    async () => {
      const { code, out, err } = await machine.conduct(["init", "claude-code", "--agent", "coding", "--yes"]);
      expect(code, out + err).toBe(0);
      await machine.conduct(["enforce", "claude-code", "--yes"]);
      const claude = new ClaudeCode(machine, "asked");
      await claude.start();
      await claude.say("begin");
      expect(await claude.shell("touch a")).toContain('"permissionDecision":"ask"');
      await expect.poll(() => textsTo(BOSS_CHAT).join()).toContain("May I touch it?");
      const inTelegram = () => bot.calls.filter(({ body }) => String(body.text).includes("May I touch it?"));
      await expect.poll(() => inTelegram().length).toBe(1);
      const { value, ts } = button(BOSS_CHAT, "yes");
      await press(BOSS, BOSS_CHAT, ts, value);
      await expect.poll(() => updates().join()).toContain(`May I touch it?`);
      await expect.poll(() => inTelegram().length).toBe(2);
      expect(String(inTelegram()[1]?.body.text)).toContain(`✓ yes · by slack:${BOSS}`);
      expect(await claude.shell("touch a")).not.toContain('"permissionDecision"');
      expect(textsTo(BOSS_CHAT).filter((text) => text.includes("May I touch it?"))).toHaveLength(1);
    },
  );
});
