import { randomUUID } from "node:crypto";
import { parseDuration } from "../../../../base/kernel/duration.ts";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { runAcpProxy } from "../../../../edge/adapters/acp/proxy.ts";
import { startServer } from "../../../../edge/adapters/mcp/server-process.ts";
import type { Arguments, CommandBody } from "../../line/command.ts";
import type { Outcome } from "../../line/outcome.ts";
import { version } from "../../line/version.ts";
import { mcpHost } from "../mcp/host.ts";
import { stdioClient } from "../mcp/proxy.ts";
import { interrupted, textOf, wrong } from "../mcp/run.ts";

/** `conduct acp -- COMMAND`. Nothing but the protocol is written to stdout; what the agent logs passes on stderr. */
export const acp: CommandBody = async (args, terminal) => {
  const command = Array.isArray(args._) ? args._.map(String) : [];
  const waitMs = parseDuration(textOf(args.wait) ?? "0s");
  const mistake = mistakeIn(args, command, waitMs);
  if (mistake !== undefined) return mistake;
  const { env } = process;
  const [agent, user] = [textOf(args.agent), textOf(args.user)];
  const chosen = { agent, user };
  const opened = await mcpHost({ runtime: "acp", ...chosen }, terminal, env);
  if ("outcome" in opened) return opened.outcome;
  const log = (line: string) => terminal.error(`conduct acp: ${line}\n`);
  log(opened.bound);
  try {
    const started = await startServer(command, env, terminal.cwd).catch((error: unknown) => ({
      failed: errorText(error),
    }));
    if ("failed" in started) return { ...NOT_STARTED, message: started.failed };
    const { over, forget } = interrupted();
    const ended = await runAcpProxy(stdioClient(over), started, {
      host: opened.host,
      cwd: terminal.cwd,
      interactive: args.headless !== true,
      waitMs: waitMs ?? 0,
      modes: args["any-mode"] === true ? "any" : "asking",
      newId: () => `conduct-${randomUUID()}`,
      version: version(),
      log,
    });
    forget();
    if (ended.by === "client" || ended.code === 0) return { ok: true, result: {}, text: "", next: [] };
    const message = `the agent is gone: ${ended.why}`;
    return { ...NOT_STARTED, code: "AGENT_ENDED", message, exitCode: ended.code ?? 1 };
  } finally {
    await opened.close();
  }
};

const NOT_STARTED = {
  ok: false,
  code: "AGENT_NOT_STARTED",
  fix: "run the agent's command by itself, and see what it says",
  next: [],
} as const;

function mistakeIn(args: Arguments, command: readonly string[], waitMs: number | undefined): Outcome | undefined {
  const help = "conduct acp --help";
  if (args.json === true) return wrong("--json has no place here: stdout is the protocol's", help);
  if (waitMs === undefined) return wrong(`--wait is a time such as 45s, and not '${args.wait}'`, help);
  if (command.length === 0) return wrong("which agent? Give its command after --", "conduct acp -- opencode acp");
  return undefined;
}
