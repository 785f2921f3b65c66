import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { isObject } from "../../../../base/kernel/json.ts";
import type { Access, CallInput } from "../../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../../base/words/json.ts";
import { CONDUCT_TOOLS } from "../../../../engine/tools/conduct-tool.ts";
import { OWN_SERVER } from "../own-tools.ts";
import type { Carriers } from "../rewrite-input.ts";
import { fileCall, pick, taskCall } from "../tool-args.ts";
import type { McpServer } from "./native.ts";

/** Where the runtime resolves a path: `cwd` follows the agent's `cd`. */
export type Place = {
  readonly cwd: string;
  readonly home?: string;
  /** The source of the server with Conduct's own tools; `sdk` by default. */
  readonly ownSource?: string;
};

type Mapped = Pick<CallInput, "tool" | "args" | "native" | "cwd" | "paths">;

/** A native call in Conduct's vocabulary. Other tools are `server/name`, or `claude/Name` for the runtime's own. */
export function mapTool(name: string, input: unknown, place: Place, server?: McpServer): Mapped {
  const args = isObject(input) ? input : {};
  const mcp = mcpName(name, server);
  const native = { runtime: "claude", server: mcp?.server, name, input: (input ?? null) as Json };
  if (mcp !== undefined) {
    return { tool: isOwn(server, place.ownSource) ? mcp.tool : `${mcp.server}/${mcp.tool}`, args, native };
  }
  const known = Object.hasOwn(BUILTINS, name) ? BUILTINS[name]?.(args, place) : undefined;
  // Arguments that are no object stay unchanged: the engine denies them.
  return { ...(known ?? { tool: `claude/${name}`, args: input as JsonObject }), native };
}

/** Any server may be called `conduct`; ours is the one with Conduct's own source. */
export function isOwn(server: McpServer | undefined, source = "sdk"): boolean {
  return server?.name === OWN_SERVER && server.source === source;
}

type Common = Pick<Mapped, "tool" | "args" | "paths" | "cwd">;

const BUILTINS: Readonly<Record<string, (args: JsonObject, place: Place) => Common | undefined>> = {
  Read: (args, place) => file("read_file", "read", args.file_path, pick(args, "offset", "limit", "pages"), place),
  Write: (args, place) => file("write_file", "write", args.file_path, pick(args, "content"), place),
  Edit: ({ file_path, old_string = "", new_string = "", replace_all }, place) => {
    const change = { old: old_string, new: new_string };
    return file("edit_file", "write", file_path, replace_all === true ? { ...change, all: true } : change, place);
  },
  NotebookEdit: ({ notebook_path, new_source = "", ...more }, place) =>
    file("edit_file", "write", notebook_path, { new: new_source, ...pick(more, "cell_id", "edit_mode") }, place),
  // The model's description of its command is left out: an approval is for the command, not for its description.
  Bash: (args, place) => shell(args.command, args.run_in_background === true, place),
  Monitor: (args, place) => shell(args.command, true, place),
  Glob: (args, place) => search(args, fixedPart(args.pattern), place),
  Grep: (args, place) => search(args, "", place),
  WebFetch: (args) => ({ tool: "fetch", args: pick(args, "url") }),
  WebSearch: (args) => ({ tool: "web_search", args: pick(args, "query") }),
  Agent: taskCall,
  Task: taskCall,
};

const CARRIERS: Readonly<Record<string, Carriers>> = {
  Read: { path: "file_path", offset: "offset", limit: "limit", pages: "pages" },
  Write: { path: "file_path", content: "content" },
  Edit: { path: "file_path", old: "old_string", new: "new_string", all: "replace_all" },
  NotebookEdit: { path: "notebook_path", new: "new_source", cell_id: "cell_id", edit_mode: "edit_mode" },
  // Conduct counts in seconds, Claude Code in milliseconds.
  Bash: { command: "command", background: "run_in_background", timeout: { name: "timeout", times: 1_000 } },
  Monitor: { command: "command" },
  Glob: { pattern: "pattern", path: "path" },
  Grep: { pattern: "pattern", path: "path" },
  WebFetch: { url: "url" },
  WebSearch: { query: "query" },
  Agent: { prompt: "prompt", agent: "subagent_type" },
  Task: { prompt: "prompt", agent: "subagent_type" },
};

/** How a change to the mapped arguments is written back into the native input. */
export function carriersOf(name: string, { tool }: Pick<Mapped, "tool">): Carriers {
  if (tool === `claude/${name}` || name.startsWith("mcp__")) return "same";
  return CARRIERS[name] ?? {};
}

function file(tool: string, access: Access, path: Json | undefined, more: JsonObject, place: Place) {
  return fileCall(tool, access, path, more, (given) => locate(given, place));
}

function shell(command: Json | undefined, background: boolean, { cwd }: Place): Common | undefined {
  if (typeof command !== "string") return undefined;
  return { tool: "shell", args: background ? { command, background } : { command }, cwd };
}

function search(args: JsonObject, below: string, place: Place): Common {
  const base = locate(typeof args.path === "string" ? args.path : ".", place);
  const path = locate(below, { ...place, cwd: base });
  return { tool: "search", args: { pattern: "", ...pick(args, "pattern", "path") }, paths: [{ path, access: "read" }] };
}

/** The path as the runtime resolves it. Absolute paths stay as they were written. */
function locate(path: string, { cwd, home = homedir() }: Place): string {
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  return isAbsolute(path) ? path : resolve(cwd, path);
}

/** The folders before the first wildcard: a pattern can lead out of the folder it is searched in. */
function fixedPart(pattern: Json | undefined): string {
  if (typeof pattern !== "string") return "";
  const parts = pattern.split("/");
  const wild = parts.findIndex((part) => /[*?[\]{}!]/.test(part));
  const fixed = parts.slice(0, wild === -1 ? parts.length - 1 : wild).join("/");
  return fixed === "" && pattern.startsWith("/") ? "/" : fixed;
}

function mcpName(name: string, server: McpServer | undefined): { server: string; tool: string } | undefined {
  const [, first, rest] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  if (first === undefined || rest === undefined) return undefined;
  // The runtime writes some characters of a server's name as `_`; the event has the real name.
  return { server: server?.name ?? first, tool: rest };
}

const OWN: ReadonlySet<string> = new Set(CONDUCT_TOOLS.map(({ name }) => name));

const NATIVE: Readonly<Record<string, string>> = {
  read_file: "Read",
  write_file: "Write",
  edit_file: "Edit",
  shell: "Bash",
  search: "Grep",
  fetch: "WebFetch",
  web_search: "WebSearch",
  task: "Agent",
};

export function toolName(tool: string): string {
  if (OWN.has(tool)) return `mcp__${OWN_SERVER}__${tool}`;
  return (Object.hasOwn(NATIVE, tool) ? NATIVE[tool] : undefined) ?? tool;
}
