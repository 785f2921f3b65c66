import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { homeStores } from "../../../edge/stores/home-stores.ts";
import { freePort } from "../../../edge/stores/test/servers/server.ts";
import { startBotApi } from "../../../testing/test/bot-api.ts";
import { type ModelRequest, startModelServer } from "../../../testing/test/model-server/index.ts";
import { programWorld } from "./test/test-program.ts";

const PATIENT = 180_000;
const SENDERS = 4;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Writes the marker of the newest message to a file, then answers; each takes a while, so that turns queue. */
const writeMarker = async ({ history }: ModelRequest) => {
  await sleep(300);
  const last = history.at(-1);
  const marker = last?.kind === "text" ? /\bm-[\w-]+/.exec(last.text)?.[0] : undefined;
  return marker === undefined
    ? { text: "Done." }
    : { calls: [{ name: "shell", input: { command: `echo ${marker} >> ran.txt` } }] };
};

describe("the shipped gateway while it starts", () => {
  it(
    "LIF-10 while the Bot API takes 5 s, web users are served at once, and each acknowledged message runs exactly once",
    async () => {
      const model = await startModelServer({ script: writeMarker });
      closing.push(() => model.close());
      const bot = await startBotApi();
      closing.push(() => bot.close());
      bot.delay("getMe", 5_000);
      const world = programWorld(
        closing,
        `agents:\n  writer: { model: own/scripted, tools: [{ name: shell, args: [command] }] }\nmodels:\n  own/scripted: { baseUrl: "${model.openaiUrl}", api: openai-completions, key: SCRIPTED_KEY }\n`,
      );
      const first = await world.start();
      const make = () => first.client.call("POST /api/sessions", { body: { agent: "writer" } });
      const sessions = await Promise.all(Array.from({ length: SENDERS }, make));
      await world.kill(first);

      const port = await freePort();
      const starting = world.start({ TELEGRAM_BOT_TOKEN: bot.token, TELEGRAM_API_ROOT: bot.url }, [
        "--port",
        String(port),
      ]);
      const acknowledged: string[] = [];
      // From before the port is open until each conversation has six messages.
      const flood = sessions.map(async ({ id }, sender) => {
        for (let count = 0; count < 6; ) {
          const marker = `m-${sender}-${count}`;
          const reply = await fetch(`http://127.0.0.1:${port}/api/sessions/${id}/messages`, {
            method: "POST",
            headers: { authorization: `Bearer ${world.token}`, "content-type": "application/json" },
            body: JSON.stringify({ text: `write ${marker}` }),
          }).catch(() => undefined);
          // The operator's token is good from the first request on.
          expect(reply?.status ?? 202).toBe(202);
          await reply?.body?.cancel();
          if (reply !== undefined) {
            acknowledged.push(marker);
            count += 1;
          }
          await sleep(10);
        }
      });
      const { client, line, output } = await starting;
      expect(output()).not.toContain("telegram: connected");
      await Promise.all(flood);
      await line("telegram: connected as @conduct_bot");
      for (const { id } of sessions)
        await expect
          .poll(async () => (await client.call("GET /api/sessions/{id}", { params: { id } })).turns, {
            timeout: 60_000,
          })
          .toSatisfy((turns: readonly { readonly status: string }[]) =>
            turns.every(({ status }) => status === "complete"),
          );
      const file = join(`${world.home}-work`, "writer", "operator", "ran.txt");
      const ran = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
      expect(ran.toSorted()).toEqual(acknowledged.toSorted());
      expect(acknowledged).toHaveLength(SENDERS * 6);
    },
    PATIENT,
  );

  it(
    "LIF-11 a gateway whose token Telegram rejects reports an error and serves web users",
    async () => {
      const bot = await startBotApi();
      closing.push(() => bot.close());
      const { start } = programWorld(closing);
      const { line, client } = await start({ TELEGRAM_BOT_TOKEN: "1:wrong", TELEGRAM_API_ROOT: bot.url });
      expect(await line("TELEGRAM REJECTS")).not.toContain("1:wrong");
      await client.call("POST /api/sessions", { body: { agent: "demo" } });
    },
    PATIENT,
  );

  it(
    "LIF-12 a schedule with a run 30 days in the future still runs once for the missed time",
    async () => {
      const tick = `agents:\n  demo: {}\nschedules:\n  - { id: tick, agent: demo, user: operator, cron: "0 * * * *", zone: UTC, say: hello }\n`;
      const world = programWorld(closing, tick);
      const first = await world.start();
      first.child.kill("SIGTERM");
      await first.ended;
      // As a gateway left it whose clock was ahead for a while.
      const stores = homeStores({ kind: "sqlite", file: join(world.home, "conduct.db") });
      const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
      const schedule = await stores.schedules.read("tick");
      if (schedule === undefined) throw new Error("the schedule is not in the store");
      await stores.schedules.change("tick", (before) => ({ to: { ...before, at: hour - 86_400_000 } }));
      const due = hour + 30 * 86_400_000;
      await stores.schedules.begin({ id: "ahead", schedule: "tick", due, startedAt: due, status: "done" });
      await stores.close();
      const { client } = await world.start();
      const present = async () =>
        (
          await client.call("GET /api/schedules/{id}/runs", { params: { id: "tick" }, query: { limit: 10 } })
        ).runs.filter((run) => Number(run.due) <= Date.now());
      await expect.poll(present, { timeout: 30_000 }).toMatchObject([{ status: "done" }]);
    },
    PATIENT,
  );
});
