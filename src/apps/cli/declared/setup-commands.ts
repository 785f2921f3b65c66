import { type ArgsOf, command, flag, type Group, option, positional, words } from "../line/command.ts";

const gatewayArgs = {
  what: positional("login prints a fresh one-time link for the gateway that runs; nothing starts one", "start"),
  port: option("Port on 127.0.0.1; 0 takes a free one. CONDUCT_PORT, else 4870"),
  host: option("Another address than 127.0.0.1; needs CONDUCT_TOKEN"),
  url: option("Where people reach it, as https://conduct.example.org. CONDUCT_URL"),
  origin: option("Other origins whose pages may use the API: a,b. CONDUCT_ORIGINS"),
  user: option("With login: somebody else than the operator"),
};
export type GatewayArgs = ArgsOf<typeof gatewayArgs>;

export const GATEWAY = command(
  "Serve agents to people: console, API, channels (what npm start runs)",
  gatewayArgs,
  async () => (await import("../commands/gateway/gateway.ts")).gateway,
);

const initArgs = {
  runtime: positional("claude-code, codex, opencode, pi, openclaw, acp or mcp"),
  yes: flag("Do not ask: make the changes"),
  undo: flag("Take back what init did"),
  operator: flag("Whoever types into it is the operator"),
  project: flag("For the project in this folder only"),
  agent: option("Which agent of conduct.yaml it is; needed where there are several"),
  trust: flag("With codex: let it trust Conduct's hooks, a step that --yes leaves out"),
  full: flag("Show every line of the change"),
};
export type InitArgs = ArgsOf<typeof initArgs>;

export const INIT = command(
  "Set a runtime up: shows what it would change, asks, and begins by only watching",
  initArgs,
  async () => (await import("../commands/init/init.ts")).init,
);

const ALL = "all";

const enforceArgs = {
  runtime: positional("The runtime, or all that are watched", ALL),
  shadow: flag("The other way: only watch from now on"),
  yes: flag("Do not ask"),
};
export type EnforceArgs = ArgsOf<typeof enforceArgs>;

export const ENFORCE = command(
  "Show what would have been blocked so far, and enforce it from now on",
  enforceArgs,
  async () => (await import("../commands/enforce/enforce.ts")).enforce,
);

const doctorArgs = { runtime: positional("The runtime, acp, mcp, or all that are set up", ALL) };
export type DoctorArgs = ArgsOf<typeof doctorArgs>;

export const DOCTOR = command(
  "See whether everything works: Conduct, the installed runtime, its hooks, a call that must be denied",
  doctorArgs,
  async () => (await import("../commands/doctor/doctor.ts")).doctor,
);

const who = {
  agent: option("The agent (the only one, or default, unless told)"),
  user: option("Whose memory and instructions it is (this account's unless told)"),
};
const mcpArgs = {
  words: words("serve, or proxy and the server's command after --", "serve"),
  ...who,
  http: flag("Serve streamable HTTP in place of stdin and stdout"),
  port: option("With --http: the port (one that is free unless told)"),
  host: option("With --http: the address (127.0.0.1 unless told)"),
  name: option("With proxy: what rules call the server, as in NAME/tool"),
  url: option("With proxy: a server behind a URL, in place of a command"),
  "token-env": option("With --url: the variable that holds the server's bearer token"),
  wait: option("How long a call waits for a person elsewhere, as 45s (50s unless told)"),
};
export type McpArgs = ArgsOf<typeof mcpArgs>;
const acpArgs = {
  words: words("The agent's command, after --", ""),
  ...who,
  headless: flag("No person types at the client: nothing it sends is an operator's"),
  "any-mode": flag("Let the client switch on modes in which the agent asks nobody"),
  wait: option("How long a call waits for a person elsewhere, as 45s (0s unless told)"),
};
export type AcpArgs = ArgsOf<typeof acpArgs>;

export const MCP = command(
  "Serve Conduct's tools over MCP; `mcp proxy -- COMMAND` stands between a client and another server",
  mcpArgs,
  async () => (await import("../commands/mcp/mcp.ts")).mcp,
);

export const ACP = command(
  "Stand between an ACP client (an editor) and the agent that COMMAND starts",
  acpArgs,
  async () => (await import("../commands/acp/acp.ts")).acp,
);

const migrateArgs = {
  from: option("postgres://user:password@host:5432/database (CONDUCT_MIGRATE_FROM unless told)"),
  "dry-run": flag("Show what it would do; write nothing"),
};
export type MigrateArgs = ArgsOf<typeof migrateArgs>;

export const MIGRATE: Group = {
  description: "Carry over what other systems have kept",
  commands: {
    spec010: command(
      "Agents, instructions and notes of a SPEC-010 database (PostgreSQL); it is only read",
      migrateArgs,
      async () => (await import("../commands/migrate/migrate.ts")).migrate,
    ),
  },
};

const trustArgs = {
  folder: positional("The workspace", "."),
  list: flag("Show what is trusted, and what has changed since"),
  revoke: flag("Trust nothing in it any more"),
  yes: flag("Do not ask: trust the files as they are now"),
};
export type TrustArgs = ArgsOf<typeof trustArgs>;

export const TRUST = command(
  "Look at a workspace's conduct.yaml and prompt files, and let agents be told what is in them",
  trustArgs,
  async () => (await import("../commands/trust/trust.ts")).trust,
);

const pauseArgs = { time: positional("How long: 90s, 10m, 2h", "10m") };
export type PauseArgs = ArgsOf<typeof pauseArgs>;

export const PAUSE = command(
  "Enforce nothing for a while; everything is still recorded",
  pauseArgs,
  async () => (await import("../commands/pause/pause.ts")).pause,
);

export const RESUME = command(
  "End a pause: enforce everything again",
  {},
  async () => (await import("../commands/pause/pause.ts")).resume,
);

const daemonRunArgs = { idle: option("How long it stays without being asked anything (15m unless told)") };
export type DaemonRunArgs = ArgsOf<typeof daemonRunArgs>;

export const DAEMON: Group = {
  description: "What agents' runtimes ask; starts and ends by itself",
  commands: {
    status: command(
      "Whether the daemon runs, and where it listens",
      {},
      async () => (await import("../commands/daemon/daemon.ts")).daemonStatus,
    ),
    start: command(
      "Start the daemon, unless it runs already",
      {},
      async () => (await import("../commands/daemon/daemon.ts")).daemonStart,
    ),
    stop: command(
      "End the daemon; the next hook starts it again",
      {},
      async () => (await import("../commands/daemon/daemon.ts")).daemonStop,
    ),
    run: command(
      "Be the daemon, until it is stopped or nobody needs it",
      daemonRunArgs,
      async () => (await import("../commands/daemon/daemon-run.ts")).daemonRun,
    ),
  },
};

const hookClaudeCodeArgs = { part: option("Which part of a long answer is wanted") };
export type HookClaudeCodeArgs = ArgsOf<typeof hookClaudeCodeArgs>;

export const HOOK: Group = {
  description: "What a runtime calls at each of its hooks",
  commands: {
    "claude-code": command(
      "Start the daemon for Claude Code, and pass its first event on (called by Claude Code)",
      hookClaudeCodeArgs,
      async () => (await import("../commands/hook/claude-code.ts")).hookClaudeCode,
    ),
    codex: command(
      "Pass one Codex hook event from stdin to Conduct (called by Codex)",
      {},
      async () => (await import("../commands/hook/codex-tools.ts")).hook,
    ),
    "codex-tools": command(
      "Serve Conduct's own tools to Codex over stdin and stdout (called by Codex)",
      {},
      async () => (await import("../commands/hook/codex-tools.ts")).hookCodexTools,
    ),
  },
};
