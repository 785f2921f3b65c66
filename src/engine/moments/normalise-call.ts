import type { Access, CallInput, PathAccess, ToolCall } from "../../base/words/call.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { matchActions } from "../../behavior/policy/match-actions.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";

/** What the file tools of the common vocabulary do to the path they name. */
const FILE_TOOLS: Readonly<Record<string, Access>> = { read_file: "read", write_file: "write", edit_file: "write" };

/** A call as the engine decides on it, or why it cannot be one. */
export function normaliseCall(input: CallInput, agent: CompiledAgent): ToolCall | { readonly fault: string } {
  if (typeof input.id !== "string" || input.id === "") return { fault: "the call has no id" };
  if (typeof input.tool !== "string" || input.tool === "") return { fault: "the call names no tool" };
  if (!isObject(input.args)) return { fault: `the arguments of '${input.tool}' are not an object` };
  const matched = matchActions(input.tool, input.args, agent.agent.actions);
  return {
    id: input.id,
    tool: input.tool,
    args: input.args,
    actions: unite(matched.actions, input.actions),
    proves: unite(matched.proves, input.proves),
    ...(input.step === undefined ? {} : { step: input.step }),
    paths: input.paths ?? pathsOf(input, agent),
    native: input.native ?? { runtime: "conduct", name: input.tool, input: input.args },
  };
}

function pathsOf({ tool, args }: CallInput, agent: CompiledAgent): readonly PathAccess[] {
  const declared = agent.tool(tool)?.paths;
  if (declared !== undefined) {
    return Object.entries(declared).flatMap(([argument, access]) =>
      strings(args[argument]).map((path) => ({ path, access })),
    );
  }
  const access = FILE_TOOLS[tool];
  const path = [args.path, args.file_path].find((value) => typeof value === "string");
  return access === undefined || path === undefined ? [] : [{ path, access }];
}

function strings(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function unite(a: readonly string[], b: readonly string[] | undefined): readonly string[] {
  return b === undefined || b.length === 0 ? a : [...new Set([...a, ...b])];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
