import { existsSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect } from "vitest";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machines: Machine[] = [];
afterEach(async () => {
  for (const machine of machines.splice(0)) await machine.close();
});

function newMachine(): Machine {
  const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
  machines.push(machine);
  return machine;
}

/** The environment of programs that first run this module, in every thread. */
function preloaded(machine: Machine, source: string): NodeJS.ProcessEnv {
  machine.write({ "preloaded.mjs": source });
  return { NODE_OPTIONS: `--import ${join(machine.root, "preloaded.mjs")}` };
}

/** As on a machine where this package was not installed. */
const without = (machine: Machine, name: string) =>
  preloaded(
    machine,
    `import { registerHooks } from "node:module";
registerHooks({ resolve(name, context, next) {
  if (!name.startsWith("${name}")) return next(name, context);
  throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: "ERR_MODULE_NOT_FOUND" });
} });`,
  );

const CONFIG = (url: string, more = "") => `
agents:
  clerk: { model: own/scripted }
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
${more}`;

/** Tells the reviewing model's findings, which are too unsure for the default threshold; everybody else hears "done". */
const reviewing = ({ raw, lastUserText }: { readonly raw: string; readonly lastUserText: string }) => {
  if (!raw.includes("You read what people said to an assistant")) return { text: "done" };
  const event = /id="([^"]+)" kind="[^"]*">[^<]*green tables/.exec(lastUserText)?.[1] ?? "";
  const finding = (text: string, confidence: number) =>
    ({ type: "more", text, event, quote: `love ${text} so`, confidence }) as const;
  return { text: JSON.stringify({ findings: [finding("green tables", 0.3), finding("blue chairs", 0.1)] }) };
};

describe("what the gateway says and does when it starts", () => {
  wired(
    ["CONDUCT_REDIS_URL", "CONDUCT_TYPESENSE_URL", "TELEGRAM_BOT_TOKEN"],
    "WIR-800 a setting whose package is missing stops the start, and the message names both",
    async () => {
      for (const [name, who, env] of [
        ["@redis/client", "CONDUCT_REDIS_URL", { CONDUCT_REDIS_URL: "redis://127.0.0.1:1" }],
        ["typesense", "CONDUCT_TYPESENSE_URL", { CONDUCT_TYPESENSE_URL: "http://127.0.0.1:1" }],
        ["nodemailer", "CONDUCT_SMTP_URL", { CONDUCT_SMTP_URL: "smtp://127.0.0.1:1" }],
        ["grammy", "Telegram", { TELEGRAM_BOT_TOKEN: "1:token", TELEGRAM_API_ROOT: "http://127.0.0.1:1" }],
        ["slack-web-api-client", "Slack", { SLACK_BOT_TOKEN: "xoxb-1", SLACK_SIGNING_SECRET: "secret" }],
      ] as const) {
        const machine = newMachine();
        const started = machine.gateway([], { ...env, ...without(machine, name) });
        await expect(started, name).rejects.toThrow(`${who} needs the package ${name}, which is not installed`);
      }
    },
  );

  wired("models", "WIR-801 without the package of models the start says so, unless only the demo runs", async () => {
    const machine = newMachine();
    const env = without(machine, "@earendil-works/pi-ai/providers");
    const missing = "Asking a model needs the package @earendil-works/pi-ai";
    const demo = await machine.gateway([], env);
    expect(demo.output).not.toContain(missing);
    await demo.close();
    machine.write({ ".conduct/conduct.yaml": CONFIG("http://127.0.0.1:1") });
    expect((await machine.gateway([], env)).output).toContain(missing);
  });

  wired(
    ["CONDUCT_HOME", "gateway.url", "review.zone", "review.threshold", "review.runner", "schedules"],
    "WIR-802 one start reports every setting that it cannot follow, uses the home it was given, and clears what a killed gateway left",
    async () => {
      const machine = newMachine();
      const model = await machine.model(reviewing);
      const home = join(machine.work, "elsewhere");
      const threads = join(machine.root, "threads");
      const env = {
        CONDUCT_HOME: home,
        TZ: "Asia/Tokyo",
        OTEL_EXPORTER_OTLP_ENDPOINT: "not an address",
        ...preloaded(
          machine,
          `import { appendFileSync } from "node:fs";
import { workerData } from "node:worker_threads";
if (workerData !== null) appendFileSync("${threads}", JSON.stringify(workerData) + "\\n");`,
        ),
      };
      const old = `
  old: { model: own/scripted, mcpServers: { desk: { url: "http://127.0.0.1:1/mcp", allowPrivate: true, headers: { x-token: "\${TOKEN}" }, secrets: { TOKEN: { env: OLD_TOKEN } } } } }`;
      const withOld = CONFIG(model.openaiUrl).replace("agents:", `agents:${old}`);
      machine.write({ "work/elsewhere/conduct.yaml": withOld });
      await (await machine.gateway([], { ...env, OLD_TOKEN: "secret" })).stop();
      expect((await machine.conduct(["behavior", "add", "STOP: long reports"], { env })).code).toBe(0);
      rmSync(join(home, "conduct.db.heads"));
      machine.write({
        "work/elsewhere-work/.deleted/trash/left.txt": "left by a killed gateway",
        "work/elsewhere/conduct.yaml": CONFIG(
          model.openaiUrl,
          `
review: { zone: Mars, runner: dbos, model: own/scripted, threshold: 0.2, digest: { file: today.md } }
schedules: [{ id: tea, agent: nobody, user: ann, cron: "0 3 * * *", say: Tea. }]
`,
        ),
      });
      const gateway = await machine.gateway(["--host", "::1", "--url", "https://conduct.example.org"], env);
      for (const line of [
        "telemetry: nothing is exported",
        "agent 'old', version 1: MCP server 'desk': the environment variable OLD_TOKEN is not set",
        "schedule 'tea' in conduct.yaml is ignored: there is no agent 'nobody'",
        "'Mars' is not a time zone; write it as Europe/London; Asia/Tokyo is used instead",
        "runner dbos needs a store on PostgreSQL; it runs in this process instead",
        "No head of the governance journal was stored outside the store",
      ])
        expect(gateway.output).toContain(line);
      const facts = JSON.parse(await gateway.line('"event":"started"')) as { readonly login: string };
      expect(facts).toMatchObject({ url: gateway.url, contract: { version: 1, directives: 1 } });
      await expect.poll(() => existsSync(join(`${home}-work`, ".deleted", "trash"))).toBe(false);

      // Links and cookies follow the public address.
      const running = JSON.parse(machine.read("work/elsewhere/run/gateway.json")) as object;
      expect(running).toMatchObject({ local: gateway.url, url: "https://conduct.example.org" });
      const code = /^https:\/\/conduct\.example\.org\/login#code=([\w-]+)$/.exec(facts.login)?.[1];
      const signedIn = await fetch(`${gateway.url}/api/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code }),
      });
      expect(signedIn.headers.get("set-cookie")).toContain("; Secure");
      const { users } = await gateway.operator.call("GET /api/users");
      expect(users).toMatchObject([{ id: "operator", zone: "Asia/Tokyo" }]);

      // The review reads the store in a thread, asks its model, and sends its digest.
      await gateway.say(
        "clerk",
        "I love green tables so much, and I love blue chairs so much.",
        await gateway.person("ann"),
      );
      expect(await gateway.operator.call("POST /api/review/run", {})).toMatchObject({ outcome: "ran" });
      const { candidates } = await gateway.operator.call("GET /api/candidates", { query: { status: "pending" } });
      expect(candidates.map(({ text }) => text)).toEqual(["green tables"]);
      expect(machine.read("work/elsewhere/today.md")).toContain("green tables");
      expect(machine.read("threads")).toContain("conduct.db");
      const { nextAt = 0 } = await gateway.operator.call("GET /api/review/runs", {});
      expect(new Date(nextAt).toISOString()).toContain("T23:15:00");
    },
  );

  wired(
    "conduct gateway --port",
    "WIR-803 a start that fails closes the store, and leaves no file behind",
    async () => {
      const machine = newMachine();
      const other = createServer().listen(0, "127.0.0.1");
      machine.onClose(() => other.close());
      await new Promise((resolve) => other.once("listening", resolve));
      const { port } = other.address() as { readonly port: number };
      await expect(machine.gateway(["--port", String(port)])).rejects.toThrow("PORT_TAKEN");
      expect(existsSync(join(machine.home, "conduct.db"))).toBe(true);
      for (const left of ["conduct.db-wal", "run/gateway.json"])
        expect(existsSync(join(machine.home, left)), left).toBe(false);
    },
  );

  wired("CONDUCT_KEYS", "WIR-804 without the keys of its store the gateway does not start", async () => {
    const machine = newMachine();
    const first = await machine.gateway();
    await first.say("demo", "hello");
    await first.stop();
    rmSync(join(machine.root, "keys"), { recursive: true });
    await expect(machine.gateway()).rejects.toThrow("KEY");
  });
});
