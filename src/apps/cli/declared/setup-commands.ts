import { type ArgsOf, command, flag, type Group, LEVELS, option, positional, valued, words } from "../line/command.ts";

const gateway = () => import("../commands/gateway/gateway.ts");
const init = () => import("../commands/init/init.ts");
const enforce = () => import("../commands/enforce/enforce.ts");
const doctor = () => import("../commands/doctor/doctor.ts");
const upgrade = () => import("../commands/lifecycle/upgrade.ts");
const uninstall = () => import("../commands/lifecycle/uninstall.ts");
const mcp = () => import("../commands/mcp/mcp.ts");
const acp = () => import("../commands/acp/acp.ts");
const migrate = () => import("../commands/migrate/migrate.ts");
const trust = () => import("../commands/trust/trust.ts");
const pause = () => import("../commands/pause/pause.ts");
const daemon = () => import("../commands/daemon/daemon.ts");
const daemonRun = () => import("../commands/daemon/daemon-run.ts");
const hookClaudeCode = () => import("../commands/hook/claude-code.ts");
const hookCommands = () => import("../commands/hook/hook-commands.ts");

const gatewayArgs = {
  what: valued(
    ["login", "replicas"],
    positional(
      "login prints a new one-time link for the running gateway; replicas lists the gateways on this store",
      "start",
    ),
  ),
  port: option("Port on 127.0.0.1; 0 picks a free one (default: CONDUCT_PORT, else 4870)"),
  host: option("Listen on this address instead of 127.0.0.1; needs CONDUCT_TOKEN"),
  url: option("The public address, such as https://conduct.example.org (default: CONDUCT_URL)"),
  origin: option("Other origins whose pages may use the API: a,b (default: CONDUCT_ORIGINS)"),
  config: option("The configuration (default: CONDUCT_HOME/conduct.yaml, or the built-in demo agent)"),
  user: option("With login: the user to sign in (default: the operator)"),
};
export type GatewayArgs = ArgsOf<typeof gatewayArgs>;

export const GATEWAY = command(
  "Start the gateway: console, API and channels (npm start)",
  gatewayArgs,
  gateway,
  "gateway",
  "gateway --port 4870",
);

const RUNTIMES = ["claude-code", "codex", "gemini", "copilot", "cursor", "opencode", "pi", "openclaw", "acp", "mcp"];

const initArgs = {
  runtime: valued(
    RUNTIMES,
    positional(
      "claude-code, codex, gemini, copilot, cursor, opencode, pi, openclaw, acp or mcp (default: all on this machine)",
    ),
  ),
  yes: flag("Do not ask"),
  undo: flag("Undo what init changed"),
  operator: flag("Treat the person who types there as the operator"),
  project: flag("Only for the project in this folder"),
  agent: valued("agent", option("The agent in conduct.yaml; required if there are several")),
  user: option("Whose instructions and memory the agent uses (default: your account's name)"),
  level: valued(LEVELS, option("How strict the packs are: gentle, standard or strict (default: as they are)")),
  trust: flag("With codex: also trust Conduct's hooks, which --yes does not"),
  full: flag("Show every line of the change"),
};
export type InitArgs = ArgsOf<typeof initArgs>;

export const INIT = command(
  "Set up your runtimes, in shadow mode at first; shows the changes and asks",
  initArgs,
  init,
  "init",
  "init claude-code",
);

const ALL = "all";

const enforceArgs = {
  runtime: valued(RUNTIMES, positional("The runtime, or all in shadow mode", ALL)),
  shadow: flag("Go back to shadow mode"),
  yes: flag("Do not ask"),
};
export type EnforceArgs = ArgsOf<typeof enforceArgs>;

export const ENFORCE = command(
  "Show what would have been blocked, then enforce the rules",
  enforceArgs,
  enforce,
  "enforce",
  "enforce claude-code",
);

const doctorArgs = { runtime: valued(RUNTIMES, positional("The runtime, acp, mcp, or all that are set up", ALL)) };
export type DoctorArgs = ArgsOf<typeof doctorArgs>;

export const DOCTOR = command(
  "Check the installation: Conduct, the runtimes, their hooks, and a call that must be denied",
  doctorArgs,
  doctor,
  "doctor",
  "doctor claude-code",
);

const upgradeArgs = {
  from: option("Install this package file instead of the newest version"),
  refresh: flag("Install nothing: only make the launcher and the daemon use this version"),
  yes: flag("Do not ask"),
};
export type UpgradeArgs = ArgsOf<typeof upgradeArgs>;

export const UPGRADE = command(
  "Install the newest Conduct; shows how and asks",
  upgradeArgs,
  upgrade,
  "upgrade",
  "upgrade",
);

const uninstallArgs = {
  data: flag("Also delete sessions, journal, contract, rules and key; asks again"),
  yes: flag("Do not ask, except about --data"),
};
export type UninstallArgs = ArgsOf<typeof uninstallArgs>;

export const UNINSTALL = command(
  "Undo every runtime and remove what Conduct installed; data stays",
  uninstallArgs,
  uninstall,
  "uninstall",
  "uninstall",
);

const who = {
  agent: valued("agent", option("The agent (default: the only one, or the one named default)")),
  user: option("The user of memory and instructions (default: this account)"),
};
const mcpArgs = {
  words: valued(["serve", "proxy"], words("serve, or proxy and the server's command after --", "serve")),
  ...who,
  http: flag("Serve streamable HTTP instead of stdio"),
  port: option("With --http: the port (default: a free one)"),
  host: option("With --http: the address (default: 127.0.0.1)"),
  name: option("With proxy: the server's name in rules, as in NAME/tool"),
  url: option("With proxy: the URL of a server, instead of a command"),
  "token-env": option("With --url: the variable with the server's bearer token"),
  wait: option("How long a call waits for an approval, such as 45s (default: 50s)"),
};
export type McpArgs = ArgsOf<typeof mcpArgs>;
const acpArgs = {
  words: words("The agent's command, after --", ""),
  ...who,
  headless: flag("No person types at the client: treat nothing it sends as an operator's message"),
  "any-mode": flag("Let the client switch on modes in which the agent asks nobody"),
  wait: option("How long a call waits for an approval, such as 45s (default: 0s)"),
};
export type AcpArgs = ArgsOf<typeof acpArgs>;

export const MCP = command(
  "Serve Conduct's tools over MCP; `mcp proxy -- COMMAND` guards another server",
  mcpArgs,
  mcp,
  "mcp",
  "mcp proxy --name files -- npx some-mcp-server",
);

export const ACP = command(
  "Guard an agent that an ACP client (an editor) starts",
  acpArgs,
  acp,
  "acp",
  "acp -- opencode acp",
);

const migrateArgs = {
  from: option("postgres://user:password@host:5432/database (default: CONDUCT_MIGRATE_FROM)"),
  "dry-run": flag("Show the result without writing anything"),
};
export type MigrateArgs = ArgsOf<typeof migrateArgs>;

export const MIGRATE: Group = {
  description: "Import data from other systems",
  commands: {
    spec010: command(
      "Import agents, instructions and notes from a SPEC-010 database",
      migrateArgs,
      migrate,
      "migrate",
      "migrate spec010 --dry-run",
    ),
  },
};

const trustArgs = {
  folder: valued("file", positional("The workspace", ".")),
  list: flag("Show what is trusted, and what has changed since"),
  revoke: flag("Stop trusting the files in it"),
  yes: flag("Do not ask: trust the files as they are now"),
};
export type TrustArgs = ArgsOf<typeof trustArgs>;

export const TRUST = command(
  "Review a workspace's conduct.yaml and prompt files, and trust them",
  trustArgs,
  trust,
  "trust",
  "trust .",
);

const pauseArgs = { time: positional("How long: 90s, 10m, 2h", "10m") };
export type PauseArgs = ArgsOf<typeof pauseArgs>;

export const PAUSE = command(
  "Stop enforcing for a while; everything is still recorded",
  pauseArgs,
  pause,
  "pause",
  "pause 10m",
);

export const RESUME = command("End a pause: enforce everything again", {}, pause, "resume", "resume");

const daemonRunArgs = { idle: option("Exit after this long without a request (default: 15m)") };
export type DaemonRunArgs = ArgsOf<typeof daemonRunArgs>;

export const DAEMON: Group = {
  description: "The local service that answers the hooks of runtimes; starts and stops by itself",
  commands: {
    status: command("Show whether the daemon runs, and where it listens", {}, daemon, "daemonStatus", "daemon status"),
    start: command("Start the daemon, unless it is running", {}, daemon, "daemonStart", "daemon start"),
    stop: command("Stop the daemon; the next hook starts it again", {}, daemon, "daemonStop", "daemon stop"),
    run: command("Run the daemon in the foreground", daemonRunArgs, daemonRun, "daemonRun", "daemon run --idle 1h"),
  },
};

const hookClaudeCodeArgs = { part: option("The part of a long answer") };
export type HookClaudeCodeArgs = ArgsOf<typeof hookClaudeCodeArgs>;

const hookCopilotArgs = { event: positional("The name of the event", "preToolUse") };
export type HookCopilotArgs = ArgsOf<typeof hookCopilotArgs>;

export const HOOK: Group = {
  description: "Commands that runtimes call at their hooks",
  commands: {
    "claude-code": command(
      "Start the daemon for Claude Code, and send it the first event (called by Claude Code)",
      hookClaudeCodeArgs,
      hookClaudeCode,
      "hookClaudeCode",
      "hook claude-code",
    ),
    codex: command(
      "Send one Codex hook event from stdin to Conduct (called by Codex)",
      {},
      hookCommands,
      "hookCodex",
      "hook codex",
    ),
    "codex-tools": command(
      "Serve Conduct's tools to Codex over stdio (called by Codex)",
      {},
      hookCommands,
      "hookCodexTools",
      "hook codex-tools",
    ),
    copilot: command(
      "Send one Copilot CLI hook event from stdin to Conduct (called by Copilot CLI)",
      hookCopilotArgs,
      hookCommands,
      "hookCopilot",
      "hook copilot preToolUse",
    ),
    "copilot-tools": command(
      "Serve Conduct's tools to Copilot CLI over stdio (called by Copilot CLI)",
      {},
      hookCommands,
      "hookCopilotTools",
      "hook copilot-tools",
    ),
    cursor: command(
      "Send one Cursor hook event from stdin to Conduct (called by Cursor)",
      {},
      hookCommands,
      "hookCursor",
      "hook cursor",
    ),
    gemini: command(
      "Send one Gemini CLI hook event from stdin to Conduct (called by Gemini CLI)",
      {},
      hookCommands,
      "hookGemini",
      "hook gemini",
    ),
    "gemini-tools": command(
      "Serve Conduct's tools to Gemini CLI over stdio (called by Gemini CLI)",
      {},
      hookCommands,
      "hookGeminiTools",
      "hook gemini-tools",
    ),
  },
};
