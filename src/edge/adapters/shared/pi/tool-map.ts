import type { Access, CallInput, PathAccess } from "../../../../base/words/call.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { changedNames, commandLine, type Rewritten, rewriteInput } from "../tool-args.ts";

/** A native call in Conduct's vocabulary; the engine derives missing fields. */
export type MappedCall = Pick<CallInput, "tool" | "args"> & Partial<Pick<CallInput, "paths" | "actions" | "proves">>;

/** Maps a tool of this runtime, by name and input, to Conduct's vocabulary. */
export type ToolMap = (name: string, input: JsonObject) => MappedCall;

/** Pi's file tools: their names in Conduct's vocabulary, and their access. */
const FILE_TOOLS: ReadonlyMap<string, { readonly tool: string; readonly access: Access }> = new Map([
  ["read", { tool: "read_file", access: "read" }],
  ["write", { tool: "write_file", access: "write" }],
  ["edit", { tool: "edit_file", access: "write" }],
  ["grep", { tool: "search", access: "read" }],
  ["find", { tool: "search", access: "read" }],
  ["ls", { tool: "ls", access: "read" }],
]);

const SHELLS: ReadonlySet<string> = new Set(["bash", "powershell"]);

/** Maps Pi's own tools; every other tool keeps its name. */
export const piToolMap: ToolMap = (name, input) => {
  const file = FILE_TOOLS.get(name);
  if (file !== undefined) return mapFile(file.tool, file.access, input);
  if (!SHELLS.has(name)) return { tool: name, args: input };
  const { command } = input;
  return { tool: "shell", args: Array.isArray(command) ? { ...input, command: commandLine(command) ?? null } : input };
};

/** The model's name for a tool of the vocabulary: the first of its tools that maps to it. */
export function toolNames(tools: readonly string[], map: ToolMap): (tool: string) => string {
  const seen = new Map([...tools].reverse().map((name) => [mappedName(name, map), name]));
  return (tool) => seen.get(tool) ?? tool;
}

/** A failing map blocks calls, but must not block the prompt. */
function mappedName(name: string, map: ToolMap): string {
  try {
    return map(name, {}).tool;
  } catch {
    return name;
  }
}

/** The input after the changes of rules. A map may rename arguments, so the result is checked through it. */
export function rewriteMapped(
  { name, input, args }: { readonly name: string; readonly input: JsonObject; readonly args: JsonObject },
  wanted: JsonObject,
  map: ToolMap,
): Rewritten {
  const rewritten = rewriteInput(input, args, wanted, "same");
  if ("cannot" in rewritten) return rewritten;
  const lost = changedNames(map(name, rewritten.input).args, wanted);
  return lost.length > 0 ? { cannot: lost } : rewritten;
}

function mapFile(tool: string, access: Access, input: JsonObject): MappedCall {
  const given = input.path;
  if (typeof given !== "string") return { tool, args: input };
  const opened = openedPath(given);
  // An application's own tool may use the path unchanged, so both must pass.
  const paths = [...new Set([opened, given])].map((path): PathAccess => ({ path, access }));
  return { tool, args: opened === given ? input : { ...input, path: opened }, paths };
}

const ODD_SPACES = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

/** Pi's file tools drop a leading `@` and replace odd spaces before they open a path. */
function openedPath(path: string): string {
  return path.replace(ODD_SPACES, " ").replace(/^@/, "");
}
