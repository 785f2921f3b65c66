import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { isObject } from "../../../../base/kernel/json.ts";
import type { CallInput } from "../../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../../base/words/json.ts";
import { CONDUCT_TOOLS } from "../../../../engine/tools/conduct-tool.ts";
import { OWN_SERVER } from "../own-tools.ts";
import { type Carriers, type KnownTool, mapKnown, nativeNames, SEARCH, TASK } from "../tool-args.ts";
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
  const known = isObject(input) ? mapBuiltin(name, input, place) : undefined;
  // Arguments that are no object stay unchanged: the engine denies them.
  return { ...(known ?? { tool: `claude/${name}`, args: input as JsonObject }), native };
}

/** Any server may be called `conduct`; ours is the one with Conduct's own source. */
export function isOwn(server: McpServer | undefined, source = "sdk"): boolean {
  return server?.name === OWN_SERVER && server.source === source;
}

const READ = { path: "file_path", offset: "offset", limit: "limit", pages: "pages" };
const EDIT = { path: "file_path", old: "old_string", new: "new_string", all: "replace_all" };
const CELL = { path: "notebook_path", new: "new_source", cell_id: "cell_id", edit_mode: "edit_mode" };
// The description of a command is left out: an approval is for the command. Claude Code counts in milliseconds.
const BASH = { command: "command", background: "run_in_background", timeout: { name: "timeout", times: 1_000 } };

const BUILTINS: ReadonlyMap<string, KnownTool> = new Map<string, KnownTool>([
  ["Read", { tool: "read_file", access: "read", args: READ }],
  ["Write", { tool: "write_file", access: "write", args: { path: "file_path", content: "content" } }],
  ["Edit", { tool: "edit_file", access: "write", args: EDIT }],
  ["MultiEdit", { tool: "edit_file", access: "write", args: { path: "file_path", edits: "edits" } }],
  ["NotebookEdit", { tool: "edit_file", access: "write", args: CELL }],
  ["Bash", { tool: "shell", args: BASH }],
  ["PowerShell", { tool: "shell", args: BASH }],
  ["Monitor", { tool: "shell", args: { command: "command" } }],
  ["NotebookRead", { tool: "read_file", access: "read", args: { path: "notebook_path" } }],
  ["LS", { tool: "search", access: "read", args: { path: "path" } }],
  ["Grep", SEARCH],
  ["Glob", SEARCH],
  ["WebFetch", { tool: "fetch", args: { url: "url" } }],
  ["WebSearch", { tool: "web_search", args: { query: "query" } }],
  ["Agent", TASK],
  ["Task", TASK],
]);

function mapBuiltin(name: string, args: JsonObject, place: Place): Omit<Mapped, "native"> | undefined {
  const known = BUILTINS.get(name);
  if (known === undefined) return undefined;
  const below = name === "Glob" ? fixedPart(args.pattern) : "";
  const mapped = mapKnown(known, args, (path) => locate(below, { ...place, cwd: locate(path, place) }));
  if (mapped?.tool !== "shell") return mapped;
  const ran = name === "Monitor" ? { ...mapped.args, background: true } : mapped.args;
  return { ...mapped, args: ran, cwd: place.cwd };
}

/** How a change to the mapped arguments is written back into the native input. */
export function carriersOf(name: string, { tool }: Pick<Mapped, "tool">): Carriers {
  if (tool === `claude/${name}` || name.startsWith("mcp__")) return "same";
  return BUILTINS.get(name)?.args ?? {};
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

const NATIVE = nativeNames(BUILTINS);

export function toolName(tool: string): string {
  return OWN.has(tool) ? `mcp__${OWN_SERVER}__${tool}` : (NATIVE.get(tool) ?? tool);
}
