import { isAbsolute, resolve } from "node:path";
import type { CallInput } from "../../../base/words/call.ts";
import { CONDUCT_TOOLS } from "../../../engine/tools/conduct-tool.ts";
import type { ToolUse } from "../shared/hooks/hook-event.ts";
import { OWN_SERVER } from "../shared/own-tools.ts";
import { type Carriers, type KnownTool, mapKnown, nativeNames } from "../shared/tool-args.ts";

const READ = { path: "file_path", offset: "start_line", limit: "end_line" };
const EDIT = { path: "file_path", old: "old_string", new: "new_string", all: "allow_multiple" };
const SEARCH: KnownTool = { tool: "search", access: "read", args: { pattern: "pattern", path: "dir_path" } };

const TOOLS: ReadonlyMap<string, KnownTool> = new Map<string, KnownTool>([
  ["read_file", { tool: "read_file", access: "read", args: READ }],
  ["write_file", { tool: "write_file", access: "write", args: { path: "file_path", content: "content" } }],
  ["replace", { tool: "edit_file", access: "write", args: EDIT }],
  ["run_shell_command", { tool: "shell", args: { command: "command", background: "is_background" } }],
  ["list_directory", SEARCH],
  ["grep_search", SEARCH],
  ["search_file_content", SEARCH],
  ["glob", SEARCH],
  ["web_fetch", { tool: "fetch", args: { prompt: "prompt" } }],
  ["google_web_search", { tool: "web_search", args: { query: "query" } }],
  ["invoke_agent", { tool: "task", args: { prompt: "prompt", agent: "agent_name" } }],
]);
const NATIVE = nativeNames(TOOLS);
const OWN: ReadonlySet<string> = new Set(CONDUCT_TOOLS.map(({ name }) => name));

/** A native call in Conduct's vocabulary. Other tools are `server/name`, or `gemini/name` for the runtime's own. */
export function mapTool(
  { name, input, mcp }: ToolUse,
  cwd: string,
): Pick<CallInput, "tool" | "args" | "paths" | "cwd"> {
  // Gemini CLI adds this argument to every tool and takes it out again.
  const { wait_for_previous: _, ...args } = input;
  if (mcp !== undefined) return { tool: mcp.server === OWN_SERVER ? mcp.tool : `${mcp.server}/${mcp.tool}`, args };
  const known = TOOLS.get(name);
  const mapped = known && mapKnown(known, args, (path) => (isAbsolute(path) ? path : resolve(cwd, path)));
  if (mapped === undefined) return { tool: `gemini/${name}`, args };
  if (mapped.tool !== "shell") return mapped;
  return { ...mapped, cwd: typeof args.dir_path === "string" ? resolve(cwd, args.dir_path) : cwd };
}

export function carriersOf({ name, mcp }: ToolUse): Carriers {
  return mcp !== undefined || !TOOLS.has(name) ? "same" : (TOOLS.get(name)?.args ?? {});
}

export function toolName(tool: string): string {
  return OWN.has(tool) ? `mcp_${OWN_SERVER}_${tool}` : (NATIVE.get(tool) ?? tool);
}
