import { randomUUID } from "node:crypto";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { cleanName, serverName } from "../../../../edge/adapters/mcp/proxied-calls.ts";
import { runProxy } from "../../../../edge/adapters/mcp/proxy.ts";
import { type Pipe, startServer, streamPipe } from "../../../../edge/adapters/shared/mcp/pipe.ts";
import { OWN_SERVER } from "../../../../edge/adapters/shared/own-tools.ts";
import { badArgument, done, type Outcome } from "../../line/outcome.ts";
import { interrupted, type McpRun } from "./mcp-host.ts";

type Target = { readonly url: URL } | { readonly command: readonly string[] };

/** Proxies between the client on stdio and a server, until one of them ends. */
export async function runMcpProxy(run: McpRun, command: readonly string[]): Promise<Outcome> {
  const { args, opened, waitMs, cwd, log } = run;
  const address = args.url;
  if (address !== undefined && !/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : "")) {
    return badArgument(
      `--url is an http address, and not '${address}'`,
      "conduct mcp proxy --url https://example.com/mcp",
    );
  }
  const target: Target = address === undefined ? { command } : { url: new URL(address) };
  const server = args.name ?? serverName(target);
  if (server === "" || server === OWN_SERVER || server !== cleanName(server)) {
    return badArgument(
      `rules cannot call the server '${server}': letters, digits, . _ - and not ${OWN_SERVER}`,
      "--name files",
    );
  }
  const session = await opened.host.open({ runtime: "mcp", id: `mcp-${randomUUID()}`, cwd, interactive: true });
  const started = await startTarget(target, run).catch((error: unknown) => ({ failed: errorText(error) }));
  if ("failed" in started) return { ...NOT_STARTED, message: started.failed };
  log(`its tools are ${server}/… for rules (${opened.bound})`);
  const { over, forget } = interrupted();
  const ended = await runProxy(stdioClient(over), started, {
    server,
    session,
    waitMs,
    log,
    newId: () => `c_${randomUUID()}`,
    now: Date.now,
  });
  forget();
  session.notice({ kind: "ended" });
  if (ended.by === "client") return done({}, "");
  const exitCode = ended.code === undefined || ended.code === 0 ? 1 : ended.code;
  return { ...NOT_STARTED, code: "SERVER_ENDED", message: `the server is gone: ${ended.why}`, exitCode };
}

const NOT_STARTED = {
  ok: false,
  code: "SERVER_NOT_STARTED",
  fix: "run the server's command by itself, and see what it says",
  next: [],
} as const;

async function startTarget(target: Target, { args, env, cwd }: McpRun): Promise<Pipe> {
  if ("command" in target) return startServer(target.command, env, cwd);
  const variable = args["token-env"];
  const token = variable === undefined ? undefined : env[variable] || undefined;
  if (variable !== undefined && token === undefined)
    throw new Error(`the variable ${variable} of --token-env is not set`);
  const { connectServer } = await import("../../../../edge/adapters/mcp/server-url.ts");
  return connectServer(target.url, token === undefined ? {} : { authorization: `Bearer ${token}` });
}

/** The client that started this process. A signal ends it like the end of its input. */
export function stdioClient(over: Promise<void>): Pipe {
  const { stdin, stdout } = process;
  const pipe = streamPipe(stdin, stdout, async () => {
    stdin.destroy();
    await new Promise<void>((resolve) => (stdout.writable ? stdout.write("", () => resolve()) : resolve()));
  });
  return {
    ...pipe,
    listen(listener) {
      pipe.listen(listener);
      void over.then(() => listener.end({ why: "it was interrupted" }));
    },
  };
}
