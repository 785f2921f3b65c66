import { isAbsolute, resolve } from "node:path";
import type { CallInput } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { ToolUse } from "../shared/hooks/hook-event.ts";
import { type Carriers, type KnownTool, mapKnown, nativeNames, SEARCH, TASK } from "../shared/tool-args.ts";

const EDIT = { path: "file_path", old: "old_string", new: "new_string", all: "replace_all" };

const TOOLS: ReadonlyMap<string, KnownTool> = new Map<string, KnownTool>([
  ["Shell", { tool: "shell", args: { command: "command", background: "is_background" } }],
  ["Read", { tool: "read_file", access: "read", args: { path: "file_path", offset: "offset", limit: "limit" } }],
  ["Write", { tool: "write_file", access: "write", args: { path: "file_path", content: "content" } }],
  ["StrReplace", { tool: "edit_file", access: "write", args: EDIT }],
  ["Edit", { tool: "edit_file", access: "write", args: EDIT }],
  ["Delete", { tool: "edit_file", access: "write", args: { path: "file_path" } }],
  ["Grep", { ...SEARCH, args: { pattern: "pattern", path: "file_path" } }],
  ["Glob", SEARCH],
  ["WebFetch", { tool: "fetch", args: { url: "url" } }],
  ["WebSearch", { tool: "web_search", args: { query: "query" } }],
  ["Task", TASK],
]);
const NATIVE = nativeNames(TOOLS);

/** Names that Cursor's documentation and its programs use for the same argument. */
const ALSO: { readonly [argument: string]: string } = { file_path: "path", path: "file_path", content: "contents" };

/** A tool's arguments by the names that this input uses. */
function knownFor(name: string, input: JsonObject): KnownTool | undefined {
  const known = TOOLS.get(name);
  if (known === undefined) return undefined;
  const args = Object.entries(known.args).map(([argument, carrier]) => {
    const also = typeof carrier === "string" ? ALSO[carrier] : undefined;
    const isAlso = also !== undefined && !Object.hasOwn(input, String(carrier)) && Object.hasOwn(input, also);
    return [argument, isAlso ? also : carrier] as const;
  });
  return { ...known, args: Object.fromEntries(args) };
}

/**
 * A native call in Conduct's vocabulary. A tool of an MCP server is `server/name`, or `mcp/name` where Cursor does not
 * name the server; other tools are `cursor/name`.
 */
export function mapTool(
  { name, input, mcp }: ToolUse,
  cwd: string,
): Pick<CallInput, "tool" | "args" | "paths" | "cwd"> {
  if (mcp !== undefined) return { tool: `${mcp.server}/${mcp.tool}`, args: input };
  const known = knownFor(name, input);
  const mapped = known && mapKnown(known, input, (path) => (isAbsolute(path) ? path : resolve(cwd, path)));
  if (mapped === undefined) return { tool: `cursor/${name}`, args: input };
  return mapped.tool === "shell" ? { ...mapped, cwd } : mapped;
}

/** `MCP:tool`, and in some versions `MCP:server:tool`. */
export function mcpOf(name: string): ToolUse["mcp"] {
  const [, server = "mcp", tool] = /^MCP:(?:([^:]+):)?(.+)$/s.exec(name) ?? [];
  return tool === undefined ? undefined : { server, tool };
}

export function carriersOf({ name, input, mcp }: ToolUse): Carriers {
  return mcp !== undefined ? "same" : (knownFor(name, input)?.args ?? "same");
}

export function toolName(tool: string): string {
  return NATIVE.get(tool) ?? tool;
}
