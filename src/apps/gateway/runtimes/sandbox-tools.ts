import { dirname } from "node:path";
import type { AgentTool } from "@earendil-works/pi-agent-core";
import { asString } from "../../../base/kernel/json.ts";
import type { Commands } from "../../../base/ports/commands.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { PluginTool } from "../../../base/words/hosting/plugin.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { DIRECTIVES, splitDirectives } from "../../../behavior/policy/builtin/requirements.ts";
import { skillPaths, skillRoot } from "../../../behavior/policy/builtin/skill-paths.ts";
import { safeFetch } from "../../../edge/host/node/safe-url.ts";
import { type WorkspaceFiles, workspaceFiles } from "../../../edge/host/sandbox/workspace-files.ts";

/** Timeout of a command run by a tool. */
const COMMAND_MS = 120_000;
/** Default timeout of any tool. */
const TOOL_MS = 150_000;

export type HostedTools = { readonly [name: string]: HostedTool };
type Text = { readonly text: string; readonly exitCode?: number; readonly requirements?: Json };
/** A tool's working folder, and the sandbox that runs its commands. */
export type ToolWorld = {
  readonly files: WorkspaceFiles;
  readonly commands: Commands;
  /** Files and folders of skills, which may be read. */
  readonly skills?: readonly string[];
  readonly signal?: AbortSignal | undefined;
};
export type HostedTool = {
  readonly description: string;
  readonly parameters: JsonObject;
  run(args: JsonObject, world: ToolWorld): Promise<Text>;
};

/** Tools hosted by the gateway, with their common names. They work in the conversation's folder. */
const FILES_AND_SHELL: HostedTools = {
  read_file: {
    description: "Read a text file",
    parameters: objectOf({ path: "the file, relative to your folder" }),
    async run(args, { files, skills = [] }) {
      const path = asString(args.path);
      const root = skillRoot(path, skills);
      // The folder of a skill is read the same way as the agent's own, so that no link leads out of it.
      const place = root === path ? dirname(path) : root;
      const { text, isCut } = await (place === undefined ? files : workspaceFiles(place)).read(path);
      return { text: isCut ? `${text}\n[the rest was not read]` : text };
    },
  },
  write_file: {
    description: "Write a text file and replace its content",
    parameters: objectOf({ path: "the file, relative to your folder", content: "the whole text" }),
    async run(args, { files }) {
      await files.write(asString(args.path), asString(args.content));
      return { text: `wrote ${asString(args.path)}` };
    },
  },
  search: {
    description: "List the files of your folder",
    parameters: objectOf({}),
    async run(_args, { files }) {
      const listed = await files.list();
      return { text: [...listed.files, ...(listed.isCut ? ["[further files were not listed]"] : [])].join("\n") };
    },
  },
  fetch: {
    description: "Read a page of the open web",
    parameters: objectOf({ url: "its address, http or https" }),
    async run(args, { signal }) {
      const { status, url, text, isCut } = await safeFetch(asString(args.url), { signal });
      if (status >= 400) throw new Error(`${url} answered ${status}: ${text.slice(0, 500)}`);
      return { text: isCut ? `${text}\n[the rest was not read]` : text };
    },
  },
  shell: {
    description: "Run a command in your folder",
    parameters: objectOf({ command: "the command line" }),
    run: (args, world) => command(asString(args.command), world),
  },
};

export type ToolPlace = {
  readonly workspace: string;
  readonly commands: Commands;
  /** Additional tools of this agent. */
  readonly more?: HostedTools;
  /** Timeout of a tool. */
  readonly limitMs?: number | undefined;
};

/** Returns the agent's tools that the gateway hosts, and the names of the others, because the agent cannot use them. */
export function sandboxTools(
  agent: Agent,
  { workspace, commands, more = {}, limitMs = TOOL_MS }: ToolPlace,
): { readonly tools: readonly AgentTool[]; readonly missing: readonly string[] } {
  const files = workspaceFiles(workspace);
  const skills = skillPaths(agent.prompt);
  const all = { ...more, ...FILES_AND_SHELL };
  const tools = agent.tools.flatMap((declared): AgentTool[] => {
    const hosted = Object.hasOwn(all, declared.name) ? all[declared.name] : undefined;
    if (hosted === undefined) return [];
    return [
      {
        name: declared.name,
        label: declared.name,
        description: declared.description ?? hosted.description,
        parameters: hosted.parameters,
        async execute(_id, params, signal) {
          const running = hosted.run(params as JsonObject, { files, commands, skills, signal });
          const { text, exitCode, requirements } = await within(running, declared.name, limitMs, signal);
          return { content: [{ type: "text", text }], details: { exitCode, requirements } };
        },
      },
    ];
  });
  const known = new Set(tools.map(({ name }) => name));
  return { tools, missing: agent.tools.map(({ name }) => name).filter((name) => !known.has(name)) };
}

/** Tools of plugins run in this process, as the operator's own code. */
export function pluginTools(tools: readonly PluginTool[], workspace: string): HostedTools {
  return Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      {
        description: tool.description,
        parameters: tool.parameters,
        async run(args, { signal }) {
          const answer = await tool.run(args, signal === undefined ? { workspace } : { workspace, signal });
          if (typeof answer === "string") return { text: answer };
          const { rest, directives } = splitDirectives(answer);
          return {
            text: JSON.stringify(rest) ?? "(no output)",
            requirements: directives.map((one) => ({ [DIRECTIVES]: one as Json })),
          };
        },
      } satisfies HostedTool,
    ]),
  );
}

/** Abandons a tool that does not end, so that the turn continues and can be cancelled. */
function within<T>(running: Promise<T>, tool: string, ms: number, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = `${tool} did not finish within ${ms / 1_000} seconds. It may still have an effect, so check before you repeat it.`;
    const timer = setTimeout(() => reject(new Error(late)), ms);
    const cancel = () => reject(new Error(`${tool} was cancelled. It may still have an effect.`));
    signal?.addEventListener("abort", cancel, { once: true });
    running.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    });
  });
}

async function command(line: string, { commands, signal }: ToolWorld): Promise<Text> {
  const { exitCode, output, timedOut } = await commands.run(line, {
    timeoutMs: COMMAND_MS,
    signal,
    // Truncation decides what the agent sees, and stores the rest.
    whole: true,
  });
  const text = timedOut ? `${output}\n[ended after ${COMMAND_MS / 1_000} seconds]` : output || "(no output)";
  return { text, exitCode: exitCode ?? 1 };
}

export function objectOf(fields: { readonly [name: string]: string }): JsonObject {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, description]) => [name, { type: "string", description }]),
  );
  return { type: "object", properties, required: Object.keys(fields), additionalProperties: false };
}
