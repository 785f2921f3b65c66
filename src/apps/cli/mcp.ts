import { parseDuration } from "../../base/kernel/duration.ts";
import type { Arguments, CommandBody } from "./command.ts";
import { type McpWho, mcpHost } from "./mcp-host.ts";
import { runMcpProxy } from "./mcp-proxy.ts";
import { type McpRun, textOf, wrong } from "./mcp-run.ts";
import { runMcpServer } from "./mcp-serve.ts";
import type { Outcome } from "./outcome.ts";

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
