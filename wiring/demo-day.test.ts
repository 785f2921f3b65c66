import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect } from "vitest";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const MINUTE = 60_000;
const machines: Machine[] = [];
afterEach(async () => {
  for (const machine of machines.splice(0)) await machine.close();
});

describe("CONDUCT_DEMO", () => {
  wired(
    "CONDUCT_DEMO",
    "WIR-960 CONDUCT_DEMO=day fills a store of its own with a day, says so, and ignores the person's store and keys",
    async () => {
      // Each of these would reach something real.
      const machine = new Machine({
        CONDUCT_STORE: "/nowhere/at/all.db",
        ANTHROPIC_API_KEY: "real",
        CONDUCT_DEMO: "day",
      });
      machines.push(machine);
      const { operator, ...gateway } = await machine
        .gateway()
        .then((one) => ({ operator: one.operator, output: one.output }));
      expect(gateway.output).toContain(`${machine.home}-demo`);
      expect(gateway.output).not.toContain("behavior add");
      expect(existsSync(join(machine.home, "conduct.db"))).toBe(false);
      expect(readdirSync(`${machine.home}-demo`)).toContainEqual(expect.stringMatching(/^\d{4}-\d\d-\d\d$/));
      expect(await operator.call("GET /api/health")).toMatchObject({ status: "ok", demo: true });
      const { agents } = await operator.call("GET /api/agents");
      expect(agents.map(({ name, model }) => `${name} ${model}`).sort()).toEqual([
        "assistant demo/habits",
        "release demo/habits",
        "support demo/habits",
      ]);
      const { users } = await operator.call("GET /api/users");
      expect(users).toHaveLength(4);
      const kinds = ["denied", "asked", "stop-refused", "usage", "error"] as const;
      for (const kind of kinds) {
        const { events } = await operator.call("GET /api/events", { query: { kind } });
        expect(events.length, kind).toBeGreaterThan(0);
      }
      const { turns } = await operator.call("GET /api/attention");
      expect(turns).toMatchObject([{ status: "failed", why: expect.stringContaining("529") }]);
      const { sessions } = await operator.call("GET /api/journal/sessions", { query: { limit: 200 } });
      expect(sessions.length).toBeGreaterThan(20);
      expect(sessions.filter(({ parent }) => parent !== undefined)).toHaveLength(1);
      const span =
        Math.max(...sessions.map(({ lastAt }) => lastAt)) - Math.min(...sessions.map(({ lastAt }) => lastAt));
      expect(span).toBeGreaterThan(20 * 3_600_000);
      const { candidates } = await operator.call("GET /api/candidates", { query: { status: "pending" } });
      expect(candidates.length).toBeGreaterThan(1);
      expect((await operator.call("GET /api/contract")).contract.version).toBe(4);
      expect((await operator.call("GET /api/schedules")).schedules).toHaveLength(1);
      const open = async () => (await operator.call("GET /api/approvals")).approvals;
      await expect.poll(async () => (await open()).length).toBe(1);
      // The visitor has time to find the question.
      expect((await open())[0]?.expiresAt).toBeGreaterThan(Date.now() + 5 * MINUTE);
    },
  );
  wired("CONDUCT_DEMO", "WIR-961 any other value is rejected, and so is --config with the demo", async () => {
    const machine = new Machine();
    machines.push(machine);
    const wrong = await machine.conduct(["gateway", "--json"], { env: { CONDUCT_DEMO: "night" } });
    expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining("BAD_DEMO")]);
    const both = await machine.conduct(["gateway", "--json", "--config", "x.yaml"], { env: { CONDUCT_DEMO: "day" } });
    expect([both.code, both.out]).toEqual([1, expect.stringContaining("BAD_DEMO")]);
    expect(readdirSync(machine.root)).not.toContain(".conduct-demo");
  });
});
