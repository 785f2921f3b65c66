import { resolve } from "node:path";
import { isObject } from "../../../base/kernel/json.ts";
import type { CallInput, PathAccess } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { patchedFiles } from "../codex/patch.ts";
import type { Carriers } from "../rewrite-input.ts";

/** A call in Conduct's vocabulary, without its id and step. */
export type Mapped = Pick<CallInput, "tool" | "args" | "native" | "cwd" | "actions" | "proves"> & {
  readonly paths?: readonly PathAccess[];
};

/** Where a call is made: `cwd` is the folder OpenCode works in, `servers` its MCP servers by name, `own` Conduct's tools. */
export type Place = {
  readonly cwd: string;
  readonly servers: readonly string[];
  readonly own: readonly string[];
};

/** Tools that OpenCode brings along and that have no name in the vocabulary. */
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
  const native = {
    runtime: "opencode",
    ...(mcp === undefined ? {} : { server: mcp.server }),
    name,
    input: (input ?? null) as Json,
  };
  // Arguments that are no object are left as they are: the engine denies what it cannot read.
  const asGiven = isObject(input) ? input : (input as JsonObject);
  if (mcp !== undefined) return { tool: `${mcp.server}/${mcp.tool}`, args: asGiven, native };
  if (place.own.includes(name)) return { tool: name, args: asGiven, native };
  const known = Object.hasOwn(BUILTINS, name) ? BUILTINS[name]?.(args, place) : undefined;
  if (known !== undefined) return { ...known, native };
  const builtin = PLAIN.has(name) || Object.hasOwn(BUILTINS, name);
  return { tool: builtin ? `opencode/${name}` : name, args: asGiven, native };
}

/** OpenCode joins server and tool with an underscore, which both may contain: the longest server that fits is meant. */
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
    const all = replaceAll === true ? { all: true } : {};
    return file("edit_file", "write", filePath, { old: oldString, new: newString, ...all }, place);
  },
  apply_patch: ({ patchText }, place) => patch(patchText, place),
  bash: ({ command, workdir }, { cwd }) =>
    typeof command !== "string"
      ? undefined
      : { tool: "shell", args: { command }, cwd: resolve(cwd, typeof workdir === "string" ? workdir : "") },
  glob: search,
  grep: search,
  webfetch: (args) => ({ tool: "fetch", args: pick(args, "url") }),
  websearch: (args) => ({ tool: "web_search", args: pick(args, "query") }),
  task: ({ prompt = "", subagent_type }) => ({
    tool: "task",
    args: { prompt, ...(subagent_type === undefined ? {} : { agent: subagent_type }) },
  }),
};

const CARRIERS: Readonly<Record<string, Carriers>> = {
  read: { path: "filePath", offset: "offset", limit: "limit" },
  write: { path: "filePath", content: "content" },
  edit: { path: "filePath", old: "oldString", new: "newString", all: "replaceAll" },
  apply_patch: { patch: "patchText" },
  // Seconds here, milliseconds there.
  bash: { command: "command", timeout: { name: "timeout", times: 1_000 } },
  glob: { pattern: "pattern", path: "path" },
  grep: { pattern: "pattern", path: "path" },
  webfetch: { url: "url" },
  websearch: { query: "query" },
  task: { prompt: "prompt", agent: "subagent_type" },
};

/** How a change to the mapped arguments gets back into the native input. */
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

/** How a model sees a tool of the vocabulary. OpenCode gives OpenAI's newer models one tool for all changes of files. */
export function toolName(tool: string, modelID: string): string {
  const patches = modelID.includes("gpt-") && !modelID.includes("oss") && !modelID.includes("gpt-4");
  if (patches && (tool === "write_file" || tool === "edit_file")) return "apply_patch";
  if (Object.hasOwn(SEEN, tool)) return SEEN[tool] ?? tool;
  return tool.includes("/") ? tool.split("/").map(sanitized).join("_") : tool;
}

function file(
  tool: string,
  access: PathAccess["access"],
  path: Json | undefined,
  more: JsonObject,
  { cwd }: Place,
): Common | undefined {
  if (typeof path !== "string") return undefined;
  return { tool, args: { path, ...more }, paths: [{ path: resolve(cwd, path), access }] };
}

function search({ pattern = "", path }: JsonObject, { cwd }: Place): Common {
  const below = resolve(cwd, typeof path === "string" ? path : "");
  return {
    tool: "search",
    args: { pattern, ...(path === undefined ? {} : { path }) },
    paths: [{ path: below, access: "read" }],
  };
}

function patch(text: Json | undefined, { cwd }: Place): Common | undefined {
  if (typeof text !== "string") return undefined;
  const files = patchedFiles(text);
  const [first] = files;
  const added = files.length > 0 && files.every(({ change }) => change === "add");
  const also = files.some(({ change }) => change === "add") && !added ? ["write_file"] : [];
  const path = first === undefined ? {} : { path: first.path };
  return {
    tool: added ? "write_file" : "edit_file",
    args: added && files.length === 1 ? { ...path, content: first?.content ?? "" } : { ...path, patch: text },
    paths: [...new Set(files.map((one) => resolve(cwd, one.path)))].map((one) => ({ path: one, access: "write" })),
    actions: also,
    proves: also,
  };
}

function pick(args: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (args[name] === undefined ? [] : [[name, args[name]]])));
}
