import type { Access, CallInput } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";

export function pick(args: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (args[name] === undefined ? [] : [[name, args[name]]])));
}

/** A call of a file tool; `undefined` if its path is not a string. */
export function fileCall(
  tool: string,
  access: Access,
  path: Json | undefined,
  more: JsonObject,
  locate: (path: string) => string,
): Pick<CallInput, "tool" | "args" | "paths"> | undefined {
  if (typeof path !== "string") return undefined;
  return { tool, args: { path, ...more }, paths: [{ path: locate(path), access }] };
}

export function taskCall({ prompt = "", subagent_type }: JsonObject): Pick<CallInput, "tool" | "args"> {
  return { tool: "task", args: subagent_type === undefined ? { prompt } : { prompt, agent: subagent_type } };
}

/** A word of a command line, quoted only if necessary. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word);
}

export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
