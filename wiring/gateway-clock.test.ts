import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect } from "vitest";
import { startBotApi } from "../src/testing/test/bot-api.ts";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

/** libfaketime: Debian's package `faketime` puts it into one of these. */
const LIBRARY = ["x86_64", "aarch64"]
  .map((processor) => `/usr/lib/${processor}-linux-gnu/faketime/libfaketime.so.1`)
  .find((file) => existsSync(file));
const MINUTE = 60_000;

const machines: Machine[] = [];
afterEach(async () => {
  for (const machine of machines.splice(0)) await machine.close();
});

const CONFIG = (url: string, more: string) => `
agents: { clerk: { model: own/scripted } }
models: { own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY } }
${more}`;

/** A machine whose clocks jump, and its environment. */
function machineWithClock() {
  const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
  machines.push(machine);
  // The demo drops every variable that it does not know, so that only this file reaches it.
  const jump = (by: string) => machine.write({ ".faketimerc": by });
  jump("+0");
  const env = {
    LD_PRELOAD: LIBRARY,
    FAKETIME_NO_CACHE: "1",
  };
  return { machine, env, jump };
}

describe.skipIf(LIBRARY === undefined)("what the gateway does after a while", () => {
  wired(
    "CONDUCT_DEMO",
    "WIR-820 a yes lets the turn of the demo's question go on, and the shop's tools work for visitors",
    async () => {
      const { machine, env, jump } = machineWithClock();
      const gateway = await machine.gateway([], { ...env, CONDUCT_DEMO: "day" });
      const { operator } = gateway;
      const open = async () => (await operator.call("GET /api/approvals")).approvals;
      await expect.poll(async () => (await open()).length).toBe(1);
      const [{ session = "", approval = "" } = {}] = await open();
      const turns = async () => (await operator.call("GET /api/sessions/{id}", { params: { id: session } })).turns;
      // A visitor has more time than the two minutes of other questions.
      jump("+300s");
      // A jump can end connections that are kept open.
      for (let at = 0; at < 5; at++) await turns().catch(() => undefined);
      expect(await turns()).toMatchObject([{ status: "running" }]);
      await operator.call("POST /api/approvals/{id}", { params: { id: approval }, body: { answer: "yes" } });
      await expect.poll(turns).toMatchObject([{ status: "complete" }]);
      // The shop's tools work for visitors, too.
      expect((await gateway.say("release", "deploy it")).answer).toContain("the website is live");
    },
  );

  wired("CONDUCT_HOME", "WIR-821 answers to repeated requests expire after a day", async () => {
    const { machine, env, jump } = machineWithClock();
    const gateway = await machine.gateway([], env);
    const store = new DatabaseSync(join(machine.home, "conduct.db"), { timeout: 10_000 });
    machine.onClose(() => store.close());
    const replies = () => Number(store.prepare("select count(*) as n from conduct_replies").get()?.n);
    await fetch(`${gateway.url}/api/sessions`, {
      method: "POST",
      headers: {
        authorization: `Bearer a-token-for-the-tests-of-the-wiring`,
        "content-type": "application/json",
        "idempotency-key": "one",
      },
      body: JSON.stringify({ agent: "demo" }),
    });
    expect(replies()).toBe(1);
    jump(`+${(25 * 60 * MINUTE) / 1_000}s`);
    await expect.poll(replies).toBe(0);
    expect((await fetch(`${gateway.url}/api/health`)).status).toBe(200);
  });

  wired("schedules", "WIR-822 after the next start a schedule's run that a kill cut short is interrupted", async () => {
    const { machine, env, jump } = machineWithClock();
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const model = await machine.model(() => over.then(() => ({ text: "done" })));
    machine.onClose(end);
    const tea = '[{ id: tea, agent: clerk, user: operator, cron: "* * * * *", say: It is tea time. }]';
    machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl, `schedules: ${tea}`) });
    const gateway = await machine.gateway([], env);
    jump("+60s");
    await expect.poll(() => model.requests.length, { timeout: 60_000 }).toBe(1);
    await gateway.close();
    const next = await machine.gateway([], env);
    const { runs } = await next.operator.call("GET /api/schedules/{id}/runs", { params: { id: "tea" } });
    expect(runs.at(-1)).toMatchObject({ status: "interrupted" });
  });

  wired(
    ["review.digest.file", "schedules[].deliver"],
    "WIR-823 a review and a schedule that were missed are caught up at the next start, and the answer is delivered",
    async () => {
      const { machine, env, jump } = machineWithClock();
      const bot = await startBotApi();
      machine.onClose(() => bot.close());
      const model = await machine.model(() => ({ text: "tea is served" }));
      const more = `
review: { digest: { file: today.md } }
schedules:
  - { id: tea, agent: clerk, user: operator, cron: "0 3 * * *", say: Is it tea time?, deliver: { channel: telegram, address: "4711" } }
`;
      machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl, more) });
      const telegram = { ...env, TELEGRAM_BOT_TOKEN: bot.token, TELEGRAM_API_ROOT: bot.url };
      const gateway = await machine.gateway([], telegram);
      await gateway.say("clerk", "Please stop sending status reports.");
      await gateway.stop();
      jump(`+${(25 * 60 * MINUTE) / 1_000}s`);
      await machine.gateway([], telegram);
      await expect.poll(() => machine.read(".conduct/today.md")).toContain("status reports");
      const sent = () => bot.calls.filter(({ method }) => method === "sendMessage").map(({ body }) => body);
      await expect.poll(sent).toMatchObject([{ chat_id: "4711", text: "tea is served" }]);
    },
  );
});
