import { randomUUID } from "node:crypto";
import { parseDuration } from "../../../../base/kernel/duration.ts";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { runAcpProxy } from "../../../../edge/adapters/acp/proxy.ts";
import { startServer } from "../../../../edge/adapters/shared/mcp/pipe.ts";
import { conductVersion } from "../../../../edge/host/node/package-files.ts";
import type { AcpArgs } from "../../declared/setup-commands.ts";
import { badArgument, done, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { stdioClient } from "../mcp/mcp.ts";
import { interrupted, mcpHost } from "../mcp/mcp-host.ts";

/** `conduct acp -- COMMAND`. Only the protocol is written to stdout; the agent's logs pass through on stderr. */
export async function acp(args: AcpArgs, terminal: Terminal): Promise<Outcome> {
  const { words: command, agent, user } = args;
  const waitMs = parseDuration(args.wait ?? "0s");
  const mistake = mistakeIn(args, command, waitMs);
  if (mistake !== undefined) return mistake;
  const { env } = process;
  const opened = await mcpHost({ runtime: "acp", agent, user }, terminal, env);
  if ("outcome" in opened) return opened.outcome;
  const log = (line: string) => terminal.error(`conduct acp: ${line}\n`);
  log(opened.bound);
  try {
    const started = await startServer(command, env, terminal.cwd).catch((error: unknown) => ({
      failed: errorText(error),
    }));
    if ("failed" in started) return { ...NOT_STARTED, message: started.failed };
    const ended = await runAcpProxy(stdioClient(interrupted()), started, {
      host: opened.host,
      cwd: terminal.cwd,
      interactive: args.headless !== true,
      waitMs: waitMs ?? 0,
      modes: args["any-mode"] === true ? "any" : "asking",
      newId: () => `conduct-${randomUUID()}`,
      version: conductVersion(),
      log,
    });
    if (ended.by === "client" || ended.code === 0) return done({}, "");
    const message = `the agent exited: ${ended.why}`;
    return { ...NOT_STARTED, code: "AGENT_ENDED", message, exitCode: ended.code ?? 1 };
  } finally {
    await opened.close();
  }
}

const NOT_STARTED = {
  ok: false,
  code: "AGENT_NOT_STARTED",
  fix: "run the agent's command by itself to see why",
  next: [],
} as const;

function mistakeIn(args: AcpArgs, command: readonly string[], waitMs: number | undefined): Outcome | undefined {
  const help = "conduct acp --help";
  if (args.json === true) return badArgument("--json is not possible here: stdout carries the protocol", help);
  if (waitMs === undefined) return badArgument(`--wait takes a duration such as 45s, not '${args.wait}'`, help);
  if (command.length === 0)
    return badArgument("no agent given: add its command after --", "conduct acp -- opencode acp");
  return undefined;
}
