import { asList, asObject, asString, parseObject } from "../../../base/kernel/json.ts";

/** Ids of the calls that have run, as new lines of a runtime's transcript tell. Calls that failed to start are not among them. */
export function callsThatRan(runtime: string, lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => (runtime === "codex" ? codexCalls(line) : claudeCalls(line)));
}

/** Claude Code writes the result of every call as a message of the user. A denied or invalid call is an error there. */
function claudeCalls(line: string): readonly string[] {
  if (!line.includes('"tool_result"')) return [];
  const { message } = parseObject(line) ?? {};
  return asList(asObject(message).content).flatMap((part) => {
    const { type, tool_use_id: id, is_error: failed } = asObject(part);
    return type === "tool_result" && failed !== true && typeof id === "string" ? [id] : [];
  });
}

/** What runs something outside of Codex itself. */
const CODEX_ITEMS: ReadonlySet<string> = new Set(["CommandExecution", "FileChange", "McpToolCall"]);

/** Scripts of code mode call tools below one call of the model's: each of them is an item of its own, as each has its own hook. */
function codexCalls(line: string): readonly string[] {
  if (!line.includes('"item_completed"')) return [];
  const { payload } = parseObject(line) ?? {};
  const { id, type, source } = asObject(asObject(payload).item);
  // What a person types with `!` calls no hook.
  if (!CODEX_ITEMS.has(asString(type)) || /user/i.test(asString(source))) return [];
  return typeof id === "string" ? [id] : [];
}
