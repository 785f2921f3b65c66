import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { ClaudeCode } from "./claude-code.ts";
import { type Gateway, Machine, type PlayedCall } from "./shipped.ts";
import { wired } from "./wired.ts";

/** A whole number that JavaScript rounds to 12345678901234567000. */
const ID = "12345678901234567890";
const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
/** Not in /tmp, which is empty in a sandbox. */
const servers = mkdtempSync("/var/tmp/conduct-directives-");
machine.onClose(() => rmSync(servers, { recursive: true, force: true }));
let model: ModelServer;
let gateway: Gateway;

/** A server without an SDK, which writes its answers digit for digit. */
const ORDERS = `
import { createInterface } from "node:readline";
const DIRECTIVES = '"__directives":{"requireBeforeNext":["orders/confirm"]}';
const NESTED = '{"order":${ID},"lines":[{"order":${ID},"found":{' + DIRECTIVES + '}}]}';
const tool = (name) => ({ name, description: name, inputSchema: { type: "object" } });
const RESULTS = {
  nested: () => '{"content":[],"structuredContent":' + NESTED + '}',
  written: () => '{"content":[{"type":"text","text":' + JSON.stringify(NESTED) + '}]}',
  confirm: () => '{"content":[{"type":"text","text":"confirmed"}]}',
  look: () => '{"content":[{"type":"text","text":"looked"}]}',
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = (result) => console.log('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":' + result + '}');
  if (method === "initialize")
    answer(JSON.stringify({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "orders", version: "1" } }));
  else if (method === "tools/list") answer(JSON.stringify({ tools: Object.keys(RESULTS).map(tool) }));
  else if (method === "tools/call") answer(RESULTS[params.name]());
  else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } }));
});
`;

const AUDIT = `export default { name: "audit", setup(api) {
  api.registerTool({
    name: "audit",
    description: "Audits the books",
    parameters: { type: "object", properties: {} },
    run: () => ({ pages: [{ found: "a gap", __directives: { requireBeforeNext: ["orders/confirm"] } }] }),
  });
} };`;

const CONFIG = (url: string) => `
gateway: { programs: [${servers}] }
plugins: [./audit.mjs]
agents:
  defaults:
    model: own/scripted
    tools: [{ name: audit }]
    mcpServers: { orders: { command: node, args: [${servers}/orders.mjs] } }
    promptContributors: [{ id: house, heading: House rules, content: Knock before you enter. }]
  trusting:
    trustedTools: [{ server: orders, tool: nested }, { server: orders, tool: written }, { tool: audit }]
  wary: {}
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;

beforeAll(async () => {
  model = await machine.model();
  writeFileSync(join(servers, "orders.mjs"), ORDERS);
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl), ".conduct/audit.mjs": AUDIT });
  machine.onClose(() => machine.conduct(["daemon", "stop"]));
  gateway = await machine.gateway();
});
afterAll(() => machine.close());

const orders = (tool: string): PlayedCall => [`mcp__orders__${tool}`, {}];
const play = (agent: string, ...calls: readonly PlayedCall[]) => gateway.play(model, agent, calls);
const REQUIRED = "requires these calls first: orders/confirm";

describe("requirements inside the results of the gateway's tools", () => {
  wired(
    ["agents.*.trustedTools[].server", "agents.*.trustedTools[].tool"],
    "WIR-900 nested requirements of trusted tools are enforced and removed, and no digit of a large number changes",
    async () => {
      for (const call of [orders("nested"), ["audit", {}] as const]) {
        const [result, denied, confirmed, looked] = await play(
          "trusting",
          call,
          orders("look"),
          orders("confirm"),
          orders("look"),
        );
        expect(result).not.toContain("__directives");
        expect([denied, confirmed, looked]).toEqual([expect.stringContaining(REQUIRED), "confirmed", "looked"]);
      }
      const [nested] = await play("trusting", orders("nested"));
      expect(nested?.match(new RegExp(`${ID}\\b`, "g"))).toHaveLength(2);
    },
  );

  wired(
    "agents.*.trustedTools",
    "WIR-901 those of other tools, and those in a text, are removed and require nothing",
    async () => {
      for (const [agent, call] of [
        ["wary", orders("nested")],
        ["wary", orders("written")],
        ["trusting", orders("written")],
        ["wary", ["audit", {}]],
      ] as const) {
        const [result = "", looked] = await play(agent, call, orders("look"));
        expect([agent, call[0], result.includes("__directives"), looked]).toEqual([agent, call[0], false, "looked"]);
        if (call[0] !== "audit") expect(result.match(new RegExp(`${ID}\\b`, "g")), call[0]).toHaveLength(2);
      }
    },
  );
});

describe("contributors of the file", () => {
  wired("agents.*.promptContributors", "WIR-902 a subagent of Claude Code gets them when it starts", async () => {
    const { code, out, err } = await machine.conduct(["init", "claude-code", "--agent", "wary", "--yes"]);
    expect(code, out + err).toBe(0);
    await machine.conduct(["enforce", "claude-code", "--yes"]);
    const claude = new ClaudeCode(machine, "parent");
    await claude.start();
    await claude.say("begin");
    const answer = await claude.hook("SubagentStart", { agent_id: "sub-1", agent_type: "Explore" });
    expect(answer).toContain("Knock before you enter.");
  });
});
