import { resolve } from "node:path";
import { asString, isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { type Carriers, type KnownTool, mapKnown, mapPatch, nativeNames, SEARCH, TASK } from "../shared/tool-args.ts";

/** A call in Conduct's vocabulary, without its id and step. */
type Mapped = Pick<CallInput, "tool" | "args" | "native" | "cwd" | "paths" | "actions" | "proves">;

/** `cwd` is OpenCode's folder, `servers` its MCP servers by name, `own` Conduct's tools. */
type Place = {
  readonly cwd: string;
  readonly servers: readonly string[];
  readonly own: readonly string[];
};

/** OpenCode's own tools without a name in Conduct's vocabulary. */
const PLAIN = new Set([
  "todowrite",
  "skill",
  "question",
  "invalid",
  "execute",
  "lsp",
  "plan_exit",
  "list_mcp_resources",
  "list_mcp_resource_templates",
  "read_mcp_resource",
]);

/** A native call in Conduct's vocabulary. An MCP server's tool is `server/name`, a plugin's has its own name. */
export function mapTool(name: string, input: unknown, place: Place): Mapped {
  const args = isObject(input) ? input : {};
  const mcp = serverTool(name, place.servers);
  const native = { runtime: "opencode", server: mcp?.server, name, input: (input ?? null) as Json };
  // Arguments that are no object stay unchanged: the engine denies them.
  const asGiven = input as JsonObject;
  if (mcp !== undefined) return { tool: `${mcp.server}/${mcp.tool}`, args: asGiven, native };
  if (place.own.includes(name)) return { tool: name, args: asGiven, native };
  const known = mapBuiltin(name, args, place.cwd);
  if (known !== undefined) return { ...known, native };
  const builtin = PLAIN.has(name) || name === PATCH || BUILTINS.has(name);
  return { tool: builtin ? `opencode/${name}` : name, args: asGiven, native };
}

/** OpenCode joins server and tool with an underscore, which both may contain: the longest matching server counts. */
function serverTool(
  name: string,
  servers: readonly string[],
): { readonly server: string; readonly tool: string } | undefined {
  const fitting = servers.filter((server) => name.startsWith(`${sanitized(server)}_`));
  const [server] = fitting.sort((a, b) => b.length - a.length);
  return server === undefined ? undefined : { server, tool: name.slice(sanitized(server).length + 1) };
}

function sanitized(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_");
}

const PATCH = "apply_patch";

const EDIT = { path: "filePath", old: "oldString", new: "newString", all: "replaceAll" };

const BUILTINS: ReadonlyMap<string, KnownTool> = new Map<string, KnownTool>([
  ["read", { tool: "read_file", access: "read", args: { path: "filePath", offset: "offset", limit: "limit" } }],
  ["write", { tool: "write_file", access: "write", args: { path: "filePath", content: "content" } }],
  ["edit", { tool: "edit_file", access: "write", args: EDIT }],
  // Conduct counts in seconds, OpenCode in milliseconds.
  ["bash", { tool: "shell", args: { command: "command", timeout: { name: "timeout", times: 1_000 } } }],
  ["grep", SEARCH],
  ["glob", SEARCH],
  ["webfetch", { tool: "fetch", args: { url: "url" } }],
  ["websearch", { tool: "web_search", args: { query: "query" } }],
  ["task", TASK],
]);

function mapBuiltin(name: string, args: JsonObject, cwd: string): Omit<Mapped, "native"> | undefined {
  const locate = (path: string) => resolve(cwd, path);
  if (name === PATCH && typeof args.patchText === "string") return mapPatch(args.patchText, { locate });
  const known = BUILTINS.get(name);
  const mapped = known === undefined ? undefined : mapKnown(known, args, locate);
  return mapped?.tool === "shell" ? { ...mapped, cwd: locate(asString(args.workdir)) } : mapped;
}

/** How a change to the mapped arguments is written back into the native input. */
export function carriersOf(name: string, { tool, native }: Pick<Mapped, "tool" | "native">): Carriers {
  if (native?.server !== undefined || tool === `opencode/${name}`) return "same";
  return name === PATCH ? { patch: "patchText" } : (BUILTINS.get(name)?.args ?? "same");
}

const SEEN = nativeNames(BUILTINS);

/** The model's name for a tool. OpenCode gives OpenAI's newer models one tool for all file changes. */
export function toolName(tool: string, modelID: string): string {
  const patches = modelID.includes("gpt-") && !modelID.includes("oss") && !modelID.includes("gpt-4");
  if (patches && (tool === "write_file" || tool === "edit_file")) return PATCH;
  return SEEN.get(tool) ?? (tool.includes("/") ? tool.split("/").map(sanitized).join("_") : tool);
}
