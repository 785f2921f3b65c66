import { randomBytes, randomUUID } from "node:crypto";
import { parseDuration } from "../../../../base/kernel/duration.ts";
import { isLoopback } from "../../../../edge/adapters/mcp/http-guard.ts";
import { ownTools } from "../../../../edge/adapters/mcp/own-tools.ts";
import { serveStreams, toolServer } from "../../../../edge/adapters/mcp/tool-server.ts";
import type { Arguments, CommandBody } from "../../line/command.ts";
import type { Outcome } from "../../line/outcome.ts";
import { version } from "../../line/version.ts";
import { type McpWho, mcpHost } from "./host.ts";
import { runMcpProxy } from "./proxy.ts";
import { interrupted, type McpRun, textOf, wrong } from "./run.ts";

const DONE: Outcome = { ok: true, result: {}, text: "", next: [] };

/** Conduct's own tools, over stdin and stdout or over HTTP. */
export async function runMcpServer(run: McpRun): Promise<Outcome> {
  const { args, opened, log } = run;
  if (args.http === true) return serveOverHttp(run);
  const { server, end } = serve(run);
  log(`serving Conduct's tools over stdio (${opened.bound})`);
  const { over, forget } = interrupted();
  await Promise.race([serveStreams(server, process.stdin, process.stdout), over]);
  forget();
  await end();
  process.stdin.destroy();
  return DONE;
}

/** One client: a session of its own. */
function serve({ opened, waitMs, cwd }: McpRun) {
  const id = `mcp-${randomUUID()}`;
  const open = () => opened.host.open({ runtime: "mcp", id, cwd, interactive: true });
  const tools = ownTools({ open, newId: () => `c_${randomUUID()}`, now: Date.now, waitMs });
  return { server: toolServer(tools, version()), end: tools.end };
}

async function serveOverHttp(run: McpRun): Promise<Outcome> {
  const { args, env, log } = run;
  const host = textOf(args.host) ?? "127.0.0.1";
  const port = Number(textOf(args.port) ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    return wrong(`--port is a number up to 65535, and not '${args.port}'`, "conduct mcp --http --port 8848");
  }
  const given = textOf(env.CONDUCT_MCP_TOKEN);
  if (given !== undefined && given.length < 16) {
    return wrong("CONDUCT_MCP_TOKEN has fewer than 16 characters", "set it to the output of: openssl rand -hex 32");
  }
  if (given === undefined && !isLoopback(host)) {
    const message = `others could reach ${host}: a token that they do not have is needed in CONDUCT_MCP_TOKEN`;
    return wrong(message, `CONDUCT_MCP_TOKEN=$(openssl rand -hex 32) conduct mcp --http --host ${host}`);
  }
  const token = given ?? randomBytes(32).toString("hex");
  const { serveHttp } = await import("../../../../edge/adapters/mcp/serve-http.ts");
  const serving = await serveHttp({ host, port, token, log, serve: () => serve(run) });
  log(`serving Conduct's tools at ${serving.url} (${run.opened.bound})`);
  if (given === undefined) log(`for this run only: Authorization: Bearer ${token}`);
  const { over, forget } = interrupted();
  await over;
  forget();
  await serving.close();
  return DONE;
}

/** Clients give a request 60 seconds unless they are told otherwise: an answer that comes later is none. */
const WAIT = "50s";

/** `conduct mcp [proxy …]`. Nothing but the protocol is written to stdout. */
export const mcp: CommandBody = async (args, terminal) => {
  const [command = "serve", ...words] = wordsOf(args);
  const waitMs = parseDuration(textOf(args.wait) ?? WAIT);
  const wrong = wrongArgument(command, words, args, waitMs);
  if (wrong !== undefined) return wrong;
  const { env } = process;
  const opened = await mcpHost(whoOf(args), terminal, env);
  if ("outcome" in opened) return opened.outcome;
  const log = (line: string) => terminal.error(`conduct mcp: ${line}\n`);
  const run: McpRun = { args, opened, waitMs: waitMs ?? 0, cwd: terminal.cwd, env, log };
  try {
    return command === "serve" ? await runMcpServer(run) : await runMcpProxy(run, words);
  } finally {
    await opened.close();
  }
};

/** The positional has a default, so that it need not be given: that one is no word. */
function wordsOf(args: Arguments): readonly string[] {
  return Array.isArray(args._) ? args._.map(String) : [];
}

function whoOf(args: Arguments): McpWho {
  const [agent, user] = [textOf(args.agent), textOf(args.user)];
  return { runtime: "mcp", agent, user };
}

const FOR_PROXY = ["name", "url", "token-env"];
const FOR_SERVER = ["http", "port", "host"];
const HELP = "conduct mcp --help";

function wrongArgument(
  command: string,
  words: readonly string[],
  args: Arguments,
  waitMs: number | undefined,
): Outcome | undefined {
  const given = (names: readonly string[]) => names.find((name) => args[name] !== undefined && args[name] !== false);
  if (command !== "serve" && command !== "proxy") {
    return wrong(
      `'conduct mcp' has no command '${command}': there are serve and proxy`,
      "conduct mcp proxy -- COMMAND",
    );
  }
  if (args.json === true) return wrong("--json has no place here: stdout is the protocol's", HELP);
  if (waitMs === undefined) return wrong(`--wait is a time such as 45s, and not '${args.wait}'`, HELP);
  const strange = given(command === "proxy" ? FOR_SERVER : FOR_PROXY);
  if (strange !== undefined) {
    return wrong(`--${strange} is not for 'conduct mcp ${command}'`, HELP);
  }
  if (command === "serve") {
    const [word] = words;
    if (word !== undefined) return wrong(`'conduct mcp serve' takes no further word: '${word}'`, HELP);
    const alone = args.http === true ? undefined : given(["port", "host"]);
    return alone === undefined ? undefined : wrong(`--${alone} is for --http`, `conduct mcp --http --${alone} …`);
  }
  const both = words.length > 0 && args.url !== undefined;
  if (both || (words.length === 0 && args.url === undefined)) {
    const message = both
      ? "a server is a command or a --url, not both"
      : "which server? Give its command after --, or --url";
    return wrong(message, "conduct mcp proxy --name files -- npx -y @modelcontextprotocol/server-filesystem .");
  }
  return undefined;
}
