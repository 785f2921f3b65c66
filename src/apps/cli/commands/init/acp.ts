import { acp, acpWords, zedEntry } from "../../../install/acp.ts";
import { clientCommand } from "../../../install/client-command.ts";
import type { Arguments } from "../../line/command.ts";
import type { Outcome } from "../../line/outcome.ts";
import { wrap } from "../../line/printable.ts";
import type { Terminal } from "../../line/terminal.ts";
import { removeClient, setUpClient } from "./client.ts";
import type { InitWorld } from "./world.ts";

const ASKS = '{ "permission": { "*": "ask", "task": "deny" } }';

/** `conduct init acp`: writes the launcher, and shows the one line to put into the editor's settings. */
export async function showAcp(args: Arguments, terminal: Terminal, world: InitWorld): Promise<Outcome> {
  if (args.undo === true) return removeClient(acp, world);
  const made = await setUpClient(acp, world);
  if ("refused" in made) return made.refused;
  const { paint, invocation, columns } = terminal;
  const entry = clientCommand(world, acpWords());
  const check = { command: "conduct doctor acp", description: "See whether it works, with an agent that only tries" };
  const say = (text: string) => wrap(text, columns - 4).map((line) => `  ${line}`);
  const text = [
    "",
    `  ${paint("bold", "Conduct between an editor and an agent (ACP)")}`,
    "",
    ...say(
      `The editor starts Conduct, and Conduct starts the agent; it is ${made.enforcement === "enforce" ? "enforced" : "watched only"}. In Zed's settings.json:`,
    ),
    "",
    // One line, however wide the terminal is: it is there to be copied.
    `    ${zedEntry(entry)}`,
    "",
    ...say(
      "Another agent: its command in place of opencode acp. Another editor: the same command, arguments and environment.",
    ),
    ...say("The agent has to ask for everything, because nothing else is seen; OpenCode in its opencode.json:"),
    "",
    `    ${ASKS}`,
    "",
    `  ${paint("dim", "check:")} ${invocation} doctor acp`,
    "",
    "",
  ];
  return {
    ok: true,
    result: { runtime: acp.name, enforcement: made.enforcement, entry },
    text: text.join("\n"),
    next: [check],
  };
}
