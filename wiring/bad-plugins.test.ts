import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type Gateway, Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
/** A machine on which Codex runs as the only agent. */
const desk = new Machine();
let model: ModelServer;
let gateway: Gateway;

const HANG = "new Promise(() => {})";
/** What a plugin brings to the agent of the same name. */
const PARTS = {
  "section-hangs": `api.registerPromptContributor({ id: "a", contribute: () => ${HANG} }, AGENT);`,
  "section-throws": `api.registerPromptContributor({ id: "b", contribute: () => { throw new Error("no ink"); } }, AGENT);`,
  "facts-hang": `api.registerPolicy({ name: "slow", gather: () => ${HANG}, check: () => ({ kind: "allow" }) }, AGENT);`,
  "policy-waits": `api.registerPolicy({ name: "later", check: async () => ({ kind: "allow" }) }, AGENT);`,
  "policy-mumbles": `api.registerPolicy({ name: "vague", check: () => "fine" }, AGENT);`,
  "advice-hangs": `api.registerFeedback({ provider: { name: "a", provide: () => ${HANG} }, trigger: { everyNCalls: 1 } }, AGENT);`,
  "advice-throws": `api.registerFeedback({ provider: { name: "b", provide: () => { throw new Error("mute"); } }, trigger: { everyNCalls: 1 } }, AGENT);`,
  "check-hangs": `api.registerCompletion({ check: () => ${HANG} }, AGENT);`,
  "check-throws": `api.registerCompletion({ check: () => { throw new Error("blind"); } }, AGENT);`,
  calm: `api.subscribe(() => { throw new Error("deaf"); }); api.subscribe(async () => { await null; throw new Error("deaf"); });`,
} as const;
type Agent = keyof typeof PARTS;

const body = Object.entries(PARTS).map(([agent, part]) => part.replaceAll("AGENT", `{ agents: ["${agent}"] }`));
const PLUGIN = `export default { name: "bad", setup(api) {\n${body.join("\n")}\n} };`;
const CONFIG = (url: string) => `
plugins: [./bad.mjs]
agents:
  defaults:
    model: own/scripted
    tools: [{ name: shell, args: [command] }]
    limits: { completion: 1s, stops: 1 }
${Object.keys(PARTS)
  .map((agent) => `  ${agent}: {}`)
  .join("\n")}
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;

beforeAll(async () => {
  model = await machine.model();
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl), ".conduct/bad.mjs": PLUGIN });
  gateway = await machine.gateway();
});
afterAll(() => Promise.all([machine.close(), desk.close()]));

/** A turn with one command: its result, and what the agent was told at a refused stop. */
async function turn(agent: Agent) {
  const left = [{ calls: [{ name: "shell", input: { command: "echo ran" } }] }];
  model.setScript(() => left.shift() ?? { text: "done" });
  const { status } = await gateway.say(agent, "go");
  const last = model.requests.at(-1);
  return { status, result: last?.results.at(-1)?.text ?? "", told: last?.lastUserText ?? "" };
}

describe("plugins that throw or hang", () => {
  wired(
    "plugins",
    "WIR-896 a section or advice that fails is left out and reported, and a listener that fails disturbs nobody",
    async () => {
      for (const agent of ["section-hangs", "section-throws", "advice-hangs", "advice-throws", "calm"] as const)
        expect(await turn(agent), agent).toMatchObject({ status: "complete", result: "ran\n" });
      const watched = async () => (await machine.conduct(["watch", "--once"])).out.replace(/\s+/g, " ");
      await expect.poll(watched).toMatch(/feedback:b mute/);
      expect(await watched()).toMatch(/no ink/);
    },
  );

  wired(
    "plugins",
    "WIR-897 a policy that cannot decide denies its call with a reason, and no other agent's",
    async () => {
      for (const [agent, reason] of [
        ["facts-hang", /^Denied by slow: Policy 'slow' could not gather its facts: took longer than 2000 ms/],
        ["policy-waits", /^Denied by later: Policy 'later' returned a promise; move asynchronous work to `gather`/],
        ["policy-mumbles", /^Denied by vague: Policy 'vague' returned no decision/],
      ] as const)
        expect((await turn(agent)).result, agent).toMatch(reason);
      expect((await turn("calm")).result).toBe("ran\n");
    },
  );

  wired(
    "agents.*.limits.completion",
    "WIR-898 a checker that hangs or throws refuses the stop up to its limit",
    async () => {
      for (const [agent, reason] of [
        ["check-hangs", "the check ran out of time"],
        ["check-throws", "the check failed: blind"],
      ] as const) {
        const { status, told } = await turn(agent);
        expect([status, told]).toEqual(["incomplete", expect.stringContaining(reason)]);
      }
    },
  );

  wired(
    "plugins",
    "WIR-899 the daemon denies the call of a policy that hangs, and a plugin that never loads is one error",
    async () => {
      const [config, slow] = ["plugins: [./bad.mjs]\nagents: { coder: {} }\n", PARTS["facts-hang"]];
      const write = (setup: string) =>
        desk.write({
          ".conduct/conduct.yaml": config,
          ".conduct/bad.mjs": `export default { name: "bad", ${setup} };`,
        });
      const hook = async (id: string) => {
        const call = { tool_name: "Bash", tool_input: { command: "echo 1" }, tool_use_id: id };
        const event = { session_id: "codex-1", turn_id: "t1", cwd: desk.work, hook_event_name: "PreToolUse", ...call };
        return (await desk.conduct(["hook", "codex"], { input: JSON.stringify(event) })).out;
      };
      desk.onClose(() => desk.conduct(["daemon", "stop"]));
      write(`setup(api) { ${slow.replace("AGENT", "{}")} }`);
      expect(await hook("c1")).toContain("Policy 'slow' could not gather its facts");
      write(`setup: () => ${HANG}`);
      const { code, out } = await desk.conduct(["config", "check"]);
      expect([code, out]).toEqual([
        1,
        expect.stringMatching(/conduct\.yaml:1[\s\S]*bad\.mjs cannot be used: took longer than/),
      ]);
      expect(await hook("c2")).toMatch(/bad\.mjs cannot be used: took longer than/);
    },
  );
});
