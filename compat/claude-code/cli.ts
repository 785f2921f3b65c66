import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parseObject } from "../../src/base/kernel/json.ts";
import type { JsonObject } from "../../src/base/words/json.ts";
import { mergeClaudeCodeSettings } from "../../src/edge/adapters/claude-code/merge-settings.ts";
import { claudeCodeSettings, type SettingsOptions } from "../../src/edge/adapters/claude-code/settings.ts";
import type { Daemon } from "./daemon.ts";
import type { Place } from "./place.ts";

/** The command line that the Agent SDK brings along, installed in `compat/claude`. */
const require = createRequire(join(import.meta.dirname, "../claude/package.json"));
const platform = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`;
export const CLAUDE = join(dirname(require.resolve(`${platform}/package.json`)), "claude");

export type SetUp = {
  /** Text of `settings.json` before Conduct's hooks are put in. */
  readonly settings?: string;
  /** More MCP servers of this user's, as Claude Code takes them. */
  readonly mcpServers?: JsonObject;
  readonly seconds?: SettingsOptions["seconds"];
  readonly startCommand?: string;
};

/** Does what `conduct init claude-code` does: the hooks, and Conduct's own tools. */
export function setUp(place: Place, { port, token }: Pick<Daemon, "port" | "token">, given: SetUp = {}): void {
  const { settings = "", mcpServers = {}, seconds } = given;
  const url = `http://127.0.0.1:${port}/hooks/claude-code`;
  const start = `${process.execPath} ${join(import.meta.dirname, "start.ts")} ${url} ${token}`;
  const ours = claudeCodeSettings({
    url,
    token,
    startCommand: given.startCommand ?? start,
    seconds,
  });
  writeFileSync(join(place.config, "settings.json"), mergeClaudeCodeSettings(settings, ours));
  const conduct = {
    type: "http",
    url: `http://127.0.0.1:${port}/mcp/claude-code`,
    headers: { Authorization: `Bearer ${token}` },
    alwaysLoad: true,
  };
  writeFileSync(join(place.config, ".claude.json"), JSON.stringify({ mcpServers: { ...mcpServers, conduct } }));
}

export type CliEnd = {
  readonly exitCode: number | null;
  /** The lines of its stream. */
  readonly messages: readonly JsonObject[];
  readonly stderr: string;
};

export const ALLOWED = "Read,Write,Edit,Bash,Glob,Grep,Agent,Task";

/** `claude -p MESSAGE`, as a person runs it, on loopback only. */
export function runClaude(place: Place, modelUrl: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const stream = ["--output-format", "stream-json", "--verbose"];
  return new Promise<CliEnd>((resolve, reject) => {
    const child = spawn(CLAUDE, [...args, ...stream], {
      cwd: place.workspace,
      env: { ...environment(place, modelUrl), ...more },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (text) => {
      stdout += text;
    });
    child.stderr.on("data", (text) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (exitCode) => {
      const messages = stdout.split("\n").flatMap((line): readonly JsonObject[] => {
        const message = parseObject(line);
        return message === undefined ? [] : [message];
      });
      resolve({ exitCode, messages, stderr });
    });
  });
}

/** Nothing of this machine's user: own home, own configuration, a model on loopback, and no other traffic. */
export function environment({ home, config }: Place, modelUrl: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    SHELL: "/bin/bash",
    HOME: home,
    CLAUDE_CONFIG_DIR: config,
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: "scripted",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
}

/** What the person was shown besides the model's answers. The runtime puts the hook's name before each line. */
export function shownIn({ messages }: CliEnd): readonly string[] {
  return messages.flatMap(({ type, subtype, content }) =>
    type === "system" && subtype === "informational" && typeof content === "string"
      ? [content.replace(/^\w+(?::\S+)? says: /gm, "")]
      : [],
  );
}

/** The last line: what the run came to. */
export function resultOfRun({ messages }: CliEnd): JsonObject {
  return messages.findLast(({ type }) => type === "result") ?? {};
}
