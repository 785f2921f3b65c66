import { resolve } from "node:path";
import { asString, isObject } from "../../../base/kernel/json.ts";
import type { Access, CallInput } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { mapPatch } from "../shared/patch.ts";
import type { Carriers } from "../shared/rewrite-input.ts";
import { fileCall, pick, taskCall } from "../shared/tool-args.ts";

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
  const known = Object.hasOwn(BUILTINS, name) ? BUILTINS[name]?.(args, place) : undefined;
  if (known !== undefined) return { ...known, native };
  const builtin = PLAIN.has(name) || Object.hasOwn(BUILTINS, name);
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

type Common = Omit<Mapped, "native">;

const BUILTINS: Readonly<Record<string, (args: JsonObject, place: Place) => Common | undefined>> = {
  read: (args, place) => file("read_file", "read", args.filePath, pick(args, "offset", "limit"), place),
  write: (args, place) => file("write_file", "write", args.filePath, pick(args, "content"), place),
  edit: ({ filePath, oldString = "", newString = "", replaceAll }, place) => {
    const change = { old: oldString, new: newString };
    return file("edit_file", "write", filePath, replaceAll === true ? { ...change, all: true } : change, place);
  },
  apply_patch: ({ patchText }, { cwd }) =>
    typeof patchText === "string" ? mapPatch(patchText, { locate: (path) => resolve(cwd, path) }) : undefined,
  bash: ({ command, workdir }, { cwd }) =>
    typeof command !== "string"
      ? undefined
      : { tool: "shell", args: { command }, cwd: resolve(cwd, asString(workdir)) },
  glob: search,
  grep: search,
  webfetch: (args) => ({ tool: "fetch", args: pick(args, "url") }),
  websearch: (args) => ({ tool: "web_search", args: pick(args, "query") }),
  task: taskCall,
};

const CARRIERS: Readonly<Record<string, Carriers>> = {
  read: { path: "filePath", offset: "offset", limit: "limit" },
  write: { path: "filePath", content: "content" },
  edit: { path: "filePath", old: "oldString", new: "newString", all: "replaceAll" },
  apply_patch: { patch: "patchText" },
  // Conduct counts in seconds, OpenCode in milliseconds.
  bash: { command: "command", timeout: { name: "timeout", times: 1_000 } },
  glob: { pattern: "pattern", path: "path" },
  grep: { pattern: "pattern", path: "path" },
  webfetch: { url: "url" },
  websearch: { query: "query" },
  task: { prompt: "prompt", agent: "subagent_type" },
};

/** How a change to the mapped arguments is written back into the native input. */
export function carriersOf(name: string, { tool, native }: Pick<Mapped, "tool" | "native">): Carriers {
  if (native?.server !== undefined || !Object.hasOwn(CARRIERS, name) || tool === `opencode/${name}`) return "same";
  return CARRIERS[name] ?? {};
}

const SEEN: Readonly<Record<string, string>> = {
  read_file: "read",
  write_file: "write",
  edit_file: "edit",
  shell: "bash",
  search: "grep",
  fetch: "webfetch",
  web_search: "websearch",
};

/** The model's name for a tool. OpenCode gives OpenAI's newer models one tool for all file changes. */
export function toolName(tool: string, modelID: string): string {
  const patches = modelID.includes("gpt-") && !modelID.includes("oss") && !modelID.includes("gpt-4");
  if (patches && (tool === "write_file" || tool === "edit_file")) return "apply_patch";
  const seen = Object.hasOwn(SEEN, tool) ? SEEN[tool] : undefined;
  if (seen !== undefined) return seen;
  return tool.includes("/") ? tool.split("/").map(sanitized).join("_") : tool;
}

function file(tool: string, access: Access, path: Json | undefined, more: JsonObject, { cwd }: Place) {
  return fileCall(tool, access, path, more, (given) => resolve(cwd, given));
}

function search(args: JsonObject, { cwd }: Place): Common {
  const path = resolve(cwd, asString(args.path));
  return { tool: "search", args: { pattern: "", ...pick(args, "pattern", "path") }, paths: [{ path, access: "read" }] };
}
