import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect } from "vitest";
import { startBotApi } from "../src/testing/test/bot-api.ts";
import { collector } from "./collector.ts";
import { DESK } from "./mcp-world.ts";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const ANN = 4711;
const machines: Machine[] = [];
afterEach(async () => {
  for (const machine of machines.splice(0)) await machine.close();
});

function newMachine(env: NodeJS.ProcessEnv = {}): Machine {
  const machine = new Machine({ SCRIPTED_KEY: "provider-key", ...env });
  machines.push(machine);
  return machine;
}

const CONFIG = (url: string, more = "") => `
agents:
  clerk:
    model: own/scripted
    tools: [{ name: shell, args: [command] }]
    network: ["127.0.0.1:1"]
channels: { telegram: { operators: [${ANN}] } }
review: { runner: off, model: own/scripted }
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
${more}`;

/** A model that holds its answers to "hold" and to the review until `release`. The review takes longer. */
async function heldModel(machine: Machine) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  machine.onClose(release);
  const script = async ({ raw, lastUserText }: { readonly raw: string; readonly lastUserText: string }) => {
    if (raw.includes("You read what people said to an assistant")) {
      await released;
      await sleep(1_500);
      return { text: JSON.stringify({ findings: [] }) };
    }
    if (lastUserText.includes("hold")) await released;
    return { text: "done" };
  };
  const model = await machine.model(script);
  const isAsked = (words: string) => model.requests.some(({ raw }) => raw.includes(words));
  return { model, script, release, isAsked };
}

/** An update of Telegram: a message of the operator. */
function fromAnn(text: string) {
  const [from, chat] = [
    { id: ANN, is_bot: false, first_name: "Ann" },
    { id: ANN, type: "private" },
  ];
  return { message: { message_id: 1, date: 1, chat, from, text } };
}

/** How many messages of Telegram the store still owes an answer. */
function unanswered(file: string): number {
  const store = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(store.prepare("select count(*) as n from conduct_answers where answered_at is null").get()?.n);
  } finally {
    store.close();
  }
}

/** Processes that work in a folder. */
function processesIn(folder: string): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`) === folder ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

describe("a gateway that ends", () => {
  wired(
    ["TELEGRAM_BOT_TOKEN", "CONDUCT_HOME"],
    "WIR-810 a stop takes no new connection, lets the turn, its answer and the review end once, and leaves nothing open",
    async () => {
      const machine = newMachine();
      const bot = await startBotApi();
      machine.onClose(() => bot.close());
      const { model, script, release, isAsked } = await heldModel(machine);
      machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
      const [data, temporary] = [join(machine.work, "data"), join(machine.root, "tmp")];
      for (const folder of [data, temporary]) mkdirSync(folder);
      // A store on another disk: each folder gets a note of the running gateway.
      await machine.conduct(["behavior", "add", "STOP: long reports"]);
      const file = join(data, "conduct.db");
      renameSync(join(machine.home, "conduct.db"), file);
      symlinkSync(file, join(machine.home, "conduct.db"));
      const env = {
        TMPDIR: temporary,
        TELEGRAM_BOT_TOKEN: bot.token,
        TELEGRAM_API_ROOT: bot.url,
      };
      const proxies = () => readdirSync(temporary).filter((name) => name.startsWith("conduct-net-"));
      const gateway = await machine.gateway([], env);
      await gateway.play(model, "clerk", [["shell", { command: "echo hello" }]]);
      expect(proxies()).toHaveLength(1);
      model.setScript(script);
      await gateway.say("clerk", "I love green tables so much.", await gateway.person("ann"));
      bot.delay("sendMessage", 1_000);
      bot.push(fromAnn("hold this"));
      await expect.poll(() => isAsked("hold this")).toBe(true);
      gateway.operator.call("POST /api/review/run", {}).catch(() => undefined);
      await expect.poll(() => isAsked("You read what people said")).toBe(true);
      const notes = [machine.home, data].map((folder) => join(folder, "run/gateway.json"));
      expect(notes.map((note) => existsSync(note))).toEqual([true, true]);

      const stopping = gateway.stop();
      const health = () => fetch(`${gateway.url}/api/health`, { headers: { connection: "close" } });
      await expect.poll(() => health().then(String, () => "refused")).toBe("refused");
      release();
      await stopping;
      for (const line of ["did not close within", "could not be closed"]) expect(gateway.output).not.toContain(line);
      expect(proxies()).toEqual([]);
      expect(readdirSync(data)).not.toContain("conduct.db-wal");
      expect(notes.map((note) => existsSync(note))).toEqual([false, false]);
      // Telegram has the answer, and the store says so: no later gateway sends it again.
      expect(bot.calls.filter(({ body }) => body.text === "done")).toHaveLength(1);
      expect(unanswered(file)).toBe(0);

      const next = await machine.gateway([], env);
      const { sessions } = await next.operator.call("GET /api/sessions", { query: { channel: "telegram" } });
      const [params = { id: "" }] = sessions.filter(({ channel }) => channel === "telegram").map(({ id }) => ({ id }));
      const { turns } = await next.operator.call("GET /api/sessions/{id}", { params });
      expect(turns).toMatchObject([{ text: "hold this", status: "complete" }]);
      expect(await next.operator.call("GET /api/review/runs", {})).toMatchObject({ total: 1 });
    },
  );

  wired("TELEGRAM_BOT_TOKEN", "WIR-814 a stop waits until Telegram has taken the last answer", async () => {
    const machine = newMachine();
    const bot = await startBotApi();
    machine.onClose(() => bot.close());
    const { model, release, isAsked } = await heldModel(machine);
    machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
    const gateway = await machine.gateway([], { TELEGRAM_BOT_TOKEN: bot.token, TELEGRAM_API_ROOT: bot.url });
    bot.delay("sendMessage", 1_500);
    bot.push(fromAnn("hold this"));
    await expect.poll(() => isAsked("hold this")).toBe(true);
    const stopping = gateway.stop();
    release();
    await stopping;
    expect(unanswered(join(machine.home, "conduct.db"))).toBe(0);
  });

  wired(
    "CONDUCT_HOME",
    "WIR-811 a gateway that has lost its store to another one says so and ends at once, even during a turn",
    async () => {
      const machine = newMachine();
      const { model, isAsked } = await heldModel(machine);
      machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
      const { url, received } = await collector(machine);
      const first = await machine.gateway([], { OTEL_EXPORTER_OTLP_ENDPOINT: url });
      const { id } = await first.operator.call("POST /api/sessions", { body: { agent: "clerk" } });
      await first.operator.call("POST /api/sessions/{id}/messages", { params: { id }, body: { text: "hold this" } });
      await expect.poll(() => isAsked("hold this")).toBe(true);
      // As somebody does who takes the lock for a leftover.
      rmSync(join(machine.home, "run/gateway.lock"));
      await machine.gateway();
      await first.line("THIS GATEWAY STOPS");
      await first.stop();
      expect(first.output).toContain("STORE_IN_USE");
      expect(first.output).not.toContain("did not close within");
      // It closed what it had open: the turn's span is sent when the turn ends.
      expect(received.map(({ path }) => path)).toContain("/v1/traces");
    },
  );

  wired(
    "agents.*.mcpServers",
    "WIR-812 an MCP server can save its work when the gateway ends, and none outlives it, even one that ignores its end",
    async () => {
      // No sandbox is found on this PATH.
      const machine = newMachine({ PATH: dirname(process.execPath) });
      const model = await machine.model(() => ({ text: "done" }));
      const server = `mcpServers: { desk: { command: node, args: [${machine.work}/desk.mjs] } }`;
      machine.write({
        "work/desk.mjs": `${DESK}
process.exit = () => undefined;
setInterval(() => undefined, 1_000);
process.stdin.on("close", () => log("saved"));
`,
        ".conduct/conduct.yaml": CONFIG(model.openaiUrl).replace("network:", `${server}\n    network:`),
      });
      const gateway = await machine.gateway();
      await gateway.say("clerk", "hello");
      const folder = join(`${machine.home}-work`, "clerk", "operator");
      machine.onClose(() => {
        for (const id of processesIn(folder)) process.kill(id, "SIGKILL");
      });
      expect(processesIn(folder)).toHaveLength(1);
      await gateway.stop();
      expect(processesIn(folder)).toEqual([]);
      expect(readFileSync(join(folder, "desk.log"), "utf8")).toContain("saved");
    },
  );

  wired("CONDUCT_HOME", "WIR-815 what happened right before the end is in the journal", async () => {
    const machine = newMachine();
    machine.write({ ".conduct/conduct.yaml": CONFIG("http://127.0.0.1:1") });
    const gateway = await machine.gateway();
    const { session } = await gateway.operator.call("POST /api/v1/sessions", { body: { agent: "clerk" } });
    const params = { id: session };
    await gateway.operator.call("POST /api/v1/sessions/{id}/prompt", { params, body: {} });
    await gateway.stop();
    const { operator } = await machine.gateway();
    expect(await operator.call("GET /api/journal/sessions/{id}", { params })).toMatchObject({ session, prompts: 1 });
  });
});
