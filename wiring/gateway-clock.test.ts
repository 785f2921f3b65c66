import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect } from "vitest";
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

/** A machine whose clocks jump, and its environment. */
function machineWithClock() {
  const machine = new Machine();
  machines.push(machine);
  const jump = (by: string) => machine.write({ clock: by });
  jump("+0");
  const env = {
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: join(machine.root, "clock"),
    FAKETIME_NO_CACHE: "1",
  };
  return { machine, env, jump };
}

describe.skipIf(LIBRARY === undefined)("what the gateway does after a while", () => {
  wired(
    "CONDUCT_DEMO",
    "WIR-820 a yes lets the turn of the demo's question go on, and the shop's tools work for visitors",
    async () => {
      const { machine, env } = machineWithClock();
      const gateway = await machine.gateway([], { ...env, CONDUCT_DEMO: "day" });
      const { operator } = gateway;
      const open = async () => (await operator.call("GET /api/approvals")).approvals;
      await expect.poll(async () => (await open()).length).toBe(1);
      const [{ session = "", approval = "" } = {}] = await open();
      const turns = async () => (await operator.call("GET /api/sessions/{id}", { params: { id: session } })).turns;
      await turns();
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
});
