import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import { asString } from "../../../base/kernel/json.ts";
import type { Access, CallInput } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";

/** One file of an `apply_patch` patch. A move has two: the old path and the new one. */
type PatchedFile = {
  readonly change: "add" | "update" | "delete";
  readonly path: string;
  /** The whole new text; only for an added file. */
  readonly content?: string;
};

const HEADER = /^\s*\*\*\* (Add File|Update File|Delete File|Move to): (.*?)\s*$/;
const CHANGES = { "Add File": "add", "Update File": "update", "Delete File": "delete", "Move to": "add" } as const;

/** The files in a patch, in order; empty if it is no patch. Anything that looks like a header counts as one. */
export function patchedFiles(patch: string): readonly PatchedFile[] {
  const files: { change: PatchedFile["change"]; path: string; lines?: string[] }[] = [];
  for (const line of patch.split("\n")) {
    const [, header, path] = HEADER.exec(line) ?? [];
    if (header !== undefined && path !== undefined && path !== "") {
      const lines = header === "Add File" ? [] : undefined;
      files.push({ change: CHANGES[header as keyof typeof CHANGES], path, lines });
    } else if (line.startsWith("+")) files.at(-1)?.lines?.push(line.slice(1));
  }
  return files.map(({ lines, ...file }) => ({ ...file, content: lines?.map((line) => `${line}\n`).join("") }));
}

/** A patch in Conduct's vocabulary. `name` gives the path that rules see, `locate` the file that is written. */
export function mapPatch(
  patch: string,
  { name = (path) => path, locate }: { name?: (path: string) => string; locate(path: string): string },
): Pick<CallInput, "tool" | "args" | "paths" | "actions" | "proves"> {
  const files = patchedFiles(patch);
  const [first] = files;
  const added = files.length > 0 && files.every(({ change }) => change === "add");
  const also = !added && files.some(({ change }) => change === "add") ? ["write_file"] : [];
  const content: JsonObject = added && files.length === 1 ? { content: first?.content ?? "" } : { patch };
  return {
    tool: added ? "write_file" : "edit_file",
    args: first === undefined ? content : { path: name(first.path), ...content },
    paths: [...new Set(files.map(({ path }) => locate(path)))].map((path) => ({ path, access: "write" })),
    actions: also,
    proves: also,
  };
}

/** The named arguments, without those that are absent or null. */
export function pick(args: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (args[name] == null ? [] : [[name, args[name]]])));
}

/** A tool of a runtime in Conduct's vocabulary, and its arguments by their common names. */
export type KnownTool = {
  readonly tool: string;
  /** Set for a tool that uses the file or folder in its `path`. */
  readonly access?: Access;
  readonly args: { readonly [argument: string]: Carrier };
};

export const SEARCH: KnownTool = { tool: "search", access: "read", args: { pattern: "pattern", path: "path" } };
export const TASK: KnownTool = { tool: "task", args: { prompt: "prompt", agent: "subagent_type" } };

/** A command as one line. Some runtimes pass a list of words: `["bash", "-lc", "npm test"]` runs `npm test`. */
export function commandLine(command: Json | undefined): string | undefined {
  if (typeof command === "string") return command;
  if (!Array.isArray(command) || !command.every((word) => typeof word === "string")) return undefined;
  const [shell = "", flag = "", script, ...more] = command;
  const isScript = /(^|\/)(ba|z|da)?sh$/.test(shell) && /^-[a-z]*c$/.test(flag) && more.length === 0;
  return isScript && script !== undefined ? script : command.map(shellWord).join(" ");
}

/**
 * The call in Conduct's vocabulary; `undefined` if its command, or the file that it reads, is missing. A flag that is
 * off is left out. A write or a command that cannot be read stays one, so that it is never taken for a harmless tool.
 */
export function mapKnown(
  { tool, access, args }: KnownTool,
  given: JsonObject,
  locate: (path: string) => string,
): Pick<CallInput, "tool" | "args" | "paths"> | undefined {
  const taken = Object.entries(args).flatMap(([name, carrier]) => {
    const value = typeof carrier === "string" ? given[carrier] : undefined;
    return value === undefined || value === false ? [] : [[name, value] as const];
  });
  const mapped: JsonObject = Object.fromEntries(taken);
  if (tool === "shell") {
    if (mapped.command === undefined) return undefined;
    return { tool, args: { ...mapped, command: commandLine(mapped.command) ?? null } };
  }
  if (access === undefined) return { tool, args: mapped };
  const path = tool === "search" ? asString(mapped.path) : mapped.path;
  if (typeof path !== "string") return access === "write" ? { tool, args: mapped } : undefined;
  return { tool, args: mapped, paths: [{ path: locate(path), access }] };
}

/** The runtime's names of the tools in Conduct's vocabulary; of several, the first one. */
export function nativeNames(tools: ReadonlyMap<string, KnownTool>): ReadonlyMap<string, string> {
  return new Map([...tools].toReversed().map(([name, { tool }]) => [tool, name]));
}

/** A word of a command line, quoted only if necessary. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word);
}

export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The runtime's name of an argument; `times` converts to another unit. */
type Carrier = string | { readonly name: string; readonly times: number };

/** The arguments of a runtime's tool by their common name; `same` when all names are the same. */
export type Carriers = { readonly [argument: string]: Carrier } | "same";

/** The changed native input, or the arguments that the runtime does not have. */
export type Rewritten = { readonly input: JsonObject } | { readonly cannot: readonly string[] };

/** Applies the changes of rules to the native input; everything else stays as the model wrote it. */
export function rewriteInput(native: JsonObject, before: JsonObject, after: JsonObject, carriers: Carriers): Rewritten {
  const cannot: string[] = [];
  const entries = new Map(Object.entries(native));
  for (const name of changedNames(before, after)) {
    const carried = carry(name, Object.hasOwn(after, name) ? after[name] : undefined, carriers);
    if (carried === undefined) cannot.push(name);
    else if (carried.value === undefined) entries.delete(carried.name);
    else entries.set(carried.name, carried.value);
  }
  return cannot.length > 0 ? { cannot } : { input: Object.fromEntries(entries) };
}

/** Makes `args` equal to `wanted` in place, for runtimes that run the object that they passed to the hook. */
export function replaceArgs(args: object, wanted: JsonObject): void {
  for (const name of Object.keys(args)) if (!Object.hasOwn(wanted, name)) Reflect.deleteProperty(args, name);
  Object.assign(args, wanted);
}

export function changedNames(before: JsonObject, after: JsonObject): readonly string[] {
  const valueIn = (args: JsonObject, name: string) =>
    Object.hasOwn(args, name) ? canonicalJson(args[name]) : undefined;
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => valueIn(before, name) !== valueIn(after, name),
  );
}

/** The refusal for the model when the runtime cannot run the rewritten call. */
export function rewriteRefusal(tool: string, runtime: string, cannot: readonly string[]): string {
  const names = cannot.map((name) => `'${name}'`).join(", ");
  return `Denied by conduct: rules change ${names} of this call, but ${runtime} cannot run '${tool}' with that change, so the call did not run.\nNext: tell the operator, and do it another way.`;
}

/** `undefined` if the runtime does not have the argument; no `value` if it is removed. */
function carry(
  name: string,
  value: Json | undefined,
  carriers: Carriers,
): { readonly name: string; readonly value: Json | undefined } | undefined {
  if (carriers === "same") return { name, value };
  const carrier = Object.hasOwn(carriers, name) ? carriers[name] : undefined;
  if (carrier === undefined) return undefined;
  if (typeof carrier === "string") return { name: carrier, value };
  if (value === undefined) return { name: carrier.name, value };
  return typeof value === "number" ? { name: carrier.name, value: value * carrier.times } : undefined;
}
