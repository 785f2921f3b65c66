import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { isObject } from "../../../base/kernel/json.ts";
import type { CallInput, PathAccess } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { Carriers } from "../rewrite-input.ts";
import type { McpServer } from "./native.ts";

/** The MCP server that carries Conduct's own tools. */
export const OWN_SERVER = "conduct";

/** Where the runtime stands when it reads a path: `cwd` follows the agent's `cd`. */
export type Place = {
  readonly cwd: string;
  readonly home?: string;
  /** How the server of Conduct's own tools was configured; `sdk` unless told. */
  readonly ownSource?: string;
};

export type Mapped = Pick<CallInput, "tool" | "args" | "native" | "cwd"> & { readonly paths?: readonly PathAccess[] };

/** A native call in Conduct's vocabulary. What has no name there is `server/name`, the runtime's own as `claude/Name`. */
export function mapTool(name: string, input: unknown, place: Place, server?: McpServer): Mapped {
  const args = isObject(input) ? input : {};
  const mcp = mcpName(name, server);
  const native = {
    runtime: "claude",
    ...(mcp === undefined ? {} : { server: mcp.server }),
    name,
    input: (input ?? null) as Json,
  };
  if (mcp !== undefined) {
    return { tool: isOwn(server, place.ownSource) ? mcp.tool : `${mcp.server}/${mcp.tool}`, args, native };
  }
  const known = Object.hasOwn(BUILTINS, name) ? BUILTINS[name]?.(args, place) : undefined;
  // Arguments that are no object are left as they are: the engine denies what it cannot read.
  return known === undefined
    ? { tool: `claude/${name}`, args: isObject(input) ? input : (input as JsonObject), native }
    : { ...known, native };
}

/** Anyone can name a server `conduct`; only the one that was configured where Conduct puts its own is ours. */
export function isOwn(server: McpServer | undefined, source = "sdk"): boolean {
  return server?.name === OWN_SERVER && server.source === source;
}

type Common = Pick<Mapped, "tool" | "args" | "paths" | "cwd">;

const BUILTINS: Readonly<Record<string, (args: JsonObject, place: Place) => Common | undefined>> = {
  Read: (args, place) => file("read_file", "read", args.file_path, pick(args, "offset", "limit", "pages"), place),
  Write: (args, place) => file("write_file", "write", args.file_path, pick(args, "content"), place),
  Edit: ({ file_path, old_string = "", new_string = "", replace_all }, place) => {
    const all = replace_all === true ? { all: true } : {};
    return file("edit_file", "write", file_path, { old: old_string, new: new_string, ...all }, place);
  },
  NotebookEdit: ({ notebook_path, new_source = "", ...more }, place) =>
    file("edit_file", "write", notebook_path, { new: new_source, ...pick(more, "cell_id", "edit_mode") }, place),
  // What a model says about its command is left out: an approval holds for the command, however it is described.
  Bash: (args, place) => shell(args.command, args.run_in_background === true, place),
  Monitor: (args, place) => shell(args.command, true, place),
  Glob: ({ pattern = "", path }, place) => search(pattern, path, fixedPart(pattern), place),
  Grep: ({ pattern = "", path }, place) => search(pattern, path, "", place),
  WebFetch: (args) => ({ tool: "fetch", args: pick(args, "url") }),
  WebSearch: (args) => ({ tool: "web_search", args: pick(args, "query") }),
  Agent: task,
  Task: task,
};

const CARRIERS: Readonly<Record<string, Carriers>> = {
  Read: { path: "file_path", offset: "offset", limit: "limit", pages: "pages" },
  Write: { path: "file_path", content: "content" },
  Edit: { path: "file_path", old: "old_string", new: "new_string", all: "replace_all" },
  NotebookEdit: { path: "notebook_path", new: "new_source", cell_id: "cell_id", edit_mode: "edit_mode" },
  // Seconds here, milliseconds there.
  Bash: { command: "command", background: "run_in_background", timeout: { name: "timeout", times: 1_000 } },
  Monitor: { command: "command" },
  Glob: { pattern: "pattern", path: "path" },
  Grep: { pattern: "pattern", path: "path" },
  WebFetch: { url: "url" },
  WebSearch: { query: "query" },
  Agent: { prompt: "prompt", agent: "subagent_type" },
  Task: { prompt: "prompt", agent: "subagent_type" },
};

/** How a change to the mapped arguments gets back into the native input. */
export function carriersOf(name: string, { tool }: Pick<Mapped, "tool">): Carriers {
  if (tool === `claude/${name}` || name.startsWith("mcp__")) return "same";
  return CARRIERS[name] ?? {};
}

function file(
  tool: string,
  access: PathAccess["access"],
  path: Json | undefined,
  more: JsonObject,
  place: Place,
): Common | undefined {
  if (typeof path !== "string") return undefined;
  return { tool, args: { path, ...more }, paths: [{ path: locate(path, place), access }] };
}

function shell(command: Json | undefined, background: boolean, { cwd }: Place): Common | undefined {
  if (typeof command !== "string") return undefined;
  return { tool: "shell", args: { command, ...(background ? { background } : {}) }, cwd };
}

function search(pattern: Json, path: Json | undefined, below: string, place: Place): Common {
  const base = locate(typeof path === "string" ? path : ".", place);
  const root = locate(below, { ...place, cwd: base });
  return {
    tool: "search",
    args: { pattern, ...(path === undefined ? {} : { path }) },
    paths: [{ path: root, access: "read" }],
  };
}

function task({ prompt = "", subagent_type }: JsonObject): Common {
  return { tool: "task", args: { prompt, ...(subagent_type === undefined ? {} : { agent: subagent_type }) } };
}

/** As the runtime finds it: `~` is its home, the rest is below where it stands. Absolute paths stay as they were written. */
function locate(path: string, { cwd, home = homedir() }: Place): string {
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  return isAbsolute(path) ? path : resolve(cwd, path);
}

/** The folders before the first wildcard: a pattern can lead out of the folder it is searched in. */
function fixedPart(pattern: Json): string {
  if (typeof pattern !== "string") return "";
  const parts = pattern.split("/");
  const wild = parts.findIndex((part) => /[*?[\]{}!]/.test(part));
  const fixed = parts.slice(0, wild === -1 ? parts.length - 1 : wild).join("/");
  return fixed === "" && pattern.startsWith("/") ? "/" : fixed;
}

function mcpName(name: string, server: McpServer | undefined): { server: string; tool: string } | undefined {
  const [, first, rest] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  if (first === undefined || rest === undefined) return undefined;
  // The server's own name may hold what the runtime writes as `_`; the provenance has it as it is.
  return { server: server?.name ?? first, tool: rest };
}

function pick(args: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (args[name] === undefined ? [] : [[name, args[name]]])));
}
