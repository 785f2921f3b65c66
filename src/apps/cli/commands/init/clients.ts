import { readRuntimes, UNSET_RUNTIME, writeRuntime } from "../../../../edge/host/opening/runtime-settings.ts";
import {
  acp,
  acpWords,
  clientCommand,
  MCP_WORDS,
  mcp,
  mcpEntry,
  mcpProxyWords,
  type StartedRuntime,
  zedEntry,
} from "../../../install/client-runtimes.ts";
import { launcherPath, removeUnusedLauncher, writeLauncher } from "../../../install/launcher/launcher-files.ts";
import { wrap } from "../../../shared/printable.ts";
import type { InitArgs } from "../../declared/setup-commands.ts";
import { done, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { type InitWorld, refusedHere } from "./init-world.ts";

const ASKS = '{ "permission": { "*": "ask", "task": "deny" } }';

/** `conduct init acp`: writes the launcher, and shows the line for the editor's settings. */
export async function showAcp(args: InitArgs, terminal: Terminal, world: InitWorld): Promise<Outcome> {
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
    // One line at any terminal width, so that it can be copied.
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
  return done({ runtime: acp.name, enforcement: made.enforcement, entry }, text.join("\n"), [check]);
}

/**
 * Sets up a runtime that a client starts (ACP, MCP): writes the launcher, and records the runtime as enforced unless
 * it was set up before. The person changes the client's own settings. Returns an outcome if an agent asks for it.
 */
async function setUpClient(
  { name }: StartedRuntime,
  world: InitWorld,
): Promise<{ readonly enforcement: "enforce" | "shadow" } | { readonly refused: Outcome }> {
  const refused = refusedHere(world, "sets up runtimes", `conduct init ${name}`);
  if (refused !== undefined) return { refused };
  await writeLauncher(world.home);
  const { [name]: before } = await readRuntimes(world.home);
  if (before !== undefined) return { enforcement: before.enforcement };
  const since = new Date(world.now()).toISOString();
  await writeRuntime(world.home, name, { ...UNSET_RUNTIME, since });
  return { enforcement: UNSET_RUNTIME.enforcement };
}

/** Removes the runtime, and the launcher if no other runtime uses it. */
async function removeClient({ name, title }: StartedRuntime, world: InitWorld): Promise<Outcome> {
  const refused = refusedHere(world, "takes runtimes out", `conduct init ${name} --undo`);
  if (refused !== undefined) return refused;
  const { [name]: before } = await readRuntimes(world.home);
  if (before !== undefined) await writeRuntime(world.home, name, undefined);
  await removeUnusedLauncher(world.home);
  const text = `\n  ${title} is not set up any more. Take the entry that starts ${launcherPath(world.home)} out of the client's settings.\n\n`;
  const next = [{ command: `conduct init ${name}`, description: "Set it up again" }];
  return done({ runtime: name, changed: before !== undefined }, text, next);
}

/** `conduct init mcp`: writes the launcher, and shows the two lines for the client's settings. */
export async function showMcp(args: InitArgs, terminal: Terminal, world: InitWorld): Promise<Outcome> {
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
    // One line at any terminal width, so that it can be copied.
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
  return done({ runtime: mcp.name, enforcement: made.enforcement, entries }, text.join("\n"), [check]);
}
