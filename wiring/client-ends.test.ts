import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, onTestFinished } from "vitest";
import { Machine, PROGRAM } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine();
const CONFIG = `
agents:
  clerk: { rules: [{ id: no-media, on: kinds/media, say: No media here. }] }
  porter: {}
`;

beforeAll(() => {
  machine.write({ ".conduct/conduct.yaml": CONFIG });
  machine.onClose(() => machine.conduct(["daemon", "stop"]));
});
afterAll(() => machine.close());

/** A server or an agent: answers every request, and exits with the code that a request names. */
const OTHER = `
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, params } = JSON.parse(line);
  if (params?.exit !== undefined) process.exit(params.exit);
  const result = { content: [{ type: "text", text: "a pixel" }], tools: [], protocolVersion: 1 };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
});`;
const BEHIND = ["--", process.execPath, "-e", OTHER];

/** Starts a command that serves a client on stdio. */
function start(words: readonly string[], { on = machine, env = {} } = {}) {
  const child = spawn(process.execPath, [PROGRAM, ...words], { cwd: on.work, env: { ...on.env, ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close") as Promise<[number | null]>;
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    said.out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    said.err += chunk.toString();
  });
  let id = 0;
  return {
    child,
    ended,
    said,
    send(method: string, params: object = {}): void {
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params })}\n`);
    },
    /** The answer to a request. */
    async ask(method: string, params: object = {}): Promise<string> {
      this.send(method, params);
      const mine = id;
      const answer = () =>
        said.out.split("\n").find((line) => line.includes(`"id":${mine},`) || line.endsWith(`"id":${mine}}`));
      await expect.poll(answer).toBeDefined();
      return answer() ?? "";
    },
  };
}
type Started = ReturnType<typeof start>;

const INIT = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
const PROXY = ["mcp", "proxy", "--agent", "clerk", "--name", "kinds", ...BEHIND];
const SERVE = ["mcp", "--agent", "clerk"];
const ACP = ["acp", "--agent", "clerk", ...BEHIND];
const exits = (code: number) => (one: Started) => one.send("initialize", { ...INIT, exit: code });
const closes = (one: Started) => void one.child.stdin.end();
const gets = (signal: "SIGINT" | "SIGTERM") => (one: Started) => void one.child.kill(signal);

describe("the end of a program that serves a client", () => {
  for (const [command, what, words, end, code] of [
    ["mcp proxy", "its server exits with 3", PROXY, exits(3), 3],
    ["mcp proxy", "its server exits with 0, which a client did not ask for", PROXY, exits(0), 1],
    ["mcp proxy", "its client closes", PROXY, closes, 0],
    ["mcp proxy", "SIGTERM", PROXY, gets("SIGTERM"), 0],
    ["mcp proxy", "SIGINT", PROXY, gets("SIGINT"), 0],
    ["mcp", "its client closes", SERVE, closes, 0],
    ["mcp", "SIGTERM", SERVE, gets("SIGTERM"), 0],
    ["acp", "its agent exits with 3", ACP, exits(3), 3],
    ["acp", "its agent exits with 0", ACP, exits(0), 0],
    ["acp", "its client closes", ACP, closes, 0],
    ["acp", "SIGTERM", ACP, gets("SIGTERM"), 0],
  ] as const)
    wired([], `WIR-840 conduct ${command} exits with ${code} after: ${what}`, async () => {
      const one = start(words);
      await one.ask("initialize", INIT);
      end(one);
      expect((await one.ended)[0], one.said.err).toBe(code);
      if (code !== 0) expect(one.said.err).toMatch(/SERVER_ENDED|AGENT_ENDED/);
    });

  wired([], "WIR-841 the session of an MCP client ends with the client", async () => {
    await machine.conduct(["behavior", "add", "STOP: long reports"]);
    const rows = () => {
      const file = new DatabaseSync(join(machine.home, "conduct.db"), { readOnly: true });
      const all = file.prepare("select session as id from conduct_kept_sessions where session like 'mcp-%'").all();
      file.close();
      return all;
    };
    for (const words of [PROXY, SERVE]) {
      const before = rows().map(({ id }) => id);
      const one = start(words);
      await one.ask("initialize", INIT);
      await one.ask("tools/list");
      await one.ask("tools/call", { name: "initial_instructions", arguments: {} });
      const [id] = rows().flatMap((row) => (before.includes(row.id) ? [] : [String(row.id)]));
      const tag = async () => (await machine.atTerminal(["tag", id ?? "none", "night"])).code;
      expect(await tag(), one.said.err).toBe(0);
      one.child.stdin.end();
      await one.ended;
      expect(await tag()).not.toBe(0);
    }
  });

  wired(
    "conduct mcp --http",
    "WIR-842 a token is made and printed if none is set, and SIGTERM ends the server",
    async () => {
      const one = start([...SERVE, "--http"]);
      await expect.poll(() => one.said.err).toContain("Authorization: Bearer");
      const [, url = "", token = ""] = /at (http:\S+) [\s\S]*Bearer (\w+)/.exec(one.said.err) ?? [];
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: INIT });
      const ask = async (given: string) =>
        (await fetch(url, { method: "POST", headers: { ...headers, authorization: `Bearer ${given}` }, body })).status;
      expect([await ask(token), await ask("another-token-altogether")]).toEqual([200, 401]);
      one.child.kill("SIGTERM");
      expect((await one.ended)[0]).toBe(0);
      const given = start([...SERVE, "--http"], { env: { CONDUCT_MCP_TOKEN: "a-token-for-the-mcp-server" } });
      await expect.poll(() => given.said.err).toContain("serving Conduct's tools at");
      given.child.kill("SIGTERM");
      await given.ended;
      expect(given.said.err).not.toContain("Bearer");
    },
  );

  wired(
    ["conduct mcp --agent", "conduct mcp --url", "conduct mcp --port"],
    "WIR-843 an agent, an address or a port that cannot be used ends the start with its name",
    async () => {
      const failed = async (...words: readonly string[]) => {
        const { code, err } = await machine.conduct(["mcp", ...words]);
        return [code, err];
      };
      expect(await failed("--agent", "nobody")).toEqual([1, expect.stringContaining("AGENT_UNKNOWN")]);
      for (const url of ["ftp://x", "nowhere"])
        expect(await failed("proxy", "--agent", "clerk", "--url", url)).toEqual([2, expect.stringContaining(url)]);
      expect(await failed("--agent", "clerk", "--http", "--port", "66000")).toEqual([
        2,
        expect.stringContaining("66000"),
      ]);
    },
  );
});

describe("without a daemon", () => {
  wired(
    [],
    "WIR-844 a guarded server's calls are decided in the command's own process, which exits with its client",
    async () => {
      const alone = new Machine();
      onTestFinished(() => alone.close());
      // The daemon cannot have its folder.
      alone.write({ ".conduct/conduct.yaml": CONFIG, ".conduct/run": "a file" });
      const call = async (one: Started) => one.ask("tools/call", { name: "media", arguments: {} });
      for (const words of [PROXY, ACP]) {
        const one = start(words, { on: alone });
        await one.ask("initialize", INIT);
        expect(one.said.err).toContain("decided in this process");
        if (words === PROXY) expect(await call(one)).toContain("No media here.");
        else await one.ask("session/new", { cwd: alone.work, mcpServers: [] });
        one.child.stdin.end();
        expect((await one.ended)[0], one.said.err).toBe(0);
      }
      // A runtime that is only watched goes on when the file breaks.
      expect((await alone.atTerminal(["init", "mcp", "--agent", "clerk", "--yes"])).code).toBe(0);
      const { code, shown } = await alone.atTerminal(["enforce", "mcp", "--shadow", "--yes"]);
      expect(code, shown).toBe(0);
      const one = start(PROXY, { on: alone });
      await one.ask("initialize", INIT);
      alone.write({ ".conduct/conduct.yaml": "agents: [" });
      expect(await call(one)).toContain("a pixel");
    },
  );
});
