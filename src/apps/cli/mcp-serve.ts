import { randomBytes, randomUUID } from "node:crypto";
import { ownTools } from "../../edge/adapters/mcp/own-tools.ts";
import { isLoopback } from "../../edge/adapters/shared/mcp/http-guard.ts";
import { serveStreams, toolServer } from "../../edge/adapters/shared/mcp/tool-server.ts";
import { interrupted, type McpRun, textOf, wrong } from "./mcp-run.ts";
import type { Outcome } from "./outcome.ts";
import { version } from "./version.ts";

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
  const { serveHttp } = await import("../../edge/adapters/shared/mcp/serve-http.ts");
  const serving = await serveHttp({ host, port, token, log, serve: () => serve(run) });
  log(`serving Conduct's tools at ${serving.url} (${run.opened.bound})`);
  if (given === undefined) log(`for this run only: Authorization: Bearer ${token}`);
  const { over, forget } = interrupted();
  await over;
  forget();
  await serving.close();
  return DONE;
}
