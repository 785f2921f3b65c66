import type { ToolCall } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { oneLine } from "../line/printable.ts";

/** A call in a few words: the tool, and what tells this call from another. */
export function showCall({ tool, args }: Pick<ToolCall, "tool" | "args">): string {
  return oneLine(`${tool} ${showArgs(tool, args)}`);
}

function showArgs(tool: string, args: JsonObject): string {
  if (tool === "shell" && typeof args.command === "string") return `"${args.command}"`;
  const { path = args.file_path, handle, offset } = args;
  if (typeof path === "string") return path;
  if (typeof handle === "string") return typeof offset === "number" ? `${handle} from ${offset}` : handle;
  return Object.keys(args).length === 0 ? "" : JSON.stringify(args).slice(0, 200);
}
