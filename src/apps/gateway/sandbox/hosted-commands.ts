import { isObject } from "../../../base/kernel/json.ts";
import type { Commands } from "../../../base/ports/commands.ts";
import type { Role } from "../../../base/words/hosting/user.ts";
import { toolName } from "../../../edge/adapters/shared/claude/tool-map.ts";
import { nodeCommands } from "../../../edge/host/node/node-commands.ts";
import type { Sandbox, SandboxProxy } from "../../../edge/host/sandbox/sandbox.ts";
import type { KnownAgent } from "../agents/agents.ts";
import { allowedHosts } from "./allowed-hosts.ts";
import { type EgressProxy, openEgressProxy } from "./egress-proxy.ts";

/** Runs at the model provider. All other tools of the Claude Agent SDK run in its own process. */
const ELSEWHERE: ReadonlySet<string> = new Set(["web_search"]);

export function commandUse({ agent, definition }: KnownAgent): CommandUse {
  const names = agent.tools.map(({ name }) => name);
  if (definition.runtime === "claude" && names.some((name) => toolName(name) !== name && !ELSEWHERE.has(name)))
    return "unsandboxed";
  const { completion } = definition;
  const checks = isObject(completion) && completion.command !== undefined;
  const starts = Object.values(agent.mcpServers ?? {}).some((server) => "command" in server);
  return names.includes("shell") || checks || starts ? "sandboxed" : "none";
}

/** How an agent's tools run programs: not at all, through the gateway's `Commands`, or in a process that the gateway cannot sandbox. */
export type CommandUse = "none" | "sandboxed" | "unsandboxed";

type HostedCommandsOptions = {
  readonly sandbox: Sandbox;
  readonly env: NodeJS.ProcessEnv;
  /** Uses the current definition. */
  readonly useOf: (agent: string) => CommandUse;
  /** The agent's allowed hosts in the current definition. */
  readonly networkOf: (agent: string) => readonly string[];
  /** The user's stored role; `undefined` for an unknown user. */
  readonly roleOf: (user: string) => Promise<Role | undefined>;
};

/** The message is for the person who may not use the agent. */
export class CommandsRefusedError extends Error {}

/** Runs commands of hosted agents in the sandbox. Without a sandbox, only operators may run them. */
export class HostedCommands {
  readonly #options: HostedCommandsOptions;
  /** Proxies by agent. */
  readonly #proxies = new Map<string, Promise<EgressProxy>>();

  constructor(options: HostedCommandsOptions) {
    this.#options = options;
  }

  /** Throws a `CommandsRefusedError` if there is no sandbox and one of `people` is not an operator. */
  async check(agent: string, people: readonly string[]): Promise<void> {
    const { sandbox, useOf } = this.#options;
    const use = useOf(agent);
    if (use === "none" || (use === "sandboxed" && sandbox.kind !== "none")) return;
    if (await this.#areOperators(people)) return;
    throw new CommandsRefusedError(refusalOf(agent, sandbox));
  }

  /** A run rejects if there is no sandbox and the user is not an operator. */
  of(agent: string, user: string, workspace: string): Commands {
    const { sandbox, env } = this.#options;
    if (sandbox.kind === "none") {
      const bare = nodeCommands(workspace, { env: plainEnvironment(env) });
      return {
        run: async (command, options) => {
          if (!(await this.#areOperators([user]))) throw new CommandsRefusedError(refusalOf(agent, sandbox));
          return bare.run(command, options);
        },
      };
    }
    return {
      run: async (command, options) => {
        const proxy = await this.#proxyOf(agent);
        const wrap = (line: readonly string[]) => sandbox.wrap(line, { workspace, proxy });
        return nodeCommands(workspace, { wrap }).run(command, options);
      },
    };
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#proxies.values());
    this.#proxies.clear();
    await Promise.all(opened.map((one) => (one.status === "fulfilled" ? one.value.close() : undefined)));
  }

  async #areOperators(people: readonly string[]): Promise<boolean> {
    const roles = await Promise.all(people.map((user) => this.#options.roleOf(user)));
    return roles.length > 0 && roles.every((role) => role === "operator");
  }

  async #proxyOf(agent: string): Promise<SandboxProxy | undefined> {
    const hosts = () => allowedHosts(this.#options.networkOf(agent));
    if (this.#options.networkOf(agent).length === 0) return undefined;
    const opening = this.#proxies.get(agent) ?? openEgressProxy({ hosts });
    this.#proxies.set(agent, opening);
    opening.catch(() => this.#proxies.delete(agent));
    return { socket: (await opening).socket, loopback: hosts().loopback };
  }
}

function refusalOf(agent: string, sandbox: Sandbox): string {
  if (sandbox.kind !== "none")
    return `Only operators may use the agent '${agent}': the Claude Agent SDK runs its tools outside the sandbox. Set 'runtime: pi' to let others use it.`;
  return `Only operators may use the agent '${agent}': it runs commands, and the gateway has no sandbox (${sandbox.why}). To let others use it, ${sandbox.fix}, and restart the gateway.`;
}

/** Variables that a command needs. */
const PLAIN = /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|TZ|TMPDIR|LANG|LANGUAGE|LC_\w+)$/;

/** The environment of unsandboxed commands, without keys and tokens. */
export function plainEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const plain = Object.entries(env).filter(([name]) => PLAIN.test(name));
  return { ...Object.fromEntries(plain), CONDUCT_SESSION: "gateway" };
}
