import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type Gateway, Machine, type PlayedCall } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let model: ModelServer;
let gateway: Gateway;
let port = 0;

const CONFIG = (url: string, port: number) => `
agents:
  defaults:
    model: own/scripted
    tools: [{ name: write_file, args: [path, content] }, { name: read_file, args: [path] }]
  risky:
    tools: [{ name: shell, args: [command], risk: high }]
  never:
    elevation: never
    tools: [{ name: shell, args: [command], risk: high }]
  ordered:
    tools: [{ name: shell, args: [command], prerequisites: [read_file] }]
  online:
    network: ["127.0.0.1:${port}"]
    tools: [{ name: shell, args: [command] }]
  offline:
    tools: [{ name: shell, args: [command] }]
  asking:
    tools: [{ name: shell, args: [command] }]
    rules: [{ id: ask-first, on: shell, effect: ask, remember: session, say: Somebody must look. }]
  local:
    sessionLabels: { enabled: true, model: local/rules, wait: 2s }
    promptContributors: [{ id: for-code, heading: For coding, content: Mind the types., tags: [{ dimension: topic, value: coding }] }]
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;

beforeAll(async () => {
  const server = createServer((_, reply) => void reply.end("reached"));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  machine.onClose(() => server.close());
  ({ port } = server.address() as AddressInfo);
  model = await machine.model();
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl, port) });
  gateway = await machine.gateway();
});
afterAll(() => machine.close());

const shell = (command: string): PlayedCall => ["shell", { command }];
const play = (agent: string, ...calls: readonly PlayedCall[]) => gateway.play(model, agent, calls);

describe("other keys of an agent, in the gateway", () => {
  wired(
    ["agents.*.tools[].risk", "agents.*.elevation"],
    "WIR-60 a tool of high risk runs only in an elevated conversation, and never for an agent that cannot be elevated",
    async () => {
      const script = () =>
        model.setScript([{ calls: [{ name: "shell", input: { command: "echo ran" } }] }, () => ({ text: "done" })]);
      const last = () => model.requests.at(-1)?.results.at(-1)?.text;
      for (const [agent, elevated] of [
        ["risky", true],
        ["never", false],
      ] as const) {
        const say = await gateway.open(agent);
        script();
        await say("go");
        expect(last()).toMatch(/risk|elevat/i);
        await say("/elevated on");
        script();
        await say("go");
        expect(last()?.startsWith("ran")).toBe(elevated);
      }
    },
  );
  wired("agents.*.tools[].prerequisites", "WIR-61 a tool needs its prerequisites", async () => {
    const calls: readonly PlayedCall[] = [
      shell("echo 1"),
      ["write_file", { path: "a", content: "x" }],
      ["read_file", { path: "a" }],
      shell("echo 1"),
    ];
    const results = await play("ordered", ...calls);
    expect(results[0]).toContain("read_file");
    expect(results[3]).toContain("1");
  });
  wired("agents.*.network", "WIR-63 commands reach only the hosts that the agent names", async () => {
    const ask = shell(`curl -s -m 20 http://127.0.0.1:${port}/ || echo unreachable`);
    expect((await play("online", ask))[0]).toContain("reached");
    expect((await play("offline", ask))[0]).not.toContain("reached");
  });
  wired(["agents.*.rules[].effect"], "WIR-64 a rule asks a person", async () => {
    model.setScript([{ calls: [shell("echo 1")].map(([name, input]) => ({ name, input })) }, () => ({ text: "done" })]);
    const { id } = await gateway.operator.call("POST /api/sessions", { body: { agent: "asking" } });
    await gateway.operator.call("POST /api/sessions/{id}/messages", { params: { id }, body: { text: "go" } });
    await expect.poll(async () => (await gateway.operator.call("GET /api/approvals", {})).approvals.length).toBe(1);
    const [approval] = (await gateway.operator.call("GET /api/approvals", {})).approvals;
    expect(JSON.stringify(approval)).toMatch(/Somebody must look.*/);
  });
  wired(
    [
      "agents.*.sessionLabels",
      "agents.*.sessionLabels.enabled",
      "agents.*.sessionLabels.model",
      "agents.*.sessionLabels.wait",
    ],
    "WIR-65 the conversation is classified before its first prompt, and its topic selects contributors",
    async () => {
      expect((await promptOf("local", "Refactor this TypeScript function and fix its types")).system).toContain(
        "Mind the types.",
      );
    },
  );
});

async function promptOf(agent: string, text: string) {
  model.setScript(() => ({ text: "done" }));
  await gateway.say(agent, text);
  return { system: model.requests.at(-1)?.system ?? "" };
}
