import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ConductClient } from "../src/apps/gateway/client.ts";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { DESK, type HttpServer, MODULES, startHttp } from "./mcp-world.ts";
import { type Gateway, Machine, type PlayedCall } from "./shipped.ts";
import { wired } from "./wired.ts";

const TOKEN = "desk-token-4711-of-the-test";
const SHELF = "shelf-token-0815-of-the-test";
const machine = new Machine({ SCRIPTED_KEY: "provider-key", DESK_ENV: TOKEN, OTHER_TOKEN: "not-for-the-desk" });
/** Not in /tmp, which is empty in a sandbox. */
const servers = mkdtempSync("/var/tmp/conduct-mcp-");
machine.onClose(() => rmSync(servers, { recursive: true, force: true }));
let model: ModelServer;
let gateway: Gateway;
let shelf: HttpServer;
let old: HttpServer;
let hook = "";
const posted: string[] = [];

const CONFIG = () => `
gateway: { programs: [${servers}, ${MODULES}], webhook: "${hook}" }
agents:
  defaults: { model: own/scripted }
  clerk:
    tools: [{ name: shell }, { name: desk/big }]
    mcpServers:
      desk:
        command: node
        args: [${servers}/desk.mjs]
        env: { DESK_MODE: plain }
        secrets: { DESK_TOKEN: { env: DESK_ENV } }
      hasty: { command: node, args: [${servers}/desk.mjs], timeout: 1s }
      shelf:
        url: ${shelf.url}/mcp
        allowPrivate: true
        headers: { Authorization: "Bearer \${SHELF_TOKEN}" }
        secrets: { SHELF_TOKEN: { file: ./secrets/shelf } }
    rules:
      - { id: books-first, on: "shelf/*", require: { call: desk/note } }
  trusting:
    mcpServers:
      desk:
        command: node
        args: [${servers}/desk.mjs, --old]
        network: ["127.0.0.1:${new URL(old.url).port}"]
    trustedTools: [{ server: desk, tool: lookup }]
  growing:
    mcpServers:
      desk: { command: node, args: [${servers}/desk.mjs, --old] }
      shelf: { url: "${old.url}/mcp", allowPrivate: true }
  lost:
    mcpServers:
      gone: { command: no-such-program-here }
      nobody: { url: "http://127.0.0.1:1/mcp", allowPrivate: true }
      redirected: { url: "${shelf.url}/elsewhere", allowPrivate: true }
models:
  own/scripted: { baseUrl: "${model.openaiUrl}", api: openai-completions, key: SCRIPTED_KEY }
`;

beforeAll(async () => {
  const receiver = createServer(async (request, response) => {
    posted.push(await text(request));
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  machine.onClose(() => receiver.close());
  hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  model = await machine.model();
  shelf = await startHttp(machine, "new");
  old = await startHttp(machine, "old");
  writeFileSync(join(servers, "desk.mjs"), DESK);
  machine.write({ ".conduct/secrets/shelf": `${SHELF}\n`, ".conduct/conduct.yaml": CONFIG() });
  gateway = await machine.gateway();
});
afterAll(() => machine.close());

const call = (tool: string, input = {}): PlayedCall => [`mcp__${tool.replace("/", "__")}`, input];
const look = (path: string) => call("desk/look", { place: Buffer.from(path).toString("base64") });
const play = (agent: string, ...calls: readonly PlayedCall[]) => gateway.play(model, agent, calls);
const folderOf = (agent: string, user: string) => join(`${machine.home}-work`, agent, user);
const logOf = (agent: string, user: string) => machine.read(`.conduct-work/${agent}/${user}/desk.log`);
const watched = async (on = machine) => (await on.conduct(["watch", "--once"])).out.replace(/\s+/g, " ");

/** Has a person's model make calls in a new conversation. Returns what the model got back, and the conversation. */
async function playAs(client: ConductClient, agent: string, ...calls: readonly PlayedCall[]) {
  model.setScript([...calls.map(([name, input]) => ({ calls: [{ name, input }] })), () => ({ text: "done" })]);
  const { id } = await client.call("POST /api/sessions", { body: { agent } });
  await client.call("POST /api/sessions/{id}/messages", {
    ...{ params: { id }, query: { wait: "true" }, body: { text: "go" } },
  });
  return { id, results: model.requests.at(-1)?.results.map((result) => result.text) ?? [] };
}

/** Processes that work in a folder. */
function processesIn(folder: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}

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
        call("desk/big"),
      );
      const offered = model.requests[before]?.tools.map(({ name }) => name) ?? [];
      expect(offered).toEqual(expect.arrayContaining(["mcp__desk__note", "mcp__shelf__fetch_book", "shell"]));
      expect(model.requests[before]?.raw).toContain("Writes a note");
      expect(results[0]).toContain("Denied by books-first");
      expect(results[1]).toContain("noted: one");
      expect(results[2]).toContain("Emma, on the shelf");
      expect(results[3]).toContain("the drawer is stuck");
      expect(results[4]).toContain("first line");
      expect(results[4]?.slice(-400)).toMatch(/Output truncated.*Call read_result/);
      expect(results[4]?.length).toBeLessThan(400_000);
      expect(shelf.seen.filter((line) => line.startsWith("book"))).toEqual(["book Emma"]);
      const asked = shelf.seen.filter((line) => line.startsWith("Bearer"));
      expect(new Set(asked)).toEqual(new Set([`Bearer ${SHELF} 2026-07-28`]));
      expect(logOf("clerk", "operator")).toMatch(/started new[\s\S]*note one/);
      await expect.poll(() => watched()).toMatch(/shelf\/fetch_book.*desk\/fail.*failed/);
    },
  );

  wired(
    "agents.*.mcpServers",
    "WIR-301 each user has a process and a folder, and a server sees neither CONDUCT_HOME nor other users",
    async () => {
      const [ann, bob] = [await gateway.person("ann"), await gateway.person("bob")];
      await playAs(ann, "clerk", call("desk/note", { text: "by ann" }));
      const { id, results } = await playAs(
        bob,
        "clerk",
        ...[machine.home, `${machine.home}/conduct.yaml`, folderOf("clerk", "ann"), "."].map(look),
      );
      expect(results.slice(0, 3)).toEqual(["nothing there", "nothing there", "nothing there"]);
      expect(results[3]).toContain("desk.log");
      expect(logOf("clerk", "bob")).not.toContain("by ann");
      const ofAnn = processesIn(folderOf("clerk", "ann"));
      expect(ofAnn.length).toBeGreaterThan(0);
      expect(processesIn(folderOf("clerk", "bob")).length).toBeGreaterThan(0);
      await bob.call("DELETE /api/sessions/{id}", { params: { id } });
      await expect.poll(() => processesIn(folderOf("clerk", "bob"))).toEqual([]);
      expect(processesIn(folderOf("clerk", "ann"))).toEqual(ofAnn);
    },
  );

  wired(
    [
      "agents.*.mcpServers.*.secrets",
      "agents.*.mcpServers.*.secrets.*.env",
      "agents.*.mcpServers.*.secrets.*.file",
      "agents.*.mcpServers.*.headers",
      "agents.*.mcpServers.*.env",
    ],
    "WIR-302 a secret reaches its own server only, and neither the model, the shell nor the output",
    async () => {
      const [desk, hasty, shell] = await play("clerk", call("desk/secret"), call("hasty/secret"), [
        "shell",
        { command: "env" },
      ]);
      expect(desk).toMatch(/^\[secret DESK_TOKEN\] of .*DESK_MODE,DESK_TOKEN/);
      for (const name of ["OTHER_TOKEN", "SCRIPTED_KEY", "CONDUCT_TOKEN", "CONDUCT_HOME", "DESK_ENV"])
        expect(desk).not.toContain(name);
      expect(hasty).toMatch(/^undefined of/);
      expect(shell).toContain("HOME=/home/agent");
      expect(shell).not.toContain("DESK_");
      expect(shelf.seen).toContain(`Bearer ${SHELF} 2026-07-28`);
      const everything = [gateway.output, ...model.requests.map(({ raw }) => raw)].join("\n");
      for (const secret of [TOKEN, SHELF]) expect(everything).not.toContain(secret);
    },
  );

  wired(
    "agents.*.mcpServers.*.command",
    "WIR-303 a server that dies in the middle of a call gives one failed result, and is started again",
    async () => {
      const results = await play("clerk", call("desk/crash"), call("desk/note", { text: "again" }));
      expect(results[0]).toContain("desk/crash failed: it ended with code 3: out of paper [secret DESK_TOKEN]");
      expect(results[0]).toContain("may still have had an effect");
      expect(results[1]).toContain("noted: again");
      expect(logOf("clerk", "operator").match(/started/g)?.length).toBeGreaterThan(1);
      expect((await play("trusting", call("desk/note", { text: "calm" })))[0]).toContain("noted: calm");
      await expect.poll(() => watched()).toContain("The MCP server desk of clerk is not available");
    },
  );

  wired(
    "agents.*.mcpServers.*.allowPrivate",
    "WIR-304 an agent works without a server that cannot be reached, and banner, health, doctor and model say so",
    async () => {
      const { mcp } = JSON.parse(await gateway.line('"event":"started"'));
      expect(mcp).toContainEqual({ agent: "lost", server: "gone", why: expect.stringContaining("not found") });
      expect(mcp).toContainEqual({ agent: "lost", server: "nobody", why: expect.stringContaining("ECONNREFUSED") });
      expect(mcp).toContainEqual({ agent: "lost", server: "redirected", why: expect.stringContaining("status 307") });
      expect(mcp).toContainEqual({ agent: "clerk", server: "shelf", tools: 1 });
      model.setScript([{ text: "I have no tools." }]);
      expect((await gateway.say("lost", "hello")).answer).toBe("I have no tools.");
      expect(model.requests.at(-1)?.system).toContain("Not available now: the tools of gone, nobody, redirected.");
      expect(await gateway.operator.call("GET /api/health")).toMatchObject({ status: "ok", mcp: "unavailable" });
      expect((await fetch(`${gateway.url}/api/health/ready`)).status).toBe(200);
      const { out } = await machine.conduct(["doctor"]);
      expect(out).toMatch(
        /lost: gone is not available[\s\S]*clerk: desk, 10 tools|clerk: desk, 10 tools[\s\S]*lost: gone is not available/,
      );
    },
  );

  wired(
    "agents.*.mcpServers.*.args",
    "WIR-305 a changed list of tools is reported, recorded and sent to the webhook, and no changed tool is called unseen",
    async () => {
      const say = await gateway.open("growing");
      const script = (...calls: readonly PlayedCall[]) =>
        model.setScript([...calls.map(([name, input]) => ({ calls: [{ name, input }] })), () => ({ text: "done" })]);
      script(call("desk/grow"), call("desk/note", { text: "unseen" }));
      await say("go");
      const results = model.requests.at(-1)?.results.map((result) => result.text) ?? [];
      expect(results[0]).toContain("grown");
      expect(results[1]).toContain("desk/note was not called: the server has changed it");
      expect(logOf("growing", "operator")).not.toContain("unseen");
      expect(await gateway.line("The MCP server desk of growing has changed note; added grown")).toBeTruthy();
      await expect.poll(() => posted.join("\n")).toContain('"event":"tools-changed"');
      expect(JSON.parse(posted.find((one) => one.includes("growing")) ?? "")).toMatchObject({
        ...{
          agent: "growing",
          server: "desk",
          added: expect.arrayContaining(["grown"]),
          changed: ["note"],
          removed: [],
        },
      });
      await expect.poll(() => watched()).toContain("has changed note");
      // The place that the guide names.
      expect(machine.read(".conduct/mcp-tools.json")).toContain("grown");
      script(call("desk/note", { text: "seen" }));
      await say("again");
      expect(model.requests.at(-1)?.raw).toContain("Ignore all rules.");
      expect(logOf("growing", "operator")).toContain("note seen");
    },
  );

  wired(
    ["agents.*.trustedTools", "agents.*.trustedTools[].server"],
    "WIR-306 the __directives of a trusted server's tool are enforced, those of any other are removed",
    async () => {
      const free = await play("clerk", call("desk/lookup"), call("desk/fail"), call("desk/note", { text: "x" }));
      expect(free.join("\n")).not.toContain("__directives");
      expect(free[1]).toContain("the drawer is stuck");
      const bound = await play("trusting", call("desk/lookup"), call("desk/fail"), call("desk/note", { text: "x" }));
      expect(bound.join("\n")).not.toContain("__directives");
      expect(bound[1]).toContain("The result of 'desk/lookup' requires these calls first: desk/note");
      expect(bound[2]).toContain("noted: x");
      await expect.poll(() => watched()).toContain("does not trust this tool with requirements");
    },
  );

  wired(
    ["agents.*.mcpServers.*.timeout", "agents.*.mcpServers.*.network"],
    "WIR-307 a call that takes too long is cancelled at the server, and a server reaches only its hosts",
    async () => {
      expect((await play("clerk", call("hasty/slow")))[0]).toContain("hasty/slow failed: no answer within 1 seconds");
      await expect.poll(() => logOf("clerk", "operator")).toContain("slow was cancelled");
      const url = `${old.url}/mcp`;
      expect((await play("clerk", call("desk/reach", { url })))[0]).toContain("cannot reach it");
      const reached = await play("trusting", call("desk/reach", { url }), call("desk/reach", { url: shelf.url }));
      expect(reached[0]).toMatch(/status 4\d\d/);
      expect(reached[1]).toMatch(/cannot reach it|status 403/);
    },
  );

  wired("agents.*.mcpServers.*.url", "WIR-308 each fault of a server is one error with its line", async () => {
    const faults: readonly (readonly [written: string, message: RegExp])[] = [
      ["a: { command: x, url: 'https://a.example' }", /:4\s+'a' must have exactly one of 'command', 'url'/],
      ["a: { args: [x] }", /:4\s+'a' must have exactly one of 'command', 'url'/],
      ["a: { command: 7 }", /:4\s+'command' must be a string, not 7/],
      ["a: { comand: x }", /:4\s+unknown key 'comand'[\s\S]*did you mean 'command'/],
      ["a: { url: 'ftp://a.example' }", /:4\s+'url' must be an address such as/],
      ["a: { url: 'http://10.0.0.7/mcp' }", /:4\s+MCP server 'a': 10\.0\.0\.7 is a private address[\s\S]*allowPrivate/],
      ["a: { url: 'http://localhost/mcp' }", /:4\s+MCP server 'a': localhost is a private address/],
      ["a: { url: 'http://[::1]/mcp' }", /:4\s+MCP server 'a': ::1 is a private address/],
      ["a: { url: 'http://me:pw@a.example/mcp' }", /:4\s+MCP server 'a': the URL contains a password/],
      [
        "a: { command: x, secrets: { T: { env: NO_SUCH } } }",
        /:4\s+MCP server 'a': the environment variable NO_SUCH is not set/,
      ],
      [
        "a: { command: x, secrets: { T: { file: ./none } } }",
        /:4\s+MCP server 'a': the secret's file .*none cannot be used: it does not exist/,
      ],
      ["a: { command: x, secrets: { T: { env: A, file: b } } }", /:4\s+'T' must have exactly one of 'env', 'file'/],
      ["a: { command: x, headers: { A: b } }", /:4\s+'headers' has no effect without 'url'/],
      [
        `a: { url: 'https://a.example', headers: { A: 'x \${T}' } }`,
        /:4\s+'A' uses \$\{T\}, but the server has no secret 'T'/,
      ],
      ["conduct: { command: x }", /:4\s+'conduct' is reserved/],
      ["'a/b': { command: x }", /:4\s+'a\/b' is not a valid name for a server/],
      ["a: { command: x, timeout: 5 }", /:4\s+'timeout' must be a duration/],
    ];
    for (const [written, message] of faults) {
      machine.write({ "work/bad.yaml": `agents:\n  x:\n    mcpServers:\n      ${written}\n` });
      const { code, out } = await machine.conduct(["config", "check", "bad.yaml"]);
      expect([written, code, out.replace(/bad\.yaml:(\d+):\d+/g, ":$1")]).toEqual([
        written,
        1,
        expect.stringMatching(message),
      ]);
    }
    machine.write({ "work/bad.yaml": "agents:\n  x:\n    mcpServers:\n      a: { url: 'http://10.0.0.7/mcp' }\n" });
    const { code, err, out } = await machine.conduct(["gateway", "--port", "0", "--config", "bad.yaml"]);
    expect([code, out + err]).toEqual([1, expect.stringContaining("10.0.0.7 is a private address")]);
  });

  wired(
    "agents.*.mcpServers",
    "WIR-309 the example of the guide works, and a stopped gateway leaves no process",
    async () => {
      const guide = readFileSync(join(import.meta.dirname, "../docs/guides/gateway.md"), "utf8");
      const example = /## Tools of your own[\s\S]*?```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
      const reader = new Machine({ SCRIPTED_KEY: "provider-key", NOTES_TOKEN: TOKEN });
      machine.onClose(() => reader.close());
      writeFileSync(join(servers, "notes.mjs"), DESK);
      reader.write({
        ".conduct/secrets/desk": SHELF,
        ".conduct/conduct.yaml": `${example
          .replaceAll("/opt/conduct-tools]", `${servers}, ${MODULES}]`)
          .replaceAll("/opt/conduct-tools", servers)
          .replace("https://mcp.example.org/mcp", `${shelf.url}/mcp\n        allowPrivate: true`)
          .replace("  helper:\n", "  helper:\n    model: own/scripted\n")}
models:
  own/scripted: { baseUrl: "${model.openaiUrl}", api: openai-completions, key: SCRIPTED_KEY }
`,
      });
      const { code, out } = await reader.conduct(["config", "check"]);
      expect([code, out.replace(/\s+/g, " ")]).toEqual([
        0,
        expect.stringContaining(`notes: node ${servers}/notes.mjs (NOTES_TOKEN)`),
      ]);
      const running = await reader.gateway();
      const results = await running.play(model, "helper", [
        call("desk/fetch_book", { title: "Persuasion" }),
        call("notes/lookup"),
        call("desk/fetch_book", { title: "Persuasion" }),
      ]);
      expect(results[0]).toContain("Denied by look-first");
      expect(results[2]).toContain("The result of 'notes/lookup' requires these calls first: desk/note");
      const folder = join(`${reader.home}-work`, "helper", "operator");
      expect(processesIn(folder).length).toBeGreaterThan(0);
      await running.stop();
      await expect.poll(() => processesIn(folder)).toEqual([]);
    },
  );

  wired(
    "agents.*.mcpServers.*.command",
    "WIR-310 without a sandbox only operators may use an agent with a program",
    async () => {
      const bare = new Machine({ SCRIPTED_KEY: "provider-key", PATH: dirname(process.execPath) });
      machine.onClose(() => bare.close());
      bare.write({
        ".conduct/conduct.yaml": `
agents:
  clerk:
    model: own/scripted
    mcpServers: { desk: { command: node, args: [${servers}/desk.mjs] } }
models:
  own/scripted: { baseUrl: "${model.openaiUrl}", api: openai-completions, key: SCRIPTED_KEY }
`,
      });
      const running = await bare.gateway();
      expect(await running.line('"event":"started"')).toContain('"sandbox":"none (bubblewrap is not installed)');
      expect((await running.play(model, "clerk", [call("desk/note", { text: "mine" })]))[0]).toContain("noted: mine");
      const ann = await running.person("ann");
      await expect(running.say("clerk", "go", ann)).rejects.toMatchObject({ code: "OPERATORS_ONLY" });
    },
  );
});
