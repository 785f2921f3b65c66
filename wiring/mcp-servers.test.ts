import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { DESK, type HttpServer, MODULES, startHttp } from "./mcp-world.ts";
import { type Gateway, Machine, type PlayedCall } from "./shipped.ts";
import { wired } from "./wired.ts";

const TOKEN = "desk-token-4711-of-the-test";
const SHELF = "shelf-token-0815-of-the-test";
const machine = new Machine({ SCRIPTED_KEY: "provider-key", DESK_ENV: TOKEN, OTHER_TOKEN: "not-for-the-desk" });
let model: ModelServer;
let gateway: Gateway;
let shelf: HttpServer;
let old: HttpServer;

const CONFIG = () => `
gateway: { programs: [${machine.root}/servers, ${MODULES}] }
agents:
  defaults: { model: own/scripted }
  clerk:
    tools: [{ name: shell }, { name: desk/big }]
    mcpServers:
      desk:
        command: node
        args: [${machine.root}/servers/desk.mjs]
        env: { DESK_MODE: plain }
        secrets: { DESK_TOKEN: { env: DESK_ENV } }
        timeout: 20s
      shelf:
        url: ${shelf.url}/mcp
        allowPrivate: true
        headers: { Authorization: "Bearer \${SHELF_TOKEN}" }
        secrets: { SHELF_TOKEN: { file: ./secrets/shelf } }
    rules:
      - { id: no-fail, on: "desk/fail", when: "!session.user.startsWith('operator')", say: Only the operator. }
      - { id: books-first, on: "shelf/*", require: { call: desk/note } }
  trusting:
    mcpServers:
      desk: { command: node, args: [${machine.root}/servers/desk.mjs, --old], secrets: { DESK_TOKEN: { env: DESK_ENV } }, network: ["127.0.0.1:${new URL(old.url).port}"] }
    trustedTools: [{ server: desk, tool: lookup }]
  lost:
    mcpServers:
      gone: { command: no-such-program-here }
      nobody: { url: "http://127.0.0.1:1/mcp", allowPrivate: true }
      redirected: { url: "${shelf.url}/elsewhere", allowPrivate: true }
      metadata: { url: "http://localtest.invalid/mcp" }
  reader:
    mcpServers:
      shelf: { url: "${old.url}/mcp", allowPrivate: true }
models:
  own/scripted: { baseUrl: "${model.openaiUrl}", api: openai-completions, key: SCRIPTED_KEY }
`;

beforeAll(async () => {
  model = await machine.model();
  shelf = await startHttp(machine, "new");
  old = await startHttp(machine, "old");
  machine.write({ "servers/desk.mjs": DESK, ".conduct/secrets/shelf": `${SHELF}\n` });
  machine.write({ ".conduct/conduct.yaml": CONFIG() });
  gateway = await machine.gateway();
});
afterAll(() => machine.close());

const call = (tool: string, input = {}): PlayedCall => [`mcp__${tool.replace("/", "__")}`, input];
const play = (agent: string, ...calls: readonly PlayedCall[]) => gateway.play(model, agent, calls);
const logOf = (agent: string, user: string) => machine.read(`.conduct-work/${agent}/${user}/desk.log`);

describe("MCP servers of an agent", () => {
  wired(
    ["agents.*.mcpServers", "agents.*.mcpServers.*.command", "agents.*.mcpServers.*.args", "agents.*.mcpServers.*.url"],
    "WIR-300 the model gets the tools of a program and of an address, rules match them, and results come back",
    async () => {
      const before = model.requests.length;
      const results = await play(
        "clerk",
        call("shelf/fetch_book", { title: "Emma" }),
        call("desk/note", { text: "one" }),
        call("shelf/fetch_book", { title: "Emma" }),
        call("desk/fail"),
      );
      const offered = model.requests[before]?.tools.map(({ name }) => name) ?? [];
      expect(offered).toEqual(expect.arrayContaining(["mcp__desk__note", "mcp__shelf__fetch_book", "shell"]));
      expect(model.requests[before]?.raw).toContain("Writes a note");
      expect(results[0]).toContain("Denied by books-first");
      expect(results[1]).toContain("noted: one");
      expect(results[2]).toContain("Emma, on the shelf");
      expect(results[3]).toContain("the drawer is stuck");
      expect(shelf.seen.filter((line) => line.startsWith("book"))).toEqual(["book Emma"]);
      expect(logOf("clerk", "operator")).toContain("note one");
      const { out } = await machine.conduct(["watch", "--once"]);
      expect(out).toContain("shelf/fetch_book");
      expect(out.replace(/\s+/g, " ")).toMatch(/desk\/fail.*failed/);
    },
  );
});
