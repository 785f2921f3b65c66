import { isAbsolute, resolve } from "node:path";
import { asString } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import { CONDUCT_TOOLS } from "../../../engine/tools/conduct-tool.ts";
import type { ToolUse } from "../shared/hooks/hook-event.ts";
import { OWN_SERVER } from "../shared/own-tools.ts";
import { type Carriers, type KnownTool, mapKnown, mapPatch, nativeNames } from "../shared/tool-args.ts";

const SEARCH: KnownTool = { tool: "search", access: "read", args: { pattern: "pattern", path: "paths" } };

const TOOLS: ReadonlyMap<string, KnownTool> = new Map<string, KnownTool>([
  ["view", { tool: "read_file", access: "read", args: { path: "path", view_range: "view_range" } }],
  ["create", { tool: "write_file", access: "write", args: { path: "path", content: "file_text" } }],
  ["edit", { tool: "edit_file", access: "write", args: { path: "path", old: "old_str", new: "new_str" } }],
  ["bash", { tool: "shell", args: { command: "command", background: "detach" } }],
  ["grep", SEARCH],
  ["glob", SEARCH],
  ["web_fetch", { tool: "fetch", args: { url: "url" } }],
  ["task", { tool: "task", args: { prompt: "prompt", agent: "agent_type" } }],
]);
const NATIVE = nativeNames(TOOLS);
const OWN: ReadonlySet<string> = new Set(CONDUCT_TOOLS.map(({ name }) => name));

/** The server of Copilot CLI itself; its name has dashes, and a tool's name begins after the server's and a dash. */
const GITHUB = "github-mcp-server";

export function mcpOf(name: string): ToolUse["mcp"] {
  const server = name.startsWith(`${GITHUB}-`) ? GITHUB : (name.split("-")[0] ?? "");
  const tool = name.slice(server.length + 1);
  return server === "" || tool === "" ? undefined : { server, tool };
}

/** A native call in Conduct's vocabulary. Other tools are `server/name`, or `copilot/name` for the runtime's own. */
export function mapTool(
  { name, input, mcp }: ToolUse,
  cwd: string,
): Pick<CallInput, "tool" | "args" | "paths" | "cwd" | "actions" | "proves"> {
  if (mcp !== undefined)
    return { tool: mcp.server === OWN_SERVER ? mcp.tool : `${mcp.server}/${mcp.tool}`, args: input };
  const locate = (path: string) => (isAbsolute(path) ? path : resolve(cwd, path));
  if (name === "apply_patch") return mapPatch(asString(input.input ?? input.patch), { locate });
  const known = TOOLS.get(name);
  const mapped = known && mapKnown(known, input, locate);
  if (mapped === undefined) return { tool: `copilot/${name}`, args: input };
  return mapped.tool === "shell" ? { ...mapped, cwd } : mapped;
}

export function carriersOf({ name, mcp }: ToolUse): Carriers {
  if (name === "apply_patch") return {};
  return mcp !== undefined || !TOOLS.has(name) ? "same" : (TOOLS.get(name)?.args ?? {});
}

export function toolName(tool: string): string {
  return OWN.has(tool) ? `${OWN_SERVER}-${tool}` : (NATIVE.get(tool) ?? tool);
}
