import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Attack } from "../attack.ts";
import { PROGRAM } from "../program.ts";
import type { AttackWorld } from "../world.ts";

const PUSH = "git push --force origin main";
const LIMIT_MS = 90_000;

/** An agent that asks its editor for permission to force-push, and ends its turn after any answer. */
const AGENT = `
const say = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
let turn;
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "initialize") say({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  else if (method === "session/new") say({ id, result: { sessionId: "s" } });
  else if (method === "session/prompt") {
    turn = id;
    const toolCall = { toolCallId: "t", title: "push", kind: "execute", rawInput: { command: ${JSON.stringify(PUSH)} } };
    const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }, { optionId: "n", name: "No", kind: "reject_once" }];
    say({ id: "ask", method: "session/request_permission", params: { sessionId: "s", toolCall, options } });
  } else if (id === "ask") say({ id: turn, result: { stopReason: "end_turn" } });
});`;

/** A server with one tool, which reports that it ran. */
const SERVER = `
const say = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const serverInfo = { name: "stub", version: "1" };
  if (method === "initialize") say({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } });
  else if (method === "tools/list") say({ id, result: { tools: [{ name: "push", inputSchema: { type: "object" } }] } });
  else if (method === "tools/call") say({ id, result: { content: [{ type: "text", text: "it ran" }] } });
});`;

type Message = { readonly id?: unknown; readonly method?: string; readonly result?: unknown; readonly error?: unknown };
type Heard = (message: Message, say: (message: object) => void) => "over" | undefined;

/** Talks JSON-RPC to `conduct WORDS`, line by line, until `hear` ends it or the program exits. */
async function talk(world: AttackWorld, words: readonly string[], first: object, hear: Heard): Promise<boolean> {
  const child = spawn(process.execPath, [PROGRAM, ...words], { cwd: world.user, env: world.env });
  world.onClose(() => child.kill("SIGKILL"));
  child.stdin.on("error", () => undefined);
  const late = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  const say = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  say(first);
  for await (const line of createInterface({ input: child.stdout })) {
    if (hear(JSON.parse(line), say) !== "over") continue;
    clearTimeout(late);
    child.stdin.end();
    return true;
  }
  clearTimeout(late);
  return false;
}

/** Acts as an editor. `reached`: the person was asked about the push; otherwise it was denied before. */
async function pushOverAcp(world: AttackWorld): Promise<"reached" | "refused" | "not answered"> {
  let reached = false;
  const first = { id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } };
  const over = await talk(world, ["acp", "--", process.execPath, "-e", AGENT], first, ({ id, method }, say) => {
    if (method === "session/request_permission") {
      reached = true;
      say({ id, result: { outcome: { outcome: "selected", optionId: "n" } } });
    } else if (id === 1) say({ id: 2, method: "session/new", params: { cwd: world.user, mcpServers: [] } });
    else if (id === 2)
      say({ id: 3, method: "session/prompt", params: { sessionId: "s", prompt: [{ type: "text", text: "go" }] } });
    else if (id === 3) return "over";
    return undefined;
  });
  if (!over) return "not answered";
  return reached ? "reached" : "refused";
}

async function pushOverMcp(world: AttackWorld): Promise<"ran" | "refused" | "not answered"> {
  let answer = "";
  const clientInfo = { name: "attack", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const words = ["mcp", "proxy", "--name", "stub", "--wait", "0s", "--", process.execPath, "-e", SERVER];
  const over = await talk(world, words, { id: 1, method: "initialize", params }, ({ id, result }, say) => {
    if (id === 1) {
      say({ method: "notifications/initialized" });
      say({ id: 2, method: "tools/call", params: { name: "push", arguments: {} } });
    } else if (id === 2) {
      answer = JSON.stringify(result);
      return "over";
    }
    return undefined;
  });
  if (!over) return "not answered";
  return answer.includes("it ran") ? "ran" : "refused";
}

/** `conduct acp` and `conduct mcp` without a configuration and without a daemon. */
export const attack: Attack = {
  id: "06-acp-mcp-unbound",
  title: "ACP and MCP run without the rules that init promises",
  cases: [
    {
      name: "Push with force over ACP in a fresh home, after doctor, and after the daemon was stopped",
      async run(world) {
        const ends = [await pushOverAcp(world)];
        await world.conduct(["doctor", "acp"]);
        ends.push(await pushOverAcp(world));
        await world.conduct(["daemon", "stop"]);
        ends.push(await pushOverAcp(world));
        await world.conduct(["daemon", "stop"]);
        return outcome(ends, "The push");
      },
    },
    {
      name: "Push with force over ACP where no daemon can be started",
      async run(world) {
        writeFileSync(join(world.home, "run"), "");
        return outcome([await pushOverAcp(world)], "The push");
      },
    },
    {
      name: "Call a tool over MCP that the agent of runtimes.json may not call, with and without a daemon",
      async run(world) {
        const rule = `{ id: no-push, on: "stub/push", say: "Not here." }`;
        writeFileSync(join(world.home, "conduct.yaml"), `agents: { default: {}, strict: { rules: [${rule}] } }\n`);
        const settings = { agent: "strict", enforcement: "enforce", operator: false, since: "" };
        writeFileSync(join(world.home, "runtimes.json"), JSON.stringify({ mcp: settings }), { mode: 0o600 });
        const ends = [await pushOverMcp(world)];
        await world.conduct(["daemon", "stop"]);
        ends.push(await pushOverMcp(world));
        await world.conduct(["daemon", "stop"]);
        return outcome(ends, "The call");
      },
    },
  ],
};

function outcome(ends: readonly string[], what: string) {
  const held = ends.filter((end) => end === "refused").length;
  return { tried: ends.length, held, note: `${what} was ${[...new Set(ends)].join(" and ")}.` };
}
