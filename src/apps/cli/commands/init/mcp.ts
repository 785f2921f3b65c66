import { clientCommand } from "../../../install/client-command.ts";
import { MCP_WORDS, mcp, mcpEntry, mcpProxyWords } from "../../../install/mcp.ts";
import type { Arguments } from "../../line/command.ts";
import type { Outcome } from "../../line/outcome.ts";
import { wrap } from "../../line/printable.ts";
import type { Terminal } from "../../line/terminal.ts";
import { removeClient, setUpClient } from "./client.ts";
import type { InitWorld } from "./world.ts";

/** `conduct init mcp`: writes the launcher, and shows the two lines to put into the client's settings. */
export async function showMcp(args: Arguments, terminal: Terminal, world: InitWorld): Promise<Outcome> {
  if (args.undo === true) return removeClient(mcp, world);
  const made = await setUpClient(mcp, world);
  if ("refused" in made) return made.refused;
  const { paint, invocation, columns } = terminal;
  const command = (words: readonly string[]) => clientCommand(world, words);
  const check = { command: "conduct doctor mcp", description: "See whether it works, with a server that only listens" };
  const entries = { conduct: command(MCP_WORDS), files: command(mcpProxyWords()) };
  const say = (text: string) => wrap(text, columns - 4).map((line) => `  ${line}`);
  const text = [
    "",
    `  ${paint("bold", "Conduct between a client and MCP servers")}`,
    "",
    ...say(
      `The client starts Conduct; it is ${made.enforcement === "enforce" ? "enforced" : "watched only"}. Conduct's own tools, in the client's map of servers:`,
    ),
    "",
    // One line, however wide the terminal is: it is there to be copied.
    `    ${mcpEntry("conduct", entries.conduct)}`,
    "",
    ...say(
      "A server whose calls are to be decided on: this in place of its own entry, with its command after -- and, as --name, what rules call it (its tools are files/… then):",
    ),
    "",
    `    ${mcpEntry("files", entries.files)}`,
    "",
    ...say("The server's own entry has to go: what the client can start without the proxy is not seen."),
    "",
    `  ${paint("dim", "check:")} ${invocation} doctor mcp`,
    "",
    "",
  ];
  return {
    ok: true,
    result: { runtime: mcp.name, enforcement: made.enforcement, entries },
    text: text.join("\n"),
    next: [check],
  };
}
