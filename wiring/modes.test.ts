import { writeFileSync, appendFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type Gateway, Machine, type PlayedCall } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let model: ModelServer;
let gateway: Gateway;

const CONFIG = (url: string) => `
agents:
  defaults: { model: own/scripted, tools: [{ name: shell, args: [command], risk: high }, {name: read_file, args: [path]}] }
  clerk: {}
  think: { model: own/thinker }
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
  own/thinker: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY, reasoning: true }
`;

beforeAll(async () => {
  model = await machine.model();
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
  gateway = await machine.gateway();
});
afterAll(() => machine.close());

const log = (...x: unknown[]) => appendFileSync("/tmp/x/modes", x.map((y) => typeof y === "string" ? y : JSON.stringify(y, null, 1)).join(" ") + "\n");

describe("x", () => {
  wired([], "WIR-890 x", async () => {
    writeFileSync("/tmp/x/modes", "");
    for (const text of ["/elevated ask hi", "/foo /think hi", "/think hi", "/verbose run", "/elevated run it", "/verbos hi", "/think", "/think:high", "/elevated off", "/elevated 10m"]) {
      model.setScript([{ calls: [{ name: "shell", input: { command: "echo ran $((6*7))" } }] }, {text: "done"}]);
      const b = model.requests.length;
      const say = await gateway.open("clerk");
      log("###", text, await say(text));
      for (const r of model.requests.slice(b)) log(r.lastUserText.slice(0, 200), r.thinking ?? "no thinking", r.results.map((x) => x.text));
    }
    const say = await gateway.open("clerk");
    await say("/verbose on /elevated on");
    model.setScript([{ calls: [{ name: "shell", input: { command: "echo ran $((6*7))" } }, { name: "read_file", input: { path: "/etc/hostname" } }, { name: "shell", input: { command: "echo key=sk-ant-api03-abcdefghijklmnopqrstuvwx0123456789-abcdefghijklmnop" } }] }, {text: "done"}]);
    log("VERBOSE", await say("go"));
    const ann = await gateway.person("ann");
    const { id } = await ann.call("POST /api/sessions", { body: { agent: "clerk" } });
    const asay = (text: string) => ann.call("POST /api/sessions/{id}/messages", { params: { id }, query: { wait: "true" }, body: { text } });
    log("ANN", await asay("/elevated on"));
    model.setScript([{ calls: [{ name: "shell", input: { command: "echo ran $((6*7))" } }] }, {text: "done"}]);
    log(await asay("/elevated go"), model.requests.at(-1)?.results);
    log("API", await gateway.operator.call("POST /api/sessions/{id}/elevation", { params: { id }, body: { time: "10m" } }));
    model.setScript([{ calls: [{ name: "shell", input: { command: "echo ran $((6*7))" } }] }, {text: "done"}]);
    log(await asay("/verbose go"), model.requests.at(-1)?.results);
    log("OFF", await machine.conduct(["elevate", id, "--off"], { env: { CONDUCT_TOKEN: "a-token-for-the-tests-of-the-wiring" } }));
    model.setScript([{ calls: [{ name: "shell", input: { command: "echo ran $((6*7))" } }] }, {text: "done"}]);
    log(await asay("go"), model.requests.at(-1)?.results);
    log("CLI", await machine.conduct(["elevate", id, "--for", "2m"], { env: { CONDUCT_TOKEN: "a-token-for-the-tests-of-the-wiring" } }));
    model.setScript([{ calls: [{ name: "shell", input: { command: "echo ran $((6*7))" } }] }, {text: "done"}]);
    log(await asay("go"), model.requests.at(-1)?.results);
    log("PTY", await machine.atTerminal(["elevate", id, "--for", "2m"]));
    model.setScript([{ calls: [{ name: "shell", input: { command: "echo ran $((6*7))" } }] }, {text: "done"}]);
    log(await (await gateway.open("think"))("/think:low go"), model.requests.at(-1)?.thinking);
    log(await (await gateway.open("clerk"))("/think:low go"), model.requests.at(-1)?.thinking);
  });
});
