import { resolve } from "node:path";
import { asList, asObject, asString } from "../../../base/kernel/json.ts";
import type { Access, CallInput, PathAccess } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { CONDUCT_TOOLS } from "../../../engine/tools/conduct-tool.ts";
import { OWN_SERVER } from "../shared/own-tools.ts";
import { mapKnown, pick, shellWord, TASK } from "../shared/tool-args.ts";
import type { ToolSeen } from "./translate.ts";

/** A call in Conduct's vocabulary, without its id; one of Conduct's own tools; or why the call cannot be read. */
export type Mapped =
  | { readonly kind: "call"; readonly call: Omit<CallInput, "id"> }
  | { readonly kind: "own" }
  | { readonly kind: "unreadable"; readonly why: string };

/** The session's folder, and its MCP servers by name. */
type Place = { readonly cwd: string; readonly servers: readonly string[] };

export function mapTool(seen: ToolSeen, place: Place): Mapped {
  const { name, kind, input } = seen;
  const mcp = serverTool(name, [OWN_SERVER, ...place.servers]);
  if (mcp?.server === OWN_SERVER && CONDUCT_TOOLS.some((one) => one.name === mcp.tool)) return { kind: "own" };
  const native = { runtime: "acp", name: name || kind || "other", input };
  if (mcp !== undefined) {
    const { server, tool } = mcp;
    return { kind: "call", call: { tool: `${server}/${tool}`, args: input, native: { ...native, server } } };
  }
  // OpenCode's subagents: their kind is `think`. A command counts as `execute`, even without a kind.
  const isCommand = typeof input.command === "string" || Array.isArray(input.command);
  const by = isCommand && (kind === "" || kind === "other") ? "execute" : kind;
  const known = name === "task" ? mapKnown(TASK, input, String) : BY_KIND[by]?.(seen, place);
  if (known === undefined) return { kind: "call", call: { tool: `acp/${native.name}`, args: input, native } };
  if ("why" in known) return { kind: "unreadable", why: known.why };
  return { kind: "call", call: { ...known, native } };
}

/** `fs/read_text_file`: lines are counted from 1. */
export function mapRead(params: JsonObject, { cwd }: Place): Omit<CallInput, "id"> {
  const range = { ...pick(params, "limit"), ...(params.line == null ? {} : { offset: params.line }) };
  return fileCall("read", "fs/read_text_file", params, range, cwd);
}

export function mapWrite(params: JsonObject, { cwd }: Place): Omit<CallInput, "id"> {
  return fileCall("write", "fs/write_text_file", params, { content: asString(params.content) }, cwd);
}

function fileCall(access: "read" | "write", name: string, input: JsonObject, more: JsonObject, cwd: string) {
  const path = asString(input.path);
  return {
    tool: `${access}_file`,
    args: { path, ...more },
    paths: [{ path: resolve(cwd, path), access }],
    native: { runtime: "acp", name, input },
  };
}

export function mapTerminal(params: JsonObject, { cwd }: Place): Omit<CallInput, "id"> {
  const words = asList(params.args).map(asString);
  const env = asList(params.env).map((one) => [asString(asObject(one).name), asString(asObject(one).value)] as const);
  return {
    tool: "shell",
    args: { command: commandLine([asString(params.command), ...words], env) },
    cwd: resolve(cwd, asString(params.cwd)),
    native: { runtime: "acp", name: "terminal/create", input: params },
  };
}

/** The model's name for one of Conduct's own tools: MCP clients add the server's name. */
export function ownToolName(agent: string, tool: string): string {
  if (/opencode/i.test(agent)) return `${OWN_SERVER}_${tool}`;
  return /claude|codex/i.test(agent) ? `mcp__${OWN_SERVER}__${tool}` : tool;
}

/** Agents write `server_tool`, `mcp__server__tool`, `server/tool`, …; the longest matching server counts. */
function serverTool(name: string, servers: readonly string[]): { server: string; tool: string } | undefined {
  const plain = name.replace(/^mcp__?/, "");
  const fitting = servers.flatMap((server) => {
    const start = server.replace(/[^\w-]/g, "_");
    const rest = plain.startsWith(start) ? /^(?:__|[_/.:])(.+)$/.exec(plain.slice(start.length)) : null;
    return rest?.[1] === undefined ? [] : [{ server, tool: rest[1] }];
  });
  return fitting.sort((a, b) => b.server.length - a.server.length)[0];
}

type Known = Omit<CallInput, "id" | "native"> | { readonly why: string };

const BY_KIND: Readonly<Record<string, (seen: ToolSeen, place: Place) => Known>> = {
  execute: ({ input }, { cwd }) => {
    const { command } = input;
    const words = Array.isArray(command)
      ? command.map(asString)
      : [asString(command), ...asList(input.args).map(asString)];
    const line = commandLine(words, []);
    if (line.trim() === "") return { why: "it does not say which command it would run" };
    const folder = asString(input.cwd) || asString(input.workdir);
    return { tool: "shell", args: { command: line }, cwd: resolve(cwd, folder) };
  },
  read: (seen, place) => files("read_file", "read", seen, place, pick(seen.input, "offset", "limit")),
  edit: (seen, place) => {
    const { input } = seen;
    if (typeof input.content === "string" || /^(write|create)/i.test(seen.name))
      return files("write_file", "write", seen, place, { content: asString(input.content) });
    const [was, is] = [input.oldString ?? input.old_string, input.newString ?? input.new_string];
    const change = { ...(was === undefined ? {} : { old: was }), ...(is === undefined ? {} : { new: is }) };
    return files("edit_file", "write", seen, place, change);
  },
  delete: (seen, place) => files("acp/delete", "change", seen, place, {}),
  move: (seen, place) => files("acp/move", "change", seen, place, {}),
  search: ({ input, locations }, { cwd }) => ({
    tool: "search",
    args: { pattern: input.pattern ?? input.query ?? "", ...pick(input, "path") },
    paths: [{ path: resolve(cwd, asString(input.path) || (locations[0] ?? "")), access: "read" }],
  }),
  fetch: ({ input }) => ({ tool: "fetch", args: pick(input, "url", "query", "prompt") }),
};

const PATH_KEYS = [
  ...["filePath", "file_path", "filepath", "path", "abs_path", "absolute_path", "notebook_path", "target_file"],
  ...["source", "destination", "from", "to", "old_path", "new_path", "oldPath", "newPath"],
];

/** All files of the call: in the input, as a location, in a diff. */
function files(tool: string, access: Access, seen: ToolSeen, { cwd }: Place, more: JsonObject): Known {
  const named = PATH_KEYS.flatMap((key) => asString(seen.input[key]) || []);
  const diffs = seen.content.map(asObject).filter(({ type }) => type === "diff");
  const shown = diffs.flatMap(({ path }) => asString(path) || []);
  const [first, ...others] = [...named, ...seen.locations, ...shown];
  if (first === undefined)
    return { why: `it does not say which file it would ${access === "read" ? "read" : "change"}` };
  const paths = [...new Set([first, ...others].map((path) => resolve(cwd, path)))];
  return { tool, args: { path: first, ...more }, paths: paths.map((path): PathAccess => ({ path, access })) };
}

/** Variables that only change how a program's output looks. */
const HARMLESS =
  /^(?:TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CI|LANG|LC_[A-Z]+|COLUMNS|LINES|CLAUDECODE|GEMINI_CLI|OPENCODE|TERM_PROGRAM)$/;

/**
 * Program, arguments and variables as one shell line. A single line is unchanged; for a shell with `-c`, the script
 * counts. Variables that could change the program come first, so that rules see them.
 */
export function commandLine(
  words: readonly string[],
  env: readonly (readonly [name: string, value: string])[],
): string {
  const telling = env.filter(
    ([name, value]) => !HARMLESS.test(name) && !(/PAGER$/.test(name) && /^(?:cat)?$/.test(value)),
  );
  const before = telling.map(([name, value]) => `${name}=${shellWord(value)} `).join("");
  return `${before}${lineOf(words)}`;
}

function lineOf(words: readonly string[]): string {
  const [program = "", ...args] = words;
  if (args.length === 0) return program;
  const [flag = "", script] = args;
  const isShell = /(?:^|\/)(?:ba|z|da|k)?sh$/.test(program) && /^-l?c$/.test(flag) && args.length === 2;
  return isShell && script !== undefined ? script : words.map(shellWord).join(" ");
}
