import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { conductProgram } from "../../edge/host/node/package-files.ts";
import { startCollector } from "../../edge/host/telemetry/test/telemetry-test-collector.ts";
import { findRedis, startRedis } from "../../edge/stores/test/servers/redis.ts";
import { startTypesense } from "../../edge/stores/test/servers/typesense.ts";
import { startBotApi } from "../../testing/test/bot-api.ts";
import { startModelServer } from "../../testing/test/model-server/index.ts";
import { programWorld } from "./lifecycle/test/test-program.ts";

/** Whole processes on a machine that others use too. */
const PATIENT = 180_000;
const OPERATOR = 11;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The shipped gateway with a file that a person could write, and a model that says the same each time. */
async function start(env: NodeJS.ProcessEnv = {}) {
  const model = await startModelServer({ script: () => ({ text: "Done." }) });
  closing.push(() => model.close());
  const world = programWorld(
    closing,
    `
agents:
  clerk: { model: own/scripted, tools: [] }
models:
  own/scripted: { baseUrl: "${model.openaiUrl}", api: openai-completions, key: SCRIPTED_KEY }
channels:
  telegram: { operators: [${OPERATOR}] }
review: { threshold: 0.1, runner: "off" }
`,
  );
  const { client } = await world.start(env);
  const { id } = await client.call("POST /api/sessions", { body: { agent: "clerk" } });
  /** Sends a message as `?wait=true` callers do; returns the whole answer. */
  async function say(text: string, messageId?: string): Promise<string> {
    const message = { params: { id }, query: { wait: "true" as const }, body: { text, messageId } };
    const { answer = "" } = (await client.call("POST /api/sessions/{id}/messages", message)) as { answer?: string };
    return answer;
  }
  return { model, client, say, home: world.home };
}

/** The shipped CLI on the same home; rejects unless it succeeds. Not `spawnSync`, because the stand-ins run here. */
async function conduct(home: string, words: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<string> {
  const { CONDUCT_STORE: _, CONDUCT_REDIS_URL: __, ...inherited } = process.env;
  const env = { ...inherited, CONDUCT_HOME: home, ...more };
  const child = spawn(process.execPath, [conductProgram(), ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const [out, error, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  expect(code, error).toBe(0);
  return out;
}

describe("the contract through the shipped gateway", () => {
  it(
    "CTW-1 a refused directive, a near miss and a question for the rules are answered on the web without the model",
    async () => {
      const { say, model } = await start();
      expect(await say("KEEP: long reports", "m1")).toBe("Noted.");
      const refused = await say("STOP: long reports");
      expect(refused).toMatch(/^Nothing was changed\.\n\nSTOP: long reports: not added \(BEHAVIOR_CONFLICT\)\. /);
      expect(await say("STOP:emoji")).toMatch(/Did you mean 'STOP: emoji'\?/);
      expect(await say("What are my rules?")).toMatch(/- KEEP: long reports \(d_\w+\)/);
      expect(await say(refused.split("\n").at(-1) ?? "")).toMatch(/^Contract changed: replaced 'STOP: long reports'/);
      // Delivered again: the same turn, so the directive does not come back.
      expect(await say("KEEP: long reports", "m1")).toBe("Noted.");
      expect(await say("/contract")).toMatch(/- STOP: long reports \(d_\w+\)/);
      expect(model.requests).toHaveLength(0);
      await say("hello");
      expect(model.requests[0]?.raw).toContain("- STOP: long reports");
    },
    PATIENT,
  );

  it(
    "CTW-2 Telegram gets the same answers, and an edited directive is replaced only after a button press",
    async () => {
      const api = await startBotApi();
      closing.push(() => api.close());
      const { model, client } = await start({ TELEGRAM_BOT_TOKEN: api.token, TELEGRAM_API_ROOT: api.url });
      const from = { id: OPERATOR, is_bot: false, first_name: "Olga" };
      const chat = { id: OPERATOR, type: "private" };
      const message = (message_id: number, text: string) => ({ message_id, date: 1, chat, from, text });
      const sent = async (count: number) => (await api.waitFor("sendMessage", count)).at(-1)?.body ?? {};
      const press = (text: string, data: string, by = from) =>
        api.push({
          callback_query: { id: "q", from: by, chat_instance: "c", data, message: { ...message(90, text), from } },
        });
      const inForce = async () =>
        (await client.call("GET /api/contract", {})).contract.directives.map(({ text }: { text: string }) => text);

      api.push({ message: message(1, "KEEP: long reports") });
      expect(await sent(1)).toMatchObject({ text: expect.stringContaining("Noted.") });
      api.push({ message: message(2, "STOP: long reports") });
      expect(await sent(2)).toMatchObject({
        text: expect.stringMatching(/Nothing was changed[\s\S]*\/contract replace d_/),
      });
      api.push({ message: message(3, "/contract@conduct_bot") });
      expect(await sent(3)).toMatchObject({ text: expect.stringContaining("- KEEP: long reports") });

      api.push({ edited_message: { ...message(1, "KEEP: short reports"), edit_date: 2 } });
      const asked = await sent(4);
      expect(asked.text).toMatch(/In force: KEEP: long reports\nNew: KEEP: short reports\n\nReplace it\?/);
      const [[replace, keep] = []] = (asked.reply_markup as { inline_keyboard: { callback_data: string }[][] })
        .inline_keyboard;
      expect(await inForce()).toEqual(["long reports"]);
      press(String(asked.text), keep?.callback_data ?? "");
      await api.waitFor("editMessageText", 1);
      press(String(asked.text), replace?.callback_data ?? "", { ...from, id: 99 });
      await api.waitFor("answerCallbackQuery", 2);
      expect(await inForce()).toEqual(["long reports"]);
      press(String(asked.text), replace?.callback_data ?? "");
      expect((await api.waitFor("editMessageText", 2))[1]?.body.text).toMatch(/✓ replaced · contract v\d+/);
      expect(await inForce()).toEqual(["short reports"]);

      api.push({ message: message(5, "STOP: emoji in answers") });
      await sent(5);
      api.push({ edited_message: { ...message(5, "never mind"), edit_date: 3 } });
      expect((await sent(6)).text).toMatch(/In force: STOP: emoji in answers\n.* Remove it\?$/);
      api.push({ edited_message: { ...message(2, "LESS: small talk"), edit_date: 3 } });
      expect((await sent(7)).text).toMatch(/An edit adds no directive\..*\n- LESS: small talk/);
      expect(model.requests).toHaveLength(0);
    },
    PATIENT,
  );

  it(
    "CTW-3 changes over the API, by message, a review and a promotion reach OpenTelemetry",
    async () => {
      const collector = await startCollector();
      closing.push(() => collector.close());
      const { say, client } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
      const logs = (name: string) => collector.logs().filter(({ eventName }) => eventName === `conduct.${name}`);
      await client.call("POST /api/contract/directives", { body: { type: "keep", text: "short notes" } });
      await say("STOP: emoji in answers");
      await say("From now on give me short summaries.");
      const ran = await client.call("POST /api/review/run", {});
      expect(ran.outcome).toBe("ran");
      const { candidates } = await client.call("GET /api/candidates", {});
      const candidate = candidates[0]?.id ?? "none";
      await client.call("POST /api/candidates/{id}/promote", { params: { id: candidate }, body: {} });
      const changes = () => logs("contract_change").map(({ attributes }) => attributes["conduct.contract.change"]);
      await expect
        .poll(changes, { timeout: 60_000 })
        .toEqual(["directive-added", "directive-added", "candidate-proposed"]);
      await expect.poll(() => logs("promotion"), { timeout: 60_000 }).toHaveLength(1);
      expect(logs("promotion")[0]?.attributes).toMatchObject({ "conduct.candidate.id": candidate });
      expect(logs("review")[0]?.attributes).toMatchObject({ "conduct.review.proposed": 1 });
    },
    PATIENT,
  );

  const redisProgram = findRedis();
  it.skipIf(redisProgram === undefined)(
    "CTW-4 a change by a CLI that does not know the gateway's Redis is in the next turn",
    async () => {
      const redis = await startRedis(redisProgram ?? "");
      closing.push(() => redis.stop());
      const { say, model, home } = await start({ CONDUCT_REDIS_URL: redis.url });
      await say("KEEP: short notes");
      await say("hello");
      // The gateway has announced its contract, so the next turn would trust Redis.
      await expect
        .poll(async () => String(await redis.command("GET", "conduct:governance:contract")))
        .toContain("short notes");
      for (const text of ["tests before a push", "links to sources"]) {
        await conduct(home, ["behavior", "add", `MORE: ${text}`]);
        await say("go on");
        expect(model.requests.at(-1)?.raw).toContain(`- MORE: ${text}`);
      }
    },
    PATIENT,
  );
});

describe("the CLI without a gateway", () => {
  it(
    "CTW-5 what the CLI writes is in Typesense at once, and its search finds it there",
    async () => {
      const typesense = await startTypesense();
      closing.push(() => typesense.stop());
      const { home } = programWorld(closing);
      const env = { CONDUCT_TYPESENSE_URL: typesense.url, CONDUCT_TYPESENSE_KEY: typesense.key };
      const run = (...words: string[]) => conduct(home, words, env);
      await run("behavior", "add", "STOP: long reports");
      // Each store has a collection of its own.
      const rows = () =>
        [...typesense.collections].flatMap(([name, documents]) =>
          name.startsWith("conduct_history") ? [...documents.values()] : [],
        );
      expect(rows()).toMatchObject([
        { seq: 1, change: "directive-added", text: expect.stringContaining("long reports") },
      ]);
      typesense.mode = "down";
      await run("behavior", "add", "KEEP: short notes");
      // Unreachable: the journal is searched instead.
      expect(await run("behavior", "history", "--search=short")).toContain("KEEP: short notes");
      typesense.mode = "up";
      expect(await run("behavior", "history", "--search=short")).toContain("KEEP: short notes");
      expect(rows()).toHaveLength(2);
      expect(await run("behavior", "history", "--search=reports")).not.toContain("short notes");
    },
    PATIENT,
  );
});
