import { randomBytes, randomUUID } from "node:crypto";
import { parseDuration } from "../../../../base/kernel/duration.ts";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { ownTools } from "../../../../edge/adapters/mcp/own-tools.ts";
import { runProxy } from "../../../../edge/adapters/mcp/proxy.ts";
import { cleanName, serverName } from "../../../../edge/adapters/mcp/tool-map.ts";
import { isLoopback } from "../../../../edge/adapters/shared/mcp/http-guard.ts";
import { type Pipe, startServer, streamPipe } from "../../../../edge/adapters/shared/mcp/pipe.ts";
import { serveStreams, toolServer } from "../../../../edge/adapters/shared/mcp/tool-server.ts";
import { OWN_SERVER } from "../../../../edge/adapters/shared/own-tools.ts";
import { conductVersion } from "../../../../edge/host/node/package-files.ts";
import type { McpArgs } from "../../declared/setup-commands.ts";
import { badArgument, done, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { interrupted, type McpRun, mcpHost } from "./mcp-host.ts";

type Target = { readonly url: URL } | { readonly command: readonly string[] };

/** Proxies between the client on stdio and a server, until one of them ends. */
export async function runMcpProxy(run: McpRun, command: readonly string[]): Promise<Outcome> {
  const { args, opened, waitMs, cwd, log } = run;
  const address = args.url;
  if (address !== undefined && !/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : "")) {
    return badArgument(
      `--url takes an http address, not '${address}'`,
      "conduct mcp proxy --url https://example.com/mcp",
    );
  }
  const target: Target = address === undefined ? { command } : { url: new URL(address) };
  const server = args.name ?? serverName(target);
  if (server === "" || server === OWN_SERVER || server !== cleanName(server)) {
    return badArgument(
      `'${server}' cannot be a server's name in rules: use letters, digits, . _ -, and not ${OWN_SERVER}`,
      "--name files",
    );
  }
  const session = await opened.host.open({ runtime: "mcp", id: `mcp-${randomUUID()}`, cwd });
  const started = await startTarget(target, run).catch((error: unknown) => ({ failed: errorText(error) }));
  if ("failed" in started) return { ...NOT_STARTED, message: started.failed };
  log(`rules call its tools ${server}/… (${opened.bound})`);
  const ended = await runProxy(stdioClient(interrupted()), started, {
    server,
    session,
    waitMs,
    log,
    newId: () => `c_${randomUUID()}`,
    now: Date.now,
  });
  session.notice({ kind: "ended" });
  if (ended.by === "client") return done({}, "");
  const exitCode = ended.code === undefined || ended.code === 0 ? 1 : ended.code;
  return { ...NOT_STARTED, code: "SERVER_ENDED", message: `the server exited: ${ended.why}`, exitCode };
}

const NOT_STARTED = {
  ok: false,
  code: "SERVER_NOT_STARTED",
  fix: "run the server's command by itself to see why",
  next: [],
} as const;

async function startTarget(target: Target, { args, env, cwd }: McpRun): Promise<Pipe> {
  if ("command" in target) return startServer(target.command, env, cwd);
  const variable = args["token-env"];
  const token = variable === undefined ? undefined : env[variable] || undefined;
  if (variable !== undefined && token === undefined)
    throw new Error(`the variable ${variable}, named by --token-env, is not set`);
  const { connectServer } = await import("../../../../edge/adapters/mcp/server-url.ts");
  return connectServer(target.url, token === undefined ? {} : { authorization: `Bearer ${token}` });
}

/** The client that started this process. A signal ends it like the end of its input. */
export function stdioClient(over: Promise<void>): Pipe {
  const { stdin, stdout } = process;
  const pipe = streamPipe(stdin, stdout, async () => void stdin.destroy());
  return {
    ...pipe,
    listen(listener) {
      pipe.listen(listener);
      void over.then(() => listener.end({ why: "it was interrupted" }));
    },
  };
}

const DONE: Outcome = done({}, "");

/** Serves Conduct's own tools over stdio or HTTP. */
export async function runMcpServer(run: McpRun): Promise<Outcome> {
  const { args, opened, log } = run;
  if (args.http === true) return serveOverHttp(run);
  const { server, end } = serve(run);
  log(`serving Conduct's tools over stdio (${opened.bound})`);
  await Promise.race([serveStreams(server, process.stdin, process.stdout), interrupted()]);
  await end();
  process.stdin.destroy();
  return DONE;
}

/** Each client gets its own session. */
function serve({ opened, waitMs, cwd }: McpRun) {
  const id = `mcp-${randomUUID()}`;
  const open = () => opened.host.open({ runtime: "mcp", id, cwd });
  const tools = ownTools({ open, newId: () => `c_${randomUUID()}`, now: Date.now, waitMs });
  return { server: toolServer(tools, conductVersion()), end: tools.end };
}

async function serveOverHttp(run: McpRun): Promise<Outcome> {
  const { args, env, log } = run;
  const host = args.host ?? "127.0.0.1";
  const port = Number(args.port ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    return badArgument(`--port takes a number up to 65535, not '${args.port}'`, "conduct mcp --http --port 8848");
  }
  const given = env.CONDUCT_MCP_TOKEN || undefined;
  if (given !== undefined && given.length < 16) {
    return badArgument(
      "CONDUCT_MCP_TOKEN has fewer than 16 characters",
      "set it to the output of: openssl rand -hex 32",
    );
  }
  if (given === undefined && !isLoopback(host)) {
    const message = `other machines can reach ${host}: set a token in CONDUCT_MCP_TOKEN`;
    return badArgument(message, `CONDUCT_MCP_TOKEN=$(openssl rand -hex 32) conduct mcp --http --host ${host}`);
  }
  const token = given ?? randomBytes(32).toString("hex");
  const { serveHttp } = await import("../../../../edge/adapters/shared/mcp/serve-http.ts");
  const serving = await serveHttp({ host, port, token, log, serve: () => serve(run) });
  log(`serving Conduct's tools at ${serving.url} (${run.opened.bound})`);
  if (given === undefined) log(`for this run only: Authorization: Bearer ${token}`);
  await interrupted();
  await serving.close();
  return DONE;
}

/** By default clients time out after 60 seconds, so answer before that. */
const WAIT = "50s";

/** `conduct mcp [proxy …]`. Only the protocol is written to stdout. */
export async function mcp(args: McpArgs, terminal: Terminal): Promise<Outcome> {
  const [command = "serve", ...words] = args.words;
  const waitMs = parseDuration(args.wait ?? WAIT);
  const refused = wrongArgument(command, words, args, waitMs);
  if (refused !== undefined) return refused;
  const { env } = process;
  const opened = await mcpHost({ runtime: "mcp", agent: args.agent, user: args.user }, terminal, env);
  if ("outcome" in opened) return opened.outcome;
  const log = (line: string) => terminal.error(`conduct mcp: ${line}\n`);
  const run: McpRun = { args, opened, waitMs: waitMs ?? 0, cwd: terminal.cwd, env, log };
  try {
    return command === "serve" ? await runMcpServer(run) : await runMcpProxy(run, words);
  } finally {
    await opened.close();
  }
}

const FOR_PROXY = ["name", "url", "token-env"] as const;
const FOR_SERVER = ["http", "port", "host"] as const;
const HELP = "conduct mcp --help";

function wrongArgument(
  command: string,
  words: readonly string[],
  args: McpArgs,
  waitMs: number | undefined,
): Outcome | undefined {
  const given = (names: readonly (keyof McpArgs)[]) =>
    names.find((name) => args[name] !== undefined && args[name] !== false);
  if (command !== "serve" && command !== "proxy") {
    return badArgument(`'conduct mcp' has no command '${command}'; use serve or proxy`, "conduct mcp proxy -- COMMAND");
  }
  if (args.json === true) return badArgument("--json is not possible here: stdout carries the protocol", HELP);
  if (waitMs === undefined) return badArgument(`--wait takes a duration such as 45s, not '${args.wait}'`, HELP);
  const strange = given(command === "proxy" ? FOR_SERVER : FOR_PROXY);
  if (strange !== undefined) {
    return badArgument(`--${strange} is not for 'conduct mcp ${command}'`, HELP);
  }
  if (command === "serve") {
    const [word] = words;
    if (word !== undefined) return badArgument(`'conduct mcp serve' takes no further argument: '${word}'`, HELP);
    const alone = args.http === true ? undefined : given(["port", "host"]);
    return alone === undefined ? undefined : badArgument(`--${alone} is for --http`, `conduct mcp --http --${alone} …`);
  }
  const both = words.length > 0 && args.url !== undefined;
  if (both || (words.length === 0 && args.url === undefined)) {
    const message = both
      ? "a server is a command or a --url, not both"
      : "no server given: add its command after --, or --url";
    return badArgument(message, "conduct mcp proxy --name files -- npx -y @modelcontextprotocol/server-filesystem .");
  }
  return undefined;
}
