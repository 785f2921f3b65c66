import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type Gateway, Machine, type PlayedCall } from "./shipped.ts";
import { wired } from "./wired.ts";

const KEYS = { SCRIPTED_KEY: "provider-key", SMALL_KEY: "key-of-the-classifier" };
const machine = new Machine(KEYS);
/** A machine on which Codex runs as the only agent. */
const desk = new Machine(KEYS);
let model: ModelServer;
let small: ModelServer;
let gateway: Gateway;

const CONFIG = (url: string, smallUrl: string) => `
plugins: [./plugins/office.mjs]
agents:
  defaults:
    model: own/scripted
    tools:
      - { name: shell, args: [command] }
      - { name: weather, args: [city] }
  clerk: {}
  labelled:
    sessionLabels: { enabled: true, model: own/small, every: 1, wait: 30s }
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
  own/small: { baseUrl: "${smallUrl}", api: openai-completions, key: SMALL_KEY }
`;

const OFFICE = `
import { appendFileSync } from "node:fs";
import { incomplete, ok } from "agent-conduct/completion";
import { allow, deny } from "agent-conduct/policies";

export default {
  name: "office",
  setup(api) {
    api.registerPolicy({
      name: "no-rockets",
      check: (call) => (JSON.stringify(call.args).includes("rocket") ? deny("Rockets need a permit.") : allow()),
    });
    api.registerPolicy({ name: "broken", check: (call) => { if (call.args.city === "Throw") throw new Error("lost"); return allow(); } });
    api.registerPromptContributor({ id: "hours", contribute: () => ({ heading: "Hours", content: "We open at nine." }) });
    api.registerFeedback({ provider: { name: "tidy", provide: () => ({ summary: "Keep it tidy." }) }, trigger: { everyNCalls: 1 } });
    api.registerCompletion(
      { check: ({ tentativeOutput }) => (String(tentativeOutput).includes("signed") ? ok() : incomplete("Sign it.")) },
      { agents: ["clerk"] },
    );
    api.registerTool({
      name: "weather",
      description: "The weather in a city",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      run: ({ city }) => \`Rain in \${city}\`,
    });
    api.subscribe((event) => appendFileSync(new URL("./seen.txt", import.meta.url), event.type + "\\n"));
  },
};
`;

const DESK = OFFICE.replace('["clerk"]', '["labelled"]');

const LABELS = (topic: string) => ({
  text: JSON.stringify({ label: "About it", topic, complexity: "simple", domain: [], flags: ["careful"] }),
});

beforeAll(async () => {
  model = await machine.model();
  small = await machine.model(() => LABELS("ops"));
  machine.write({
    ".conduct/conduct.yaml": CONFIG(model.openaiUrl, small.openaiUrl),
    ".conduct/plugins/office.mjs": OFFICE,
  });
  gateway = await machine.gateway();
  desk.write({
    ".conduct/conduct.yaml": CONFIG(model.openaiUrl, small.openaiUrl).replace("  clerk: {}\n", ""),
    ".conduct/plugins/office.mjs": DESK,
  });
  desk.onClose(() => desk.conduct(["daemon", "stop"]));
});
afterAll(() => Promise.all([machine.close(), desk.close()]));

const shell = (command: string): PlayedCall => ["shell", { command }];

/** The first turn of a scripted agent, which says that it signed. */
async function play(agent: string, ...calls: readonly PlayedCall[]) {
  const left = calls.map(([name, input]) => ({ calls: [{ name, input }] }));
  model.setScript(() => left.shift() ?? { text: "signed" });
  const before = model.requests.length;
  await gateway.say(agent, "go");
  const asked = model.requests.slice(before);
  return { first: asked[0], results: asked.at(-1)?.results.map(({ text }) => text) ?? [] };
}

/** What the daemon answers to a hook of Codex. */
async function hook(event: object): Promise<string> {
  const input = JSON.stringify({ session_id: "codex-1", turn_id: "t1", cwd: desk.work, ...event });
  const { out, err } = await desk.conduct(["hook", "codex"], { input });
  return out + err;
}

const bash = (command: string, tool_use_id: string) => ({
  ...{ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, tool_use_id },
});

describe("code of the operator, in the gateway and the daemon", () => {
  wired("plugins", "WIR-140 a plugin's section, policy, feedback, tool and listener work in the gateway", async () => {
    const { first, results } = await play("clerk", shell("echo rocket"), ["weather", { city: "Bern" }]);
    expect(first?.system).toContain("We open at nine.");
    expect(first?.tools.map(({ name }) => name)).toContain("weather");
    expect(results[0]).toContain("Denied by no-rockets: Rockets need a permit.");
    expect(results[1]).toContain("Rain in Bern");
    expect(results[1]).toContain("Keep it tidy.");
    await expect.poll(() => machine.read(".conduct/plugins/seen.txt")).toContain("call\n");
  });
  wired(
    "plugins",
    "WIR-141 a plugin's checker refuses a stop, and a policy that throws denies only its call",
    async () => {
      model.setScript([{ text: "done" }, { text: "signed" }]);
      const before = model.requests.length;
      await gateway.say("clerk", "write it");
      expect(model.requests.slice(before)).toHaveLength(2);
      expect(model.requests.at(-1)?.raw).toContain("Sign it.");
      const { results } = await play("clerk", ["weather", { city: "Throw" }], ["weather", { city: "Bern" }]);
      expect(results[0]).toContain("Denied by broken");
      expect(results[1]).toContain("Rain in Bern");
    },
  );
  wired(
    "plugins",
    "WIR-142 the daemon enforces a plugin's policy, reads a changed file again and denies with its fault",
    async () => {
      expect(await hook(bash("echo rocket", "c1"))).toContain("Rockets need a permit.");
      desk.write({ ".conduct/plugins/office.mjs": DESK.replace("Rockets need a permit.", "No rockets here.") });
      expect(await hook(bash("echo rocket 2", "c2"))).toContain("No rockets here.");
      desk.write({ ".conduct/plugins/office.mjs": 'throw new Error("no coffee");' });
      expect(await hook(bash("echo 1", "c3"))).toMatch(/conduct\.yaml:2 .*office\.mjs cannot be used: no coffee/);
      const { code, out } = await desk.conduct(["config", "check"]);
      expect([code, out]).toEqual([1, expect.stringContaining("no coffee")]);
      desk.write({ ".conduct/plugins/office.mjs": DESK });
      expect((await desk.conduct(["config", "check"])).out).toMatch(
        /plugin office[\s\S]*policy no-rockets[\s\S]*tool weather/,
      );
    },
  );
});

describe("the classifier asks the models of the file", () => {
  wired(
    ["agents.*.sessionLabels.model", "agents.*.sessionLabels.every", "models.*.key"],
    "WIR-143 the gateway asks an own model at its address with its key, always with the first message",
    async () => {
      model.setScript(() => ({ text: "signed" }));
      const say = await gateway.open("labelled");
      for (const text of ["the very first", "two", "three", "four", "five", "six"]) await say(text);
      await expect.poll(() => small.requests.length).toBeGreaterThan(4);
      const last = small.requests.at(-1);
      expect(last?.headers.authorization).toBe("Bearer key-of-the-classifier");
      expect(last?.raw).toContain("[opener]\\nthe very first");
    },
  );
  wired("agents.*.sessionLabels.model", "WIR-144 the daemon asks it too", async () => {
    const before = small.requests.length;
    await hook({ hook_event_name: "UserPromptSubmit", session_id: "codex-2", prompt: "restart the servers" });
    await expect.poll(() => small.requests.length).toBeGreaterThan(before);
    expect(small.requests.at(-1)?.raw).toContain("restart the servers");
  });
});
