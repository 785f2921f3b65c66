import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect } from "vitest";
import { startBotApi } from "../src/testing/test/bot-api.ts";
import { collector } from "./collector.ts";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machines: Machine[] = [];
function machine(env: NodeJS.ProcessEnv = {}): Machine {
  const made = new Machine(env);
  machines.push(made);
  return made;
}
afterEach(async () => {
  for (const one of machines.splice(0)) await one.close();
});

describe("environment variables of the shipped programs", () => {
  wired(
    ["CONDUCT_PORT", "CONDUCT_URL", "CONDUCT_ORIGINS"],
    "WIR-90 the gateway listens at the port, names the address in its links, and accepts the origins of the environment",
    async () => {
      const env = { CONDUCT_PORT: "0", CONDUCT_URL: "https://a.example.org", CONDUCT_ORIGINS: "https://b.example.org" };
      const gateway = await machine().gateway([], env);
      expect(new URL(gateway.url).port).not.toBe("4870");
      expect(gateway.output).toContain("https://a.example.org/login#code=");
      const asked = async (origin: string) => {
        const headers = { origin, authorization: "Bearer x" };
        return (await fetch(`${gateway.url}/api/sessions`, { method: "POST", headers })).status;
      };
      expect([await asked("https://b.example.org"), await asked("https://c.example.org")]).toEqual([401, 403]);
    },
  );
  wired(
    ["CONDUCT_KEYS", "CONDUCT_DATA_KEY"],
    "WIR-91 what people write is sealed with a key in the named folder, or with the key of the environment and no file",
    async () => {
      const held = machine();
      await (await held.gateway()).say("demo", "a very secret word");
      expect(readdirSync(join(held.root, "keys")).length).toBeGreaterThan(0);
      expect(readFileSync(join(held.home, "conduct.db")).includes("a very secret word")).toBe(false);
      const given = machine({ CONDUCT_DATA_KEY: "5c".repeat(32) });
      await (await given.gateway()).say("demo", "a very secret word");
      expect(existsSync(join(given.root, "keys"))).toBe(false);
    },
  );
  wired(
    "CONDUCT_CONTRACT_CAP",
    "WIR-92 a directive beyond the cap is refused by the CLI and by the gateway",
    async () => {
      const capped = machine({ CONDUCT_CONTRACT_CAP: "1" });
      expect((await capped.conduct(["behavior", "add", "STOP: long reports"])).code).toBe(0);
      const refused = await capped.conduct(["behavior", "add", "STOP: short reports"]);
      expect([refused.code, refused.out + refused.err]).toEqual([1, expect.stringMatching(/the\s+limit is 1/)]);
      const gateway = await capped.gateway();
      const answer = await gateway.operator
        .call("POST /api/contract/directives", { body: { type: "stop", text: "short reports" } })
        .catch(String);
      expect(JSON.stringify(answer)).toContain("the limit is 1");
    },
  );
  wired("CONDUCT_DEBUG", "WIR-93 a failure shows its details if asked for", async () => {
    const plain = await machine().conduct(["policy", "check", "none.yaml"]);
    const debugged = await machine().conduct(["policy", "check", "none.yaml"], { env: { CONDUCT_DEBUG: "1" } });
    expect(debugged.err.length).toBeGreaterThan(plain.err.length);
  });
  wired(
    "TELEGRAM_WEBHOOK_SECRET",
    "WIR-94 with a secret, Telegram's updates come by webhook and need the secret",
    async () => {
      const used = machine();
      const bot = await startBotApi();
      used.onClose(() => bot.close());
      const secret = "a-secret-of-the-webhook";
      const gateway = await used.gateway(["--url", "https://a.example.org"], {
        TELEGRAM_BOT_TOKEN: bot.token,
        TELEGRAM_API_ROOT: bot.url,
        TELEGRAM_WEBHOOK_SECRET: secret,
      });
      const post = async (token: string) => {
        const headers = { "content-type": "application/json", "x-telegram-bot-api-secret-token": token };
        const body = JSON.stringify({ update_id: 1 });
        return (await fetch(`${gateway.url}/telegram/webhook`, { method: "POST", headers, body })).status;
      };
      expect([await post("wrong"), await post(secret)]).toEqual([401, 200]);
    },
  );
  wired(
    "OTEL_METRIC_EXPORT_INTERVAL",
    "WIR-720 metrics of turns and decisions reach the collector at the interval that was set",
    async () => {
      const used = machine();
      const { url, received } = await collector(used);
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_METRIC_EXPORT_INTERVAL: "500" };
      const measured = await used.gateway([], env);
      await measured.say("demo", "deploy");
      const metrics = () => received.filter(({ path }) => path === "/v1/metrics").map(({ text }) => text);
      await expect.poll(() => metrics().join("\n"), { timeout: 20_000 }).toContain("gen_ai.invoke_agent.duration");
      expect(metrics().join("\n")).toContain("conduct.decisions");
    },
  );
  wired("OTEL_SDK_DISABLED", "WIR-95 telemetry is off when it is disabled", async () => {
    const used = machine();
    const { url, received } = await collector(used);
    const off = await used.gateway([], { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SDK_DISABLED: "true" });
    await off.say("demo", "hello");
    await setTimeout(1_500);
    expect(received).toEqual([]);
  });
});
