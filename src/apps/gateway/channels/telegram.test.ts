import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { ask } from "../../../behavior/policy/policy-decision.ts";
import { RulesPolicy } from "../../../behavior/policy/rules/rules-policy.ts";
import { characterCounter } from "../../../behavior/results/token-counter.ts";
import { nodeClock } from "../../../edge/host/node/node-clock.ts";
import { sequentialIds } from "../../../edge/host/node/node-ids.ts";
import { memoryStores } from "../../../edge/stores/home-stores.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { ContractService } from "../../../engine/governance/contract-service.ts";
import { startBotApi } from "../../../testing/test/bot-api.ts";
import { testConversations } from "../test/test-gateway.ts";
import { splitText } from "./split-text.ts";
import { openTelegram, type TelegramOptions } from "./telegram.ts";
import { readTelegram } from "./telegram-message.ts";

const OPERATOR = 11;
const USER = 22;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function world(options: Partial<TelegramOptions> = {}, made = testConversations({ waitMs: 20_000 })) {
  const api = await startBotApi();
  const opened = made.open();
  const { contracts } = opened.conduct;
  if (contracts === undefined) throw new Error("these tests need a contract");
  const stores = memoryStores();
  const { users } = stores;
  await users.add({ id: "uma", name: "Uma", role: "user", zone: "Asia/Kolkata", telegram: USER, at: 0 });
  const lines: string[] = [];
  const telegram = openTelegram({
    token: api.token,
    apiRoot: api.url,
    mode: { kind: "polling" },
    operators: [OPERATOR],
    strangers: "refuse",
    agent: () => "demo",
    conversations: opened.conversations,
    store: made.store,
    users,
    approvals: opened.approvals,
    contracts,
    clock: nodeClock(),
    answers: { store: stores.answers, self: () => "this-process" },
    runtimes: { find: async () => undefined, answer: async () => "not here" },
    report: (line) => lines.push(line),
    ...options,
  });
  telegram.connect();
  let message = 0;
  const from = (id: number) => ({ id, is_bot: false, first_name: id === OPERATOR ? "Olga" : "<b>Uma‮</b>" });
  const say = (id: number, text: string, more: object = {}) => {
    message += 1;
    const chat = { id, type: "private" };
    api.push({ message: { message_id: message, date: 1, chat, from: from(id), text, ...more } });
  };
  closing.push(async () => {
    await telegram.close();
    await opened.conversations.close();
    await opened.conduct.close();
    await api.close();
    made.remove();
  });
  const texts = async (count: number) => (await api.waitFor("sendMessage", count)).map(({ body }) => String(body.text));
  return { api, telegram, users, lines, say, texts, from, ...made, ...opened };
}

describe("Telegram", () => {
  it("TG-1 a known user talks to the agent, and the prompt contains the channel and the user's time zone", async () => {
    const { say, texts, conversations, store, events } = await world();
    say(USER, "hello");
    expect((await texts(1))[0]).toContain("demo model");
    const conversation = await store.at("telegram", String(USER));
    if (conversation === undefined) throw new Error("there is no conversation");
    expect(conversation).toMatchObject({ user: "uma", channel: "telegram" });
    expect((await (await conversations.session(conversation)).onPrompt()).text).toMatch(/telegram/i);
    expect(events.find((event) => event.type === "message")).toMatchObject({
      sender: { id: String(USER), role: "user" },
    });
  });

  it("TG-2 a stranger is rejected once, or welcomed if configured", async () => {
    const { say, texts, api } = await world();
    for (const text of ["hi", "hi again"]) say(99, text);
    say(USER, "hello");
    expect((await texts(2)).map((text) => text.slice(0, 16))).toEqual(["I don't know you", "I am the demo mo"]);
    expect(api.calls.filter(({ method }) => method === "sendMessage")).toHaveLength(2);
    const open = await world({ strangers: "welcome" });
    open.say(99, "hello");
    expect((await open.texts(1))[0]).toContain("demo model");
    expect((await open.users.byTelegram(99))?.role).toBe("user");
  });

  it("TG-20 a viewer gets a read-only notice, and no turn is created", async () => {
    const { say, texts, users, store } = await world();
    await users.add({ id: "vic", name: "Vic", role: "viewer", telegram: 33, at: 0 });
    say(33, "hello");
    expect((await texts(1))[0]).toContain("You have read-only access");
    expect(await store.at("telegram", "33")).toBeUndefined();
  });

  it("TG-3 only an operator's own text in a private chat changes the contract; forwarded or other people's text never does", async () => {
    const { say, texts, conduct } = await world();
    const inForce = async () => (await conduct.contracts?.contract({}))?.directives.map(({ text }) => text);
    say(USER, "STOP: long reports");
    await texts(1);
    say(OPERATOR, "KEEP: forged by a forward", { forward_origin: { type: "user" } });
    say(OPERATOR, "KEEP: forged through a bot", { via_bot: { id: 5, is_bot: true } });
    say(OPERATOR, "KEEP: forged in a chat's name", { sender_chat: { id: -5 } });
    await texts(4);
    expect(await inForce()).toEqual([]);
    say(OPERATOR, "STOP: long reports");
    expect((await texts(5))[4]).toContain("Noted.");
    expect(await inForce()).toEqual(["long reports"]);
  });

  it("TG-4 in a group the bot answers when addressed, treats no one as operator, and ignores other bots' commands", async () => {
    const { api, texts, from, conduct } = await world();
    const chat = { id: -70, type: "supergroup" };
    const post = (id: number, text: string, more: object = {}) =>
      api.push({
        message: { message_id: Math.floor(Math.random() * 1e9), date: 1, chat, from: from(id), text, ...more },
      });
    post(OPERATOR, "not for the bot");
    post(OPERATOR, "/think@other_bot on");
    post(OPERATOR, "@conduct_bot hello");
    post(OPERATOR, "STOP: everything @conduct_bot");
    post(USER, "and you?", {
      reply_to_message: { message_id: 1, date: 1, chat, from: { id: 100, is_bot: true, first_name: "C" } },
    });
    expect(await texts(3)).toHaveLength(3);
    expect((await conduct.contracts?.contract({}))?.directives).toEqual([]);
  });

  it("TG-5 mode commands may contain the bot's name, and an update delivered twice is one turn", async () => {
    const { api, say, texts, store, from } = await world();
    say(USER, "/think@conduct_bot on");
    expect((await texts(1))[0]).toMatch(/think/i);
    const again = {
      message: { message_id: 500, date: 1, chat: { id: USER, type: "private" }, from: from(USER), text: "hello" },
    };
    api.push(again);
    api.push(again);
    say(USER, "/help");
    await texts(3);
    const conversation = await store.at("telegram", String(USER));
    const turns = await store.turns({ conversation: conversation?.id ?? "", limit: 9 });
    expect(turns.filter(({ text }) => text === "hello")).toHaveLength(1);
  });

  it("TG-6 only its user and operators can answer a question by button; a forged, foreign or second press does nothing", async () => {
    const asks = { name: "careful", check: () => ask("Deploy now?") };
    const agents = [defineAgent({ name: "demo", tools: [{ name: "deploy" }], policies: [asks] })];
    const { api, say, texts, from, events } = await world({}, testConversations({ agents, waitMs: 30_000 }));
    say(USER, "deploy it");
    const [question] = await api.waitFor("sendMessage", 1);
    expect(question?.body).toMatchObject({ chat_id: String(USER), text: expect.stringContaining("Deploy now?") });
    const data = JSON.stringify(question?.body.reply_markup).match(/a:[\w-]+:yes/)?.[0] ?? "";
    const press = (id: number, what: string, chat = USER) =>
      api.push({
        callback_query: {
          id: String(Math.random()),
          from: from(id),
          chat_instance: "1",
          data: what,
          message: { message_id: 1000, date: 1, chat: { id: chat, type: "private" } },
        },
      });
    press(99, data);
    press(USER, data, 99);
    press(USER, "a:forged:yes");
    await api.waitFor("answerCallbackQuery", 3);
    expect(events.some((event) => event.type === "approval")).toBe(false);
    press(USER, data);
    press(USER, data);
    const answers = (await api.waitFor("answerCallbackQuery", 5)).map(({ body }) => body.text);
    expect(answers.slice(3)).toEqual(["Answered.", "This question is no longer open."]);
    expect((await api.waitFor("editMessageText", 1))[0]?.body.text).toContain("✓ yes");
    await texts(2);
    expect(events.filter((event) => event.type === "approval")).toHaveLength(1);
  });

  it("ASK2-18 a button allows it for the session, if the rule offers that", async () => {
    const rule = { id: "careful", on: ["deploy"], effect: "ask", say: "Deploy now?", remember: "session" } as const;
    const policies = [new RulesPolicy({ rules: [rule], actions: {} })];
    const agents = [defineAgent({ name: "demo", tools: [{ name: "deploy" }], policies })];
    const { api, say, texts, from, events } = await world({}, testConversations({ agents, waitMs: 30_000 }));
    say(USER, "deploy it");
    const [question] = await api.waitFor("sendMessage", 1);
    const buttons = JSON.stringify(question?.body.reply_markup);
    expect(buttons).toContain("Always in this session");
    const data = buttons.match(/a:[\w-]+:always/)?.[0] ?? "";
    const message = { message_id: 1000, date: 1, chat: { id: USER, type: "private" } };
    api.push({ callback_query: { id: "1", from: from(USER), chat_instance: "1", data, message } });
    expect((await api.waitFor("editMessageText", 1))[0]?.body.text).toContain("✓ always");
    await texts(2);
    say(USER, "deploy it");
    await texts(3);
    const decisions = events.flatMap((event) => (event.type === "call" ? [event.decision.kind] : []));
    expect(decisions).toEqual(["ask", "allow", "allow"]);
  });

  it("RVW-20 only an operator decides on a proposal by button; a blocked one shows why and can be pressed again", async () => {
    const contracts = new ContractService({
      ...{ journal: memoryStores().governance, clock: nodeClock(), ids: sequentialIds() },
      counter: async () => characterCounter,
    });
    const propose = async (text: string) => {
      const made = await contracts.change(
        { kind: "propose", type: "stop", text, confidence: 0.8, evidence: ["e"] },
        "r",
      );
      return made.kind === "accepted" ? (made.candidate?.id ?? "") : "";
    };
    const { api, telegram, from } = await world({ contracts });
    const [first, second] = [await propose("long reports"), await propose("short notes")];
    const kept = await contracts.change({ kind: "add", type: "keep", text: "short notes" }, "op");
    await telegram.propose(String(OPERATOR), `${first} · “STOP: long reports”`, first);
    expect((await api.waitFor("sendMessage", 1))[0]?.body.reply_markup).toMatchObject({
      inline_keyboard: [[{ callback_data: `c:${first}:promote` }, { callback_data: `c:${first}:reject` }]],
    });
    const message = { message_id: 900, date: 1, chat: { id: OPERATOR, type: "private" }, text: "the proposal" };
    const press = (id: number, data: string) =>
      api.push({ callback_query: { id: `q${data}${id}`, from: from(id), chat_instance: "1", data, message } });
    const answers = async (count: number) =>
      (await api.waitFor("answerCallbackQuery", count)).map(({ body }) => String(body.text));
    press(USER, `c:${first}:promote`);
    expect((await answers(1)).at(-1)).toBe("You are not allowed to decide this.");
    expect((await contracts.state()).candidates.get(first)?.status).toBe("pending");
    press(OPERATOR, `c:${first}:promote`);
    expect((await answers(2)).at(-1)).toBe("Promoted.");
    expect((await contracts.contract({})).directives.map(({ text }) => text)).toContain("long reports");
    press(OPERATOR, `c:${first}:reject`);
    expect((await answers(3)).at(-1)).toContain("already promoted");
    press(OPERATOR, `c:${second}:promote`);
    expect((await answers(4)).at(-1)).toContain("conflicts with");
    expect((await contracts.state()).candidates.get(second)).toMatchObject({
      status: "pending",
      blocked: expect.stringContaining("conflicts with"),
    });
    await contracts.change({ kind: "remove", id: kept.kind === "accepted" ? (kept.directive?.id ?? "") : "" }, "op");
    press(OPERATOR, `c:${second}:reject`);
    expect((await answers(5)).at(-1)).toBe("Rejected.");
    press(OPERATOR, "c:c_404:promote");
    expect((await answers(6)).at(-1)).toContain("c_404");
  });

  it("TG-7 the Telegram channel waits as long as Telegram asks, and never reports the token", async () => {
    const { api, say, texts, lines } = await world();
    api.fail("sendMessage", { code: 429, description: "Too Many Requests: retry after 1", retryAfter: 1 });
    say(USER, "hello");
    expect(await texts(2)).toHaveLength(2);
    api.fail("sendMessage", { code: 400, description: `Bad Request: ${api.token}` }, 1);
    say(USER, "hello again");
    await texts(3);
    say(USER, "/help");
    await texts(4);
    expect(lines.join("\n")).toContain("TOKEN");
    expect(lines.join("\n")).not.toContain(api.token);
  });

  it("TG-8 a webhook request needs the secret", async () => {
    const secret = "a-long-enough-secret";
    await expect(world({ mode: { kind: "webhook", secret: "short" } })).rejects.toThrow("16 characters");
    const { telegram, texts, from } = await world({ mode: { kind: "webhook", secret } });
    await expect.poll(() => telegram.state().kind, { timeout: 10_000 }).toBe("connected");
    const post = (given: string) =>
      telegram.webhook(
        new Request("http://gateway/telegram", {
          method: "POST",
          headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": given },
          body: JSON.stringify({
            update_id: 1,
            message: { message_id: 1, date: 1, chat: { id: USER, type: "private" }, from: from(USER), text: "hello" },
          }),
        }),
        "127.0.0.1",
      );
    await expect(post("wrong")).rejects.toMatchObject({ status: 401 });
    expect((await post(secret)).status).toBe(200);
    expect(await texts(1)).toHaveLength(1);
  });

  it("TG-9 a token that Telegram rejects is reported as an error once, without the token", async () => {
    const { telegram, lines } = await world({ token: "1:wrong-token" });
    await expect.poll(() => telegram.state().kind, { timeout: 10_000 }).toBe("failing");
    expect(lines).toEqual([expect.stringContaining("TELEGRAM REJECTS THE BOT'S TOKEN")]);
    expect(lines.join()).not.toContain("1:wrong-token");
  });

  it("TG-31 an unavailable or slow Bot API is retried; messages arrive once it answers", async () => {
    const api = await startBotApi();
    closing.push(() => api.close());
    api.fail("getMe", { code: 502, description: "Bad Gateway" }, 2);
    const { telegram, lines } = await world({ token: api.token, apiRoot: api.url });
    expect(telegram.state().kind).toBe("connecting");
    const from = { id: USER, is_bot: false, first_name: "Uma" };
    api.push({ message: { message_id: 1, date: 1, chat: { id: USER, type: "private" }, from, text: "hello" } });
    const [sent] = await api.waitFor("sendMessage", 1);
    expect(sent?.body.text).toContain("demo model");
    expect(lines).toEqual([expect.stringContaining("Bad Gateway"), "telegram: connected as @conduct_bot"]);
  });

  it("TG-32 a webhook answers 503 until the channel is connected, so that Telegram retries the message", async () => {
    const api = await startBotApi();
    closing.push(() => api.close());
    api.delay("getMe", 60_000);
    const secret = "a-long-enough-secret";
    const { telegram } = await world({ token: api.token, apiRoot: api.url, mode: { kind: "webhook", secret } });
    const headers = { "content-type": "application/json", "x-telegram-bot-api-secret-token": secret };
    const request = new Request("http://gateway/telegram", { method: "POST", headers, body: "{}" });
    expect((await telegram.webhook(request, "127.0.0.1")).status).toBe(503);
  });
});

describe("splitText", () => {
  it("TG-20 splitting a message makes every piece fit, loses only white space, and cuts no character", () => {
    const word = fc.constantFrom(
      "a",
      "word",
      "👍🏽",
      "🏳️‍🌈",
      "\n",
      "\n\n",
      " ",
      "\n```js\n",
      "\n```\n",
      "é",
      "x".repeat(60),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 200 }), fc.integer({ min: 40, max: 200 }), (words, most) => {
        const text = words.join("");
        const pieces = splitText(text, most);
        expect(pieces.every((piece) => piece.length <= most && piece.isWellFormed())).toBe(true);
        const bare = (one: string) => one.replaceAll(/```\w*/g, "").replaceAll(/\s/g, "");
        expect(bare(pieces.join("\n"))).toBe(bare(text));
      }),
    );
  });

  it("TG-21 a code block that is split is closed and reopened", () => {
    const code = `Look:\n\`\`\`js\n${Array.from({ length: 40 }, (_, at) => `line(${at});`).join("\n")}\n\`\`\`\nDone.`;
    const pieces = splitText(code, 200);
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces) expect((piece.match(/```/g) ?? []).length % 2).toBe(0);
    expect(pieces[1]?.startsWith("```js\n")).toBe(true);
  });
});

describe("readTelegram", () => {
  const bot = { id: 100, username: "conduct_bot" };
  const base = { message_id: 1, chat: { id: 11, type: "private" }, from: { id: 11, is_bot: false } };
  it.each([
    [{ ...base, text: "hi" }, "operator"],
    [{ ...base, text: "hi", from: { id: 12, is_bot: false } }, "user"],
    [{ ...base, text: "hi", chat: { id: -1, type: "group" }, reply_to_message: { from: { id: 100 } } }, "user"],
    [{ ...base, text: "hi", forward_origin: {} }, "user"],
    [{ ...base, text: "hi", via_bot: {} }, "user"],
    [{ ...base, text: "hi", sender_chat: {} }, "user"],
    [{ ...base, caption: "hi" }, "operator"],
  ])("TG-30 the Telegram message %j has the role %s", (message, role) => {
    expect(readTelegram(message, bot, [11])).toMatchObject({ role });
  });

  it.each([
    [{ ...base, text: "hi", from: { id: 11, is_bot: true } }],
    [{ ...base, text: " " }],
    [{ ...base }],
    [{ ...base, text: "hi", from: undefined }],
    [{ ...base, text: "hi", chat: { id: -1, type: "group" } }],
    [{ ...base, text: "/think@other on" }],
  ])("TG-31 the Telegram message %j is ignored", (message) => {
    expect(readTelegram(message, bot, [11])).toHaveProperty("ignore");
  });
});
