import { conductProgram } from "../../edge/host/daemon-place.ts";
import { acp, acpWords, zedEntry } from "../install/acp.ts";
import { clientCommand } from "../install/client-command.ts";
import type { Arguments } from "./command.ts";
import type { InitWorld } from "./init-world.ts";
import type { Outcome } from "./outcome.ts";
import { wrap } from "./printable.ts";
import type { Terminal } from "./terminal.ts";

const ASKS = '{ "permission": { "*": "ask", "task": "deny" } }';

/** `conduct init acp`: there is nothing to install, and one line to put into the editor's settings. */
export function showAcp(args: Arguments, terminal: Terminal, { env, home }: InitWorld): Outcome {
  const { paint, invocation, columns } = terminal;
  const entry = clientCommand({ env, home }, process.execPath, conductProgram(), acpWords());
  const check = { command: "conduct doctor acp", description: "See whether it works, with an agent that only tries" };
  if (args.undo === true) {
    const text = "\n  Nothing was installed for ACP: take the entry out of your editor's settings.\n\n";
    return { ok: true, result: { runtime: acp.name, changed: false }, text, next: [check] };
  }
  const say = (text: string) => wrap(text, columns - 4).map((line) => `  ${line}`);
  const text = [
    "",
    `  ${paint("bold", "Conduct between an editor and an agent (ACP)")}`,
    "",
    ...say(
      "Nothing has to be installed: the editor starts Conduct, and Conduct starts the agent. In Zed's settings.json:",
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
  return { ok: true, result: { runtime: acp.name, changed: false, entry }, text: text.join("\n"), next: [check] };
}
