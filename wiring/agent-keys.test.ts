import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type Gateway, Machine, type PlayedCall } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
/** Not in /tmp, which is empty in the sandbox. */
const programs = mkdtempSync("/var/tmp/conduct-programs-");
machine.onClose(() => rmSync(programs, { recursive: true, force: true }));
let model: ModelServer;
let gateway: Gateway;

const CONFIG = (url: string, programs: string) => `
plugins: [./slow.mjs]
agents:
  defaults:
    model: own/scripted
    tools: [{ name: shell, args: [command] }, { name: stamp, args: [target] }]
  plain:
    rules: [{ id: no-fetch, on: fetch, why: Fetched pages lie., say: Fetch nothing. }]
    promptContributors: [{ id: house-rules, content: House rules apply. }]
  sealed: { tools: [{ name: seal, args: [target], paths: { target: write } }] }
  hasty: { limits: { gather: 50ms } }
  patient: { limits: { check: 30s } }
  impatient: { limits: { completion: 50ms, stops: 1 } }
  elsewhere: { runtime: claude }
  cached: { model: own/cached, limits: { cost: 0.05 } }
channels:
  web: { interactive: false }
gateway: { streams: 1, programs: ["${programs}"] }
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
  own/cached: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY, prices: { input: 0, output: 0, cacheRead: 1000, cacheWrite: 1000 } }
`;

/** Code that takes its time when a command asks for it. */
const SLOW = `
import { setTimeout } from "node:timers/promises";
import { ok } from "agent-conduct/completion";
import { allow } from "agent-conduct/policies";
const asks = (call, word) => String(call.args.command).includes(word);
export default { name: "slow", setup(api) {
  api.registerPolicy({ name: "gathers", gather: async (call) => { if (asks(call, "gather")) await setTimeout(1000); return 1; }, check: () => allow() });
  api.registerPolicy({ name: "checks", check: (call) => { if (asks(call, "ponder")) for (const until = Date.now() + 500; Date.now() < until; ); return allow(); } });
  api.registerCompletion({ check: async () => { await setTimeout(1000); return ok(); } }, { agents: ["impatient"] });
  for (const name of ["stamp", "seal"]) api.registerTool({ name, description: "Stamps", parameters: { type: "object", properties: { target: { type: "string" } } }, run: () => "pressed" });
} };`;

beforeAll(async () => {
  model = await machine.model();
  machine.write({
    ".conduct/conduct.yaml": CONFIG(model.openaiUrl, programs),
    ".conduct/slow.mjs": SLOW,
  });
  writeFileSync(join(programs, "greet"), "#!/bin/sh\necho greetings from afar\n", { mode: 0o755 });
  gateway = await machine.gateway();
});
afterAll(() => machine.close());

const shell = (command: string): PlayedCall => ["shell", { command }];
const play = (agent: string, ...calls: readonly PlayedCall[]) => gateway.play(model, agent, calls);

describe("more keys of an agent and of the gateway", () => {
  wired(
    "agents.*.tools[].paths",
    "WIR-410 an argument that the file calls a path is held to the workspace",
    async () => {
      const outside = (name: string): PlayedCall => [name, { target: "/etc/passwd" }];
      expect((await play("sealed", outside("stamp")))[0]).toBe("pressed");
      expect((await play("sealed", outside("seal")))[0]).toContain("Denied by");
    },
  );
  wired(
    ["agents.*.limits.gather", "agents.*.limits.check"],
    "WIR-411 facts or decisions that take longer than the agent's limits deny the call",
    async () => {
      expect(await play("plain", shell("echo gather"))).toEqual(["gather\n"]);
      expect((await play("hasty", shell("echo gather")))[0]).toMatch(/Denied by gathers.*50 ms/s);
      expect((await play("plain", shell("echo ponder")))[0]).toContain("Denied by checks");
      expect(await play("patient", shell("echo ponder"))).toEqual(["ponder\n"]);
    },
  );
  wired("agents.*.limits.completion", "WIR-412 a checker that takes longer than the limit is not awaited", async () => {
    model.setScript(() => ({ text: "done" }));
    const before = model.requests.length;
    await gateway.say("impatient", "go");
    expect(model.requests.slice(before).at(-1)?.lastUserText).toContain("the check ran out of time");
  });
  wired("agents.*.runtime", "WIR-413 an agent of the Claude runtime is run by the Agent SDK", async () => {
    model.setScript(() => ({ text: "done" }));
    const before = model.requests.length;
    expect(await gateway.say("elsewhere", "go")).toMatchObject({
      status: "failed",
      why: expect.stringContaining("'runtime: claude' needs the package @anthropic-ai/claude-agent-sdk"),
    });
    expect(model.requests).toHaveLength(before);
  });
  wired(
    ["agents.*.rules[].why", "agents.*.promptContributors[].id"],
    "WIR-414 people see why a rule exists, and which contributor wrote a section of a past prompt",
    async () => {
      expect((await machine.conduct(["rules", "list", "--full"])).out).toContain("Fetched pages lie.");
      await play("plain");
      const { out } = await machine.conduct(["prompt", "show"]);
      expect(out).toMatch(/house-rules │ House rules apply\./);
    },
  );
  wired("channels.*.interactive", "WIR-415 nobody is asked on a channel without a person", async () => {
    await play("plain");
    expect(model.requests.at(-1)?.system).toContain("Do not count on an answer: ask nothing");
  });
  wired("gateway.streams", "WIR-416 a user has at most so many open event streams", async () => {
    const ann = await gateway.person("ann");
    const { token } = await gateway.operator.call("POST /api/users/{id}/tokens", {
      params: { id: "ann" },
      body: { label: "streams" },
    });
    const { id } = await ann.call("POST /api/sessions", { body: { agent: "plain" } });
    const stop = new AbortController();
    const listen = async () => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${gateway.url}/api/sessions/${id}/stream`, { headers, signal: stop.signal })).status;
    };
    expect([await listen(), await listen()]).toEqual([200, 429]);
    stop.abort();
  });
  wired("gateway.programs", "WIR-417 commands of agents can use the programs of the named folder", async () => {
    expect((await play("plain", shell(`${programs}/greet`)))[0]).toContain("greetings from afar");
  });
  wired(
    ["models.*.prices.cacheRead", "models.*.prices.cacheWrite"],
    "WIR-418 cached tokens cost what the file says",
    async () => {
      for (const usage of [
        { input: 0, output: 0, cacheRead: 60 },
        { input: 0, output: 0, cacheWrite: 60 },
      ]) {
        const calls = [{ name: "shell", input: { command: "echo 1" } }];
        model.setScript([{ calls, usage }, { calls, usage }, () => ({ text: "done" })]);
        await gateway.say("cached", "go");
        expect(model.requests.at(-1)?.results.at(-1)?.text).toContain("The session's budget for cost is used up");
      }
    },
  );
});
