import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import type { ConductEvent } from "../src/base/words/event.ts";
import { startBotApi } from "../src/testing/test/bot-api.ts";
import { ClaudeCode } from "./claude-code.ts";
import { ANN, converse, replicasWorld, TAKEOVER } from "./replicas-world.ts";
import { type Gateway, TOKEN } from "./shipped.ts";
import { wired } from "./wired.ts";

const MINUTE = 60_000;
const { closing, heldModel, twoMachines } = replicasWorld();

describe("two shipped gateways on one PostgreSQL", () => {
  wired(
    "CONDUCT_STORE",
    "WIR-750 the whole text of a truncated result is read on the other gateway, no file at home has it, and a turn runs where its agent's files are",
    async () => {
      const { first, second, configure } = await twoMachines();
      const model = await first.model();
      configure(model);
      const [a, b] = [await first.gateway(), await second.gateway()];
      const lines = Array.from({ length: 3_000 }, (_, at) => `line ${at} of the log`);
      const mark = "the middle of the log, which the model did not get";
      lines[1_500] = mark;
      first.write({ ".conduct-work/reader/operator/big.txt": lines.join("\n") });
      const talk = await converse(a);
      model.setScript([{ calls: [{ name: "read_file", input: { path: "big.txt" } }] }, () => ({ text: "read" })]);
      expect(await talk.send(a, "read it", true)).toMatchObject({ status: "complete", answer: "read" });
      expect(model.requests.at(-1)?.results.at(-1)?.text).not.toContain(mark);
      const { events } = await b.operator.call("GET /api/sessions/{id}/events", { params: { id: talk.id } });
      const [handle = ""] = (events as unknown as readonly ConductEvent[]).flatMap((event) =>
        event.type === "result" ? event.truncation.flatMap((one) => one.handle ?? []) : [],
      );
      let text = "";
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const params = { id: talk.id, handle };
        const page: { readonly text: string; readonly next?: number | undefined } = await b.operator.call(
          "GET /api/sessions/{id}/results/{handle}",
          { params, query: { offset, limit: 10_000 } },
        );
        text += page.text;
        offset = page.next;
      }
      expect(text.split("\n")).toEqual(lines);
      for (const { home } of [first, second]) expect(existsSync(join(home, "results"))).toBe(false);
      // A turn runs where the files of its agent and user are.
      first.write({ ".conduct-work/reader/operator/small.txt": "only on the first machine" });
      model.setScript([{ calls: [{ name: "read_file", input: { path: "small.txt" } }] }, () => ({ text: "read" })]);
      await (await converse(b)).send(b, "read that", true);
      expect(model.requests.at(-1)?.results.at(-1)?.text).toContain("only on the first machine");
    },
  );

  wired(
    ["CONDUCT_STORE", "CONDUCT_DATA_KEY"],
    "WIR-751 the other gateway follows a turn live, reports it after kill -9 of its owner, and runs the queued message",
    async () => {
      const { first, second, configure } = await twoMachines();
      const { model, asked } = await heldModel(second);
      configure(model);
      const [a, b] = [await first.gateway(), await second.gateway()];
      const talk = await converse(a);
      const seen: string[] = [];
      const leaving = new AbortController();
      closing.push(() => leaving.abort());
      const stream = b.operator.stream("GET /api/sessions/{id}/stream", { params: { id: talk.id } }, leaving.signal);
      void (async () => {
        for await (const { event, data } of stream)
          if (event === "turn") seen.push(`${data.turn.text} ${data.turn.status}`);
      })().catch(() => undefined);
      await talk.send(a, "hold one");
      // Notifications of PostgreSQL carry the running turn to the stream of the other gateway.
      await expect.poll(() => seen, TAKEOVER).toContain("hold one running");
      await expect.poll(() => asked("hold one"), TAKEOVER).toBe(1);
      const { self } = await b.operator.call("GET /api/replicas");
      // The number of running turns comes with the next heartbeat.
      await expect
        .poll(async () => (await b.operator.call("GET /api/replicas")).replicas.find(({ id }) => id !== self), TAKEOVER)
        .toMatchObject({ owns: [talk.id], running: 1 });
      await talk.send(b, "two");
      await a.close();
      await expect
        .poll(async () => (await talk.turns(b)).map(({ text, status }) => `${text} ${status}`), TAKEOVER)
        .toEqual(["two complete", "hold one interrupted"]);
      expect([asked("hold one"), asked("two")]).toEqual([1, 1]);
      await expect.poll(() => seen, TAKEOVER).toContain("hold one interrupted");
      expect((await b.operator.call("GET /api/replicas")).replicas).toHaveLength(1);
      expect((await second.conduct(["gateway", "replicas"])).out).toContain(b.url);
    },
  );

  wired(
    ["TELEGRAM_BOT_TOKEN", "TELEGRAM_API_ROOT"],
    "WIR-752 one gateway polls Telegram; after kill -9 the other polls, every message is answered, and none twice",
    async () => {
      const bot = await startBotApi();
      closing.push(() => bot.close());
      const env = { TELEGRAM_BOT_TOKEN: bot.token, TELEGRAM_API_ROOT: bot.url };
      const { first, second, configure } = await twoMachines({ env });
      const { model, asked } = await heldModel(second);
      configure(model);
      let number = 0;
      const say = (text: string, chat = ANN) =>
        bot.push({
          message: {
            message_id: ++number,
            date: 1,
            chat: { id: chat, type: "private" },
            from: { id: ANN, is_bot: false, first_name: "Ann" },
            text,
          },
        });
      const answers = () =>
        bot.calls.flatMap(({ method, body }) => (method === "sendMessage" ? [String(body.text)] : []));
      const poller = await first.gateway();
      say("before");
      await expect.poll(answers, TAKEOVER).toEqual(["did before"]);
      const other = await second.gateway();
      // Longer than a gateway waits before it looks for answers that others have left.
      bot.delay("sendMessage", 2_000);
      say("with two");
      await expect.poll(answers, TAKEOVER).toEqual(["did before", "did with two"]);
      // The bot confirms it, and the gateway stores that.
      await sleep(4_000);
      bot.delay("sendMessage", 0);
      say("hold this");
      await expect.poll(() => asked("hold this"), TAKEOVER).toBe(1);
      // Accepted and queued behind the running turn: Telegram does not send it again.
      say("queued");
      await expect
        .poll(async () => {
          const { sessions } = await other.operator.call("GET /api/sessions");
          const found = await Promise.all(
            sessions.map(({ id }) => other.operator.call("GET /api/sessions/{id}", { params: { id } })),
          );
          return found.flatMap(({ turns }) => turns.map(({ text }) => text));
        }, TAKEOVER)
        .toContain("queued");
      await poller.close();
      say("while nobody polls");
      const interrupted = expect.stringContaining("Nothing was repeated");
      await expect.poll(() => answers().length, TAKEOVER).toBe(5);
      say("after");
      await expect
        .poll(() => answers().toSorted(), TAKEOVER)
        .toEqual([interrupted, "did after", "did before", "did queued", "did while nobody polls", "did with two"]);
      for (const text of ["before", "with two", "hold this", "queued", "while nobody polls", "after"])
        expect([text, asked(text)]).toEqual([text, 1]);
      expect(bot.conflicts).toBe(0);
    },
  );

  wired(
    ["schedules", "review.at", "review.digest.telegram"],
    "WIR-753 a schedule runs once, the review runs once, and its digest is sent once",
    async () => {
      const bot = await startBotApi();
      closing.push(() => bot.close());
      const env = { TELEGRAM_BOT_TOKEN: bot.token, TELEGRAM_API_ROOT: bot.url };
      const { first, second, configure } = await twoMachines({ env });
      const model = await first.model(async ({ raw, lastUserText }) => {
        // Longer than the gateways wait before they look for runs whose gateway is gone.
        if (lastUserText.includes("Is it tea time?")) await sleep(7_000);
        if (!raw.includes("You read what people said to an assistant")) return { text: "tea is served" };
        const event = /id="([^"]+)" kind="[^"]*">[^<]*green tables/.exec(lastUserText)?.[1] ?? "";
        const finding = { type: "more", text: "green tables", event, quote: "love green tables so", confidence: 0.9 };
        return { text: JSON.stringify({ findings: [finding] }) };
      });
      configure(model);
      const before = await first.gateway();
      await before.say("reader", "I love green tables so much.");
      await before.stop();
      // The next whole minute that leaves time for two starts.
      const due = new Date(Math.ceil((Date.now() + 25_000) / MINUTE) * MINUTE);
      const [hour, minute] = [due.getUTCHours(), due.getUTCMinutes()];
      const at = `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
      configure(
        model,
        `
review: { at: "${at}", zone: UTC, model: own/scripted, digest: { telegram: ${ANN} } }
schedules:
  - { id: tea, agent: reader, user: operator, cron: "${minute} ${hour} * * *", zone: UTC, say: Is it tea time?,
      deliver: { channel: telegram, address: "${ANN}" } }
`,
      );
      const [a, b] = [await first.gateway(), await second.gateway()];
      const sent = (text: string) =>
        bot.calls.filter(({ method, body }) => method === "sendMessage" && String(body.text).includes(text)).length;
      const runs = async (from: Gateway) =>
        (await from.operator.call("GET /api/schedules/{id}/runs", { params: { id: "tea" } })).runs;
      const seen = new Set<string>();
      const look = async () => {
        for (const { status } of await runs(b)) seen.add(status);
        return [sent("Daily review:"), sent("tea is served")];
      };
      await expect.poll(look, { timeout: 120_000, interval: 300 }).toEqual([1, 1]);
      expect([...seen]).not.toContain("interrupted");
      // Both gateways have looked at the clock again since.
      await expect.poll(async () => (await runs(b)).map(({ status }) => status), TAKEOVER).toEqual(["done"]);
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      expect(await runs(a)).toHaveLength(1);
      expect([sent("Daily review:"), sent("tea is served"), sent("green tables")]).toEqual([1, 1, 1]);
      expect(model.requests.filter(({ lastUserText }) => lastUserText.includes("Is it tea time?"))).toHaveLength(1);
    },
  );

  wired(
    ["CONDUCT_STORE", "gateway.webhooks"],
    "WIR-813 both gateways know a session over HTTP and a replay, one sends each webhook, and a stopped one leaves the list",
    async () => {
      const posted: string[] = [];
      const receiver = createServer(async (request, response) => {
        posted.push(await text(request));
        // Longer than the gateways wait before they look for deliveries again.
        await sleep(1_500);
        response.end();
      });
      await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
      closing.push(() => receiver.close());
      const { port } = receiver.address() as AddressInfo;
      const { first, second, configure } = await twoMachines({ env: { HOOK_SECRET: `whsec_${"A".repeat(44)}` } });
      const hook = `{ url: "http://127.0.0.1:${port}", secret: { env: HOOK_SECRET }, allowPrivate: true, events: [contract] }`;
      configure(await first.model(), `gateway: { webhooks: { all: ${hook} } }`);
      const [a, b] = [await first.gateway(), await second.gateway()];

      const post = async (at: Gateway, path: string, body: object) => {
        const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
        const request = { method: "POST", headers, body: JSON.stringify(body) };
        return (await fetch(`${at.url}/api/v1/sessions${path}`, request)).json();
      };
      const { session } = (await post(a, "", { agent: "shop" })) as { readonly session: string };
      const call = (at: Gateway, id: string, tool: string) => post(at, `/${session}/call`, { id, tool, input: {} });
      expect(await call(a, "c1", "order")).toMatchObject({ kind: "deny", rule: "stock-first" });
      expect(await call(b, "c2", "check_stock")).toMatchObject({ kind: "allow" });
      await post(b, `/${session}/result`, { id: "c2", outcome: "ok", parts: [{ kind: "text", text: "12" }] });
      expect(await call(a, "c3", "order")).toMatchObject({ kind: "allow" });

      for (const directive of ["STOP: long reports", "STOP: short reports"])
        expect((await first.conduct(["behavior", "add", directive])).code).toBe(0);
      const { id } = await a.operator.call("POST /api/replay", { body: { contract: 1 } });
      expect(await b.operator.call("GET /api/replay/{id}", { params: { id } })).toMatchObject({ id, kind: "contract" });
      for (const directive of ["long", "short"])
        await expect.poll(() => posted.filter((body) => body.includes(directive)).length, TAKEOVER).toBeGreaterThan(0);

      await a.stop();
      expect((await b.operator.call("GET /api/replicas")).replicas).toHaveLength(1);
      expect(existsSync(join(first.home, "run/gateway.json"))).toBe(false);
      for (const directive of ["long", "short"])
        expect(posted.filter((body) => body.includes(directive))).toHaveLength(1);
    },
  );

  wired("gateway.streams", "WIR-754 the open streams of a person are counted over both gateways", async () => {
    const { first, second, configure } = await twoMachines();
    configure(await first.model(), "gateway: { streams: 2 }");
    const [a, b] = [await first.gateway(), await second.gateway()];
    const { id } = await converse(a);
    const leaving = new AbortController();
    closing.push(() => leaving.abort());
    const open = (to: Gateway, signal: AbortSignal) =>
      fetch(`${to.url}/api/sessions/${id}/stream`, { headers: { authorization: `Bearer ${TOKEN}` }, signal });
    expect((await open(a, leaving.signal)).status).toBe(200);
    expect((await open(a, leaving.signal)).status).toBe(200);
    /** Closes a stream at once that was not refused. */
    const tryOther = async () => {
      const trying = new AbortController();
      const { status } = await open(b, trying.signal);
      trying.abort();
      return status;
    };
    await expect.poll(tryOther, TAKEOVER).toBe(429);
    // The streams of a gateway that is gone do not count.
    await a.close();
    await expect.poll(tryOther, TAKEOVER).toBe(200);
  });

  wired("TELEGRAM_BOT_TOKEN", "WIR-755 one gateway asks the operator a coding runtime's question", async () => {
    const bot = await startBotApi();
    closing.push(() => bot.close());
    const env = { TELEGRAM_BOT_TOKEN: bot.token, TELEGRAM_API_ROOT: bot.url };
    const { first, second } = await twoMachines({ env });
    closing.push(() => first.conduct(["daemon", "stop"]));
    const rule = `{ id: ask-touch, on: shell, when: 'args.command.startsWith("touch")', effect: ask, say: May I touch it? }`;
    for (const machine of [first, second])
      machine.write({
        ".conduct/conduct.yaml": `
agents: { coding: { rules: [${rule}] } }
channels: { telegram: { operators: [${ANN}] } }
`,
      });
    for (const machine of [first, second]) await (await machine.gateway()).line("telegram: connected");
    expect((await first.conduct(["init", "claude-code", "--agent", "coding", "--yes"])).code).toBe(0);
    await first.conduct(["enforce", "claude-code", "--yes"]);
    // Longer than the gateways wait before they look for questions again.
    bot.delay("sendMessage", 2_500);
    const claude = new ClaudeCode(first, "asked");
    await claude.start();
    await claude.say("begin");
    expect(await claude.shell("touch a")).toContain('"permissionDecision":"ask"');
    const asked = () => bot.calls.filter(({ body }) => String(body.text).includes("May I touch it?")).length;
    await expect.poll(asked, TAKEOVER).toBe(1);
    await sleep(5_000);
    expect(asked()).toBe(1);
  });
});
