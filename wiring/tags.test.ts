import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type Gateway, Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let model: ModelServer;
let gateway: Gateway;

const TAGGED = `
    custom: [night]
    promptContributors:
      - { id: night, content: It is night., tags: [{ dimension: custom, value: night }] }
      - { id: prod, content: Mind the customers., tags: [{ dimension: custom, value: production }] }
    rules:
      - { id: touches-production, on: shell, when: 'args.command.contains("prod")', effect: remind, say: This is production., tag: production }
      - { id: no-drill, on: shell, when: 'args.command.contains("drill") && "drilling" in session.custom', say: No drills now. }`;

const CONFIG = (url: string) => `
agents:
  defaults:
    model: own/scripted
    tools: [{ name: shell, args: [command] }]
  topical:
    sessionLabels: { enabled: true, model: own/scripted, wait: 30s }
    rules:
      - { id: ops-only, on: shell, when: 'args.command.contains("restart") && session.topic != "ops"', say: Only for operations. }
      - { id: careful, on: shell, when: 'args.command.contains("delete") && "careful" in session.flags', say: Be careful. }
      - { id: hard, on: shell, when: 'session.complexity == "hard" && "db" in session.domain && has(session.topic)', effect: remind, say: A hard one. }
  unlabelled:
    rules: [{ id: ops-only, on: shell, when: 'session.topic != "ops"', say: Only for operations. }]
  tagged: ${TAGGED}
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;

beforeAll(async () => {
  model = await machine.model();
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
  gateway = await machine.gateway();
});
afterAll(() => machine.close());

/** Answers the classifier with these labels, and plays the commands for the agent. */
function script(commands: readonly string[], labels: object = {}): void {
  const left = [...commands];
  model.setScript((request) => {
    if (request.raw.includes("You give sessions of an assistant a title"))
      return {
        text: JSON.stringify({ label: "l", topic: "ops", complexity: "hard", domain: ["db"], flags: [], ...labels }),
      };
    const command = left.shift();
    return command === undefined ? { text: "done" } : { calls: [{ name: "shell", input: { command } }] };
  });
}

const results = () => model.requests.at(-1)?.results.map(({ text }) => text) ?? [];

describe("tags and the classification, in rules", () => {
  wired("agents.*.rules[].when", "WIR-160 a rule reads topic, complexity, domain and flags", async () => {
    script(["echo restart", "echo delete"]);
    await gateway.say("topical", "restart it");
    expect(results()[0]).toMatch(/A hard one\.\nrestart/);
    expect(results()[1]).not.toContain("Be careful.");
    script(["echo restart", "echo delete"], { topic: "coding", flags: ["careful"] });
    await gateway.say("topical", "write it");
    expect(results()[0]).toContain("Only for operations.");
    expect(results()[1]).toContain("Be careful.");
  });
  wired("agents.*.rules[].when", "WIR-161 without a classification, a rule about the topic applies", async () => {
    script(["echo 1"]);
    await gateway.say("unlabelled", "go");
    expect(results()[0]).toContain("Only for operations.");
    const { out } = await machine.conduct(["config", "check"]);
    expect(out.replace(/\s+/g, " ")).toContain("'ops-only' reads the session's classification");
  });
  wired(
    ["agents.*.custom", "agents.*.rules[].tag"],
    "WIR-162 an agent's custom tags and those that a rule adds select sections",
    async () => {
      const say = await gateway.open("tagged");
      script(["echo prod"]);
      await say("go");
      expect(model.requests[model.requests.length - 1]?.system).toContain("It is night.");
      expect(model.requests.at(-1)?.system).not.toContain("Mind the customers.");
      script([]);
      await say("and now?");
      expect(model.requests.at(-1)?.system).toContain("It is night.");
      expect(model.requests.at(-1)?.system).toContain("Mind the customers.");
    },
  );
  wired(["conduct tag --none"], "WIR-163 a person sets the tags of a session", async () => {
    const { id } = await gateway.operator.call("POST /api/sessions", { body: { agent: "tagged" } });
    const say = async (text: string) =>
      gateway.operator.call("POST /api/sessions/{id}/messages", {
        params: { id },
        query: { wait: "true" },
        body: { text },
      });
    script([]);
    await say("hello");
    expect((await machine.conduct(["tag", id, "production,drilling"])).out).toContain("production, drilling");
    script(["echo drill"]);
    await say("go");
    expect(results().at(-1)).toContain("No drills now.");
    expect(model.requests.at(-1)?.system).not.toContain("It is night.");
    expect((await machine.conduct(["tag", id, "--none"])).code).toBe(0);
    expect((await machine.conduct(["tag", id])).code).toBe(2);
    const stranger = await gateway.person("ann");
    await expect(
      stranger.call("PUT /api/sessions/{id}/custom", { params: { id }, body: { custom: ["x"] } }),
    ).rejects.toThrow();
  });
});
