import { resolveRuntime } from "../../../../edge/host/daemon/daemon-agents.ts";
import {
  readRuntimes,
  runtimesFile,
  UNSET_RUNTIME,
  writeRuntime,
} from "../../../../edge/host/opening/runtime-settings.ts";
import {
  acpWords,
  clientCommand,
  MCP_WORDS,
  mcpEntry,
  mcpProxyWords,
  type StartedRuntime,
  zedEntry,
} from "../../../install/client-runtimes.ts";
import { launcherPath, removeUnusedLauncher, writeLauncher } from "../../../install/launcher/launcher-files.ts";
import { wrap } from "../../../shared/printable.ts";
import type { InitArgs } from "../../declared/setup-commands.ts";
import { done, failed, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { configText, shortPath } from "../../stores/config-text.ts";
import { askedSettings, hasNoRules, type InitWorld, refusedHere } from "./init-world.ts";

/** Text is wrapped; a line to copy is not, at any terminal width. */
type Piece = string | { readonly copy: string };
type ShownClient = { readonly title: string; readonly result: object; readonly pieces: readonly Piece[] };

const SHOWN: { readonly [N in StartedRuntime["name"]]: (world: InitWorld, how: string) => ShownClient } = {
  acp(world, how) {
    const entry = clientCommand(world, acpWords());
    return {
      title: "Conduct between an editor and an agent (ACP)",
      result: { entry },
      pieces: [
        `The editor starts Conduct, and Conduct starts the agent. Its rules are ${how}. Add this to Zed's settings.json:`,
        { copy: zedEntry(entry) },
        "For another agent, replace opencode acp with its command. Other editors take the same command, arguments and environment.",
        "Conduct only sees what the agent asks permission for. Make it ask for everything; for OpenCode, in opencode.json:",
        { copy: '{ "permission": { "*": "ask", "task": "deny" } }' },
      ],
    };
  },
  mcp(world, how) {
    const entries = { conduct: clientCommand(world, MCP_WORDS), files: clientCommand(world, mcpProxyWords()) };
    return {
      title: "Conduct between a client and MCP servers",
      result: { entries },
      pieces: [
        `The client starts Conduct. Its rules are ${how}. To get Conduct's own tools, add this to the client's servers:`,
        { copy: mcpEntry("conduct", entries.conduct) },
        "To guard a server, replace its entry with this one. Put its command after --, and its name in rules after --name (its tools become files/…):",
        { copy: mcpEntry("files", entries.files) },
        "Remove the server's own entry: Conduct does not see calls to a server that the client starts without the proxy.",
      ],
    };
  },
};

/**
 * `conduct init acp | mcp`: writes the launcher, records the runtime as enforced unless it was set up before, and shows
 * the lines for the client's settings, which the person changes.
 */
export async function setUpClient(
  runtime: StartedRuntime,
  args: InitArgs,
  { paint, invocation, columns, cwd }: Terminal,
  world: InitWorld,
): Promise<Outcome> {
  const { name } = runtime;
  if (args.undo === true) return removeClient(runtime, world);
  const refused = refusedHere(world, "can set up runtimes", `conduct init ${name}`);
  if (refused !== undefined) return refused;
  const asked = await resolveRuntime(name, { home: world.home, workspace: cwd, named: args.agent });
  if (args.agent !== undefined && asked.kind === "undecided" && !asked.agents.includes(args.agent))
    return failed("AGENT_UNKNOWN", asked.message, `conduct init ${name} --agent ${asked.agents[0] ?? "NAME"}`);
  await writeLauncher(world.home);
  const { [name]: before } = await readRuntimes(world.home);
  const { settings, isNew } = askedSettings(args, before, {
    ...UNSET_RUNTIME,
    account: world.account,
    now: world.now(),
  });
  if (isNew) await writeRuntime(world.home, name, settings);
  const { enforcement } = settings;
  const applies = await appliesTo(name, world.home, cwd);
  const { title, result, pieces } = SHOWN[name](world, enforcement === "enforce" ? "enforced" : "in shadow mode");
  const text = [
    "",
    `  ${paint("bold", title)}`,
    "",
    ...wrap(applies, columns - 4).map((line) => `  ${line}`),
    "",
    ...pieces.flatMap((piece, at) =>
      typeof piece === "string"
        ? [...wrap(piece, columns - 4).map((line) => `  ${line}`), ...(typeof pieces[at + 1] === "string" ? [] : [""])]
        : [`    ${piece.copy}`, ""],
    ),
    `  ${paint("dim", "check:")} ${invocation} doctor ${name}`,
    "",
    "",
  ];
  const check = { command: `conduct doctor ${name}`, description: "Check that it works, with a harmless test call" };
  return done({ runtime: name, enforcement, applies, ...result }, text.join("\n"), [check]);
}

/** The agent and the file that decide for the client here, as the daemon resolves them. */
async function appliesTo(name: StartedRuntime["name"], home: string, cwd: string): Promise<string> {
  const binding = await resolveRuntime(name, { home, workspace: cwd });
  if (binding.kind !== "bound") return `Every call is denied until this is corrected: ${binding.message}.`;
  const { agent, config } = binding;
  const file =
    config.file === undefined ? "the built-in coding rules, because there is no conduct.yaml" : configText(config, cwd);
  const rules = hasNoRules(agent) ? " It has no rules, so nothing is ever blocked." : "";
  return `In this folder the agent '${agent.name}' applies, from ${file}.${rules} ${shortPath(runtimesFile(home), cwd)} has the entry.`;
}

/** Removes the runtime, and the launcher if no other runtime uses it. */
async function removeClient({ name, title }: StartedRuntime, world: InitWorld): Promise<Outcome> {
  const refused = refusedHere(world, "can remove runtimes", `conduct init ${name} --undo`);
  if (refused !== undefined) return refused;
  const { [name]: before } = await readRuntimes(world.home);
  if (before !== undefined) await writeRuntime(world.home, name, undefined);
  await removeUnusedLauncher(world.home);
  const text = `\n  ${title} is no longer set up. Remove the entry that starts ${launcherPath(world.home)} from the client's settings.\n\n`;
  const next = [{ command: `conduct init ${name}`, description: "Set it up again" }];
  return done({ runtime: name, changed: before !== undefined }, text, next);
}
