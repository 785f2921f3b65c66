import { homedir } from "node:os";
import { join } from "node:path";
import { isSameJson } from "../../base/kernel/canonical-json.ts";
import { errorText } from "../../base/kernel/error-text.ts";
import { asObject, asString } from "../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../base/words/json.ts";
import { claudeCodeCapabilities } from "../../edge/adapters/capabilities.ts";
import {
  claudeCodeMcpArguments,
  claudeCodeSettings,
  claudeCodeSettingsFaults,
  mergeClaudeCodeSettings,
  removeFromClaudeCodeSettings,
} from "../../edge/adapters/claude-code/settings.ts";
import { gitExclude, isTracked } from "./git-exclude.ts";
import { hookCommand } from "./hooks/hook-command.ts";
import type { Edited, InstallableRuntime, InstallPlace, SettingsFile } from "./runtime.ts";
import { readSettingsObject } from "./settings-file.ts";

export const claudeCode: InstallableRuntime = {
  name: "claude-code",
  title: "Claude Code",
  program: "claude",
  folder,
  coverage: "claude-code",
  capabilities: claudeCodeCapabilities,
  loose: "disableAllHooks in a repository's settings switches every hook off; token and cost budgets are not enforced",
  start: "restart claude",
  files: (place) => [...hooksFiles(place), toolsFile(place)],
};

/**
 * HTTP hooks take their headers from this file only, so it contains the daemon's token. No other account can read it,
 * and with `--project` git ignores it.
 */
function hooksFiles(place: InstallPlace): readonly SettingsFile[] {
  const { env, project, daemon, enforcement } = place;
  const { command, shell } = hookCommand(place, "claude-code");
  const path =
    project === undefined ? join(folder(env), "settings.json") : join(project, ".claude", "settings.local.json");
  const ours = claudeCodeSettings({
    url: `http://127.0.0.1:${daemon.port}/hooks/claude-code`,
    token: daemon.token,
    startCommand: command,
    ...(shell === "powershell" ? { shell } : {}),
    enforcement,
  });
  const hooks: SettingsFile = {
    path,
    secret: true,
    about: `Conduct's hooks at ${Object.keys(ours.hooks).length} events; existing hooks are kept`,
    add(text) {
      if (isTracked(path)) {
        const refused = "git tracks it, and Conduct's hooks contain a token";
        return { refused, fix: `git rm --cached ${path}` };
      }
      const faults = claudeCodeSettingsFaults(text ?? "", ours);
      if (text !== undefined && faults.length === 0) return { text };
      if (faults[0]?.startsWith("disableAllHooks")) {
        const line = (text ?? "").split("\n").findIndex((one) => one.includes('"disableAllHooks"')) + 1;
        return { refused: faults[0], line, fix: "remove that line, then run it again" };
      }
      return checked(text, () => mergeClaudeCodeSettings(text ?? "", ours));
    },
    remove: (text) => (text === undefined ? { text } : checked(text, () => removeFromClaudeCodeSettings(text))),
    faults: (text) => claudeCodeSettingsFaults(text ?? "", ours),
  };
  return project === undefined ? [hooks] : [...gitExclude(project, path), hooks];
}

/** Conduct's own tools, for every project: their calls are refused unless a hook has allowed them. */
function toolsFile({ env, daemon }: InstallPlace): SettingsFile {
  const { CLAUDE_CONFIG_DIR: config } = env;
  const url = `http://127.0.0.1:${daemon.port}/mcp/claude-code`;
  const server: JsonObject = JSON.parse(claudeCodeMcpArguments({ url, token: daemon.token }).at(-1) ?? "{}");
  return {
    path: join(config || home(env), ".claude.json"),
    secret: true,
    about: "Conduct's own tools: read_result for shortened results, checkpoints, the user's memory",
    add(text) {
      const there = serverIn(text);
      if (there === undefined || isOurs(there)) return withServer(text, server);
      const refused = "it has an MCP server named 'conduct' that is not Conduct's";
      return { refused, fix: "rename that server; nothing was changed" };
    },
    remove: (text) => (isOurs(serverIn(text)) ? withServer(text, undefined) : { text }),
    faults(text) {
      if (isSameJson(serverIn(text), server)) return [];
      return ["the MCP server 'conduct' is missing or outdated"];
    },
  };
}

function serverIn(text: string | undefined): Json | undefined {
  const read = readSettingsObject(text);
  return "value" in read ? asObject(read.value.mcpServers).conduct : undefined;
}

function isOurs(server: Json | undefined): boolean {
  return /^http:\/\/127\.0\.0\.1:\d+\/mcp\/claude-code$/.test(asString(asObject(server).url));
}

function withServer(text: string | undefined, server: Json | undefined): Edited {
  const read = readSettingsObject(text);
  if ("refused" in read) return read;
  const { value } = read;
  const servers = asObject(value.mcpServers);
  if (isSameJson(servers.conduct, server)) return { text };
  const { conduct: _, ...others } = servers;
  const left = server === undefined ? others : { ...others, conduct: server };
  const { mcpServers: __, ...rest } = value;
  const whole = Object.keys(left).length === 0 ? rest : { ...value, mcpServers: left };
  const end = text === undefined || text.endsWith("\n") ? "\n" : "";
  return { text: `${JSON.stringify(whole, null, 2)}${end}` };
}

function checked(text: string | undefined, change: () => string): Edited {
  const read = readSettingsObject(text);
  if ("refused" in read) return { ...read, refused: `${read.refused}; Claude Code ignores all of it` };
  try {
    return { text: change() };
  } catch (error) {
    return { refused: errorText(error), line: 1, fix: "correct it; nothing was changed" };
  }
}

function folder(env: NodeJS.ProcessEnv): string {
  return env.CLAUDE_CONFIG_DIR || join(home(env), ".claude");
}

function home(env: NodeJS.ProcessEnv): string {
  return env.HOME || homedir();
}
