import type { PathAccess } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";

/** What a tool of a server seems to do: run a command line, or read and change files. */
export type ServerTool =
  | { readonly command: string }
  | {
      /** Names of the common vocabulary, and effects, that rules may be on. */
      readonly actions: readonly string[];
      readonly effects: readonly string[];
      readonly proves: readonly string[];
      readonly paths: readonly PathAccess[];
    };

/**
 * Reads a `server/tool` that the operator did not declare, by its name and arguments. It gates generously: a tool whose name
 * says "write" and that names a path is a write. It proves strictly: only a tool that does nothing but read a file proves a read.
 */
export function readServerTool(tool: string, args: JsonObject): ServerTool | undefined {
  const slash = tool.indexOf("/");
  if (slash < 0) return undefined;
  const words = wordsOf(tool.slice(slash + 1));
  if (words.some((word) => SHELL.has(word))) {
    const command = commandOf(args);
    if (command !== undefined) return { command };
  }
  const verb = words.map((word) => VERBS.get(word)).find((one) => one !== undefined);
  if (verb === undefined || isElsewhere(args) || (verb === "write_file" && words.some((word) => FOLDER.has(word)))) {
    return undefined;
  }
  const paths = pathsOf(args, verb);
  if (paths.length === 0) return undefined;
  const isEffect = verb.includes(".");
  return {
    actions: isEffect ? [] : [verb],
    effects: isEffect ? [verb] : [],
    proves: verb === "read_file" && words.every((word) => ONLY_READS.has(word)) ? [verb] : [],
    paths,
  };
}

const set = (names: string) => new Set(names.split(" "));

/** The first verb of a name counts: `get_change_log` reads. */
const VERBS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "files.delete": "delete remove unlink rm trash erase",
    "files.move": "move rename mv",
    edit_file: "edit replace insert append patch modify update apply change",
    write_file: "write create save overwrite copy cp put download export generate touch",
    read_file: "read view cat open load get show head tail",
  }).flatMap(([verb, names]) => names.split(" ").map((name) => [name, verb])),
);
const SHELL = set("run execute exec shell bash sh zsh powershell terminal command commands cmd process script");
const FOLDER = set("directory dir folder mkdir");
const ONLY_READS = set("read view cat text file files multiple content contents");

const PATHS =
  /^(?:paths?|files?|file_?names?|(?:(?:target|source|destination|dest|old|new|relative|absolute|full|input|output|src|dst)_?)?(?:file_?)?paths?|(?:target|source|destination)(?:_?file)?|src|dst|dest)$/i;
const READ_FROM = /^(?:source|src|input)/i;
/** Arguments of tools whose paths are in a repository, a bucket or a site elsewhere. */
const ELSEWHERE = /^(?:owner|repo|repository|bucket|project_?id|url|host|site|sha|ref|branch|page_?id|drive_?id)$/i;

function wordsOf(name: string): readonly string[] {
  const apart = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return apart.split(/[^a-z0-9]+/).filter((word) => word !== "");
}

function isElsewhere(args: JsonObject): boolean {
  return Object.keys(args).some((name) => ELSEWHERE.test(name));
}

/** The command line; a program with a list of arguments is written as one. */
function commandOf({ command, cmd, command_line: line, commandLine = line, script, args }: JsonObject) {
  const given = [command, cmd, commandLine, script].find((one) => one !== undefined && one !== null);
  const rest = Array.isArray(args) ? args : [];
  if (typeof given === "string") return [given, ...rest.map(quoted)].join(" ");
  return Array.isArray(given) ? [...given, ...rest].map(quoted).join(" ") : undefined;
}

function quoted(word: Json): string {
  const text = String(word);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A copy only reads its source; a move changes it. */
function pathsOf(args: JsonObject, verb: string): readonly PathAccess[] {
  return Object.entries(args).flatMap(([name, value]) => {
    if (!PATHS.test(name)) return [];
    const reads = verb === "read_file" || (verb === "write_file" && READ_FROM.test(name));
    return (Array.isArray(value) ? value : [value]).flatMap((path): readonly PathAccess[] =>
      typeof path === "string" && path !== "" ? [{ path, access: reads ? "read" : "write" }] : [],
    );
  });
}
