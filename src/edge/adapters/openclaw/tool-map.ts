import { resolve } from "node:path";
import { asString } from "../../../base/kernel/json.ts";
import type { Access, CallInput, PathAccess } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { type Carriers, mapPatch, pick } from "../shared/tool-args.ts";
import type { ToolCallEvent } from "./native.ts";

type Mapped = Pick<CallInput, "tool" | "args" | "paths" | "cwd" | "actions" | "proves">;

/** The session's folder, and the names of Conduct's own tools. */
export type Place = { readonly cwd: string; readonly own: ReadonlySet<string> };

const NATIVE_NAMES: { readonly [tool: string]: string } = {
  read_file: "read",
  write_file: "write",
  edit_file: "edit",
  shell: "exec",
  fetch: "web_fetch",
  task: "sessions_spawn",
};

export function nativeToolName(tool: string): string {
  return NATIVE_NAMES[tool] ?? tool;
}

/** A call in Conduct's vocabulary. Other tools are `server/name`, or `openclaw/name` for OpenClaw's own. */
export function mapTool({ toolName, params, toolKind }: ToolCallEvent, place: Place): Mapped {
  const args = params as JsonObject;
  if (place.own.has(toolName)) return { tool: toolName, args };
  // In code mode `exec` takes a script; its calls are reported one by one.
  if (toolKind !== undefined) return { tool: `openclaw/${toolKind}`, args };
  const known = Object.hasOwn(BUILTINS, toolName) ? BUILTINS[toolName]?.(args, place) : undefined;
  return known ?? { tool: foreignName(toolName), args };
}

const CARRIERS: { readonly [name: string]: Carriers } = {
  read: "same",
  write: "same",
  edit: "same",
  ls: "same",
  apply_patch: { patch: "input" },
  exec: { command: "command", background: "background", env: "env", timeout: "timeoutSeconds" },
  web_fetch: "same",
  web_search: "same",
  sessions_spawn: { prompt: "task", agent: "agentId" },
};

/** How a change to the mapped arguments is written back into OpenClaw's. */
export function carriersOf({ toolName, toolKind }: Pick<ToolCallEvent, "toolName" | "toolKind">): Carriers {
  if (toolKind !== undefined) return "same";
  return Object.hasOwn(CARRIERS, toolName) ? (CARRIERS[toolName] ?? {}) : "same";
}

const BUILTINS: { readonly [name: string]: (args: JsonObject, place: Place) => Mapped | undefined } = {
  read: (args) => mapFile("read_file", "read", args),
  write: (args) => mapFile("write_file", "write", args),
  edit: (args) => mapFile("edit_file", "write", args),
  ls: (args) => mapFile("openclaw/ls", "read", { path: ".", ...args }),
  apply_patch: ({ input }) => patch(input),
  exec: mapExec,
  web_fetch: (args) => ({ tool: "fetch", args }),
  web_search: (args) => ({ tool: "web_search", args }),
  sessions_spawn: ({ task, agentId, ...more }) => ({
    tool: "task",
    args: { prompt: task ?? "", ...(agentId === undefined ? more : { agent: agentId, ...more }) },
  }),
};

/** OpenClaw joins a server and its tool into one name. */
function foreignName(name: string): string {
  const [, server, tool] = /^(.+?)__(.+)$/s.exec(name) ?? [];
  return server === undefined || tool === undefined ? `openclaw/${name}` : `${server}/${tool}`;
}

/** The command's title is left out: an approval is for the command, not for its description. */
function mapExec({ title: _title, workdir, timeoutSeconds, ...more }: JsonObject, { cwd }: Place): Mapped | undefined {
  const { command, env, host, node } = more;
  if (typeof command !== "string") return undefined;
  const args = timeoutSeconds === undefined ? { ...more, command } : { ...more, command, timeout: timeoutSeconds };
  // In another environment or on another machine, the same text is another command: checked the same, but no proof.
  const strange = env !== undefined || host !== undefined || node !== undefined;
  return {
    tool: "shell",
    args,
    cwd: asString(workdir).trim() === "" ? undefined : resolve(cwd, asString(workdir)),
    proves: strange ? [] : undefined,
  };
}

function mapFile(tool: string, access: Access, args: JsonObject): Mapped | undefined {
  const { path } = args;
  if (typeof path !== "string") return undefined;
  // Both spellings have to pass.
  const paths = [...new Set([openedPath(path), path])].map((one): PathAccess => ({ path: one, access }));
  return { tool, args: { ...args, path: openedPath(path) }, paths };
}

/** OpenClaw opens `@file` and `file:` URLs as the file that they name. */
function openedPath(path: string): string {
  const named = path.replace(/^@/, "");
  if (!/^file:\/\//i.test(named)) return named;
  try {
    return decodeURIComponent(new URL(named).pathname);
  } catch {
    return named;
  }
}

function patch(input: Json | undefined): Mapped | undefined {
  if (typeof input !== "string") return undefined;
  const mapped = mapPatch(input, { name: openedPath, locate: openedPath });
  return { ...mapped, args: { ...pick(mapped.args, "path"), patch: input } };
}
