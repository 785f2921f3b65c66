import { resolve } from "node:path";
import type { Access, CallInput, PathAccess } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { patchedFiles } from "../codex/patch.ts";
import type { Carriers } from "../rewrite-input.ts";
import type { ToolCallEvent } from "./native.ts";

type Mapped = Pick<CallInput, "tool" | "args" | "paths" | "cwd" | "actions" | "proves">;

/** Where the session works, and which tools of it are Conduct's own. */
export type Place = { readonly cwd: string; readonly own: ReadonlySet<string> };

const NATIVE_NAMES: { readonly [tool: string]: string } = {
  read_file: "read",
  write_file: "write",
  edit_file: "edit",
  shell: "exec",
  fetch: "web_fetch",
  task: "sessions_spawn",
};

/** How the model sees a tool of the vocabulary; Conduct's own are called the same. */
export function nativeToolName(tool: string): string {
  return NATIVE_NAMES[tool] ?? tool;
}

/** A call in Conduct's vocabulary: a server's as `server/name`, OpenClaw's own as `openclaw/name` where there is no word for it. */
export function mapTool({ toolName, params, toolKind }: ToolCallEvent, place: Place): Mapped {
  const args = params as JsonObject;
  if (place.own.has(toolName)) return { tool: toolName, args };
  // In code mode `exec` takes a script; the calls that it makes come one by one.
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

/** How a change to the mapped arguments gets back into OpenClaw's. */
export function carriersOf({ toolName, toolKind }: Pick<ToolCallEvent, "toolName" | "toolKind">): Carriers {
  if (toolKind !== undefined) return "same";
  return Object.hasOwn(CARRIERS, toolName) ? (CARRIERS[toolName] ?? {}) : "same";
}

const BUILTINS: { readonly [name: string]: (args: JsonObject, place: Place) => Mapped | undefined } = {
  read: (args) => mapFile("read_file", "read", args),
  write: (args) => mapFile("write_file", "write", args),
  edit: (args) => mapFile("edit_file", "write", args),
  ls: (args) => mapFile("openclaw/ls", "read", { path: ".", ...args }),
  apply_patch: ({ input }) => mapPatch(input),
  exec: mapExec,
  web_fetch: (args) => ({ tool: "fetch", args }),
  web_search: (args) => ({ tool: "web_search", args }),
  sessions_spawn: ({ task, agentId, ...more }) => ({
    tool: "task",
    args: { prompt: task ?? "", ...(agentId === undefined ? {} : { agent: agentId }), ...more },
  }),
};

/** OpenClaw writes a server and its tool as one word. */
function foreignName(name: string): string {
  const [, server, tool] = /^(.+?)__(.+)$/s.exec(name) ?? [];
  return server === undefined || tool === undefined ? `openclaw/${name}` : `${server}/${tool}`;
}

/** What the model says about its command is left out: an approval holds for the command, however it is called. */
function mapExec({ title: _title, workdir, timeoutSeconds, ...more }: JsonObject, { cwd }: Place): Mapped | undefined {
  const { command, env, host, node } = more;
  if (typeof command !== "string") return undefined;
  const timeout = timeoutSeconds === undefined ? {} : { timeout: timeoutSeconds };
  const elsewhere = typeof workdir === "string" && workdir.trim() !== "" ? { cwd: resolve(cwd, workdir) } : {};
  // In another environment, or on another machine, the same words are another command: gated the same, and no proof.
  const strange = env !== undefined || host !== undefined || node !== undefined;
  return { tool: "shell", args: { ...more, command, ...timeout }, ...elsewhere, ...(strange ? { proves: [] } : {}) };
}

function mapFile(tool: string, access: Access, args: JsonObject): Mapped | undefined {
  const { path } = args;
  if (typeof path !== "string") return undefined;
  // Checked as it is opened and as it is written: both have to pass.
  const paths = [...new Set([openedPath(path), path])].map((one): PathAccess => ({ path: one, access }));
  return { tool, args: { ...args, path: openedPath(path) }, paths };
}

/** OpenClaw opens `@file` and `file:` addresses as the file that they name. */
function openedPath(path: string): string {
  const named = path.replace(/^@/, "");
  if (!/^file:\/\//i.test(named)) return named;
  try {
    return decodeURIComponent(new URL(named).pathname);
  } catch {
    return named;
  }
}

function mapPatch(patch: Json | undefined): Mapped | undefined {
  if (typeof patch !== "string") return undefined;
  const files = patchedFiles(patch).map((file) => ({ ...file, path: openedPath(file.path) }));
  const [first] = files;
  const added = files.length > 0 && files.every(({ change }) => change === "add");
  const also = files.some(({ change }) => change === "add") && !added ? ["write_file"] : [];
  return {
    tool: added ? "write_file" : "edit_file",
    args: { ...(first === undefined ? {} : { path: first.path }), patch },
    paths: [...new Set(files.map(({ path }) => path))].map((path) => ({ path, access: "write" })),
    actions: also,
    proves: also,
  };
}
