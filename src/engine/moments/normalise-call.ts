import { isObject } from "../../base/kernel/json.ts";
import type { Access, CallInput, PathAccess, ToolCall } from "../../base/words/call.ts";
import { matchActions } from "../../behavior/policy/match-actions.ts";
import { shellAccess } from "../../behavior/policy/shell-access.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";

/** What the file tools of the common vocabulary do to the path they name. */
const FILE_TOOLS: Readonly<Record<string, Access>> = { read_file: "read", write_file: "write", edit_file: "write" };

const NONE: readonly string[] = [];

/** A call as the engine decides on it, or why it cannot be one. */
export function normaliseCall(input: CallInput, agent: CompiledAgent): ToolCall | { readonly fault: string } {
  if (typeof input.id !== "string" || input.id === "") return { fault: "the call has no id" };
  if (typeof input.tool !== "string" || input.tool === "") return { fault: "the call names no tool" };
  if (!isObject(input.args)) return { fault: `the arguments of '${input.tool}' are not an object` };
  const matched = matchActions(input.tool, input.args, agent.agent.actions);
  const files = filesOf(input, agent);
  return {
    id: input.id,
    tool: input.tool,
    args: input.args,
    actions: unite(matched.actions, files.actions, input.actions),
    proves: unite(matched.proves, files.proves, input.proves),
    ...(input.step === undefined ? {} : { step: input.step }),
    paths: files.paths,
    native: input.native ?? { runtime: "conduct", name: input.tool, input: input.args },
  };
}

/** The files that a call names: as the adapter says, else as a shell command or the tool's declaration tells. */
function filesOf(input: CallInput, agent: CompiledAgent): Pick<ToolCall, "paths" | "actions" | "proves"> {
  const { tool, args, paths, cwd } = input;
  if (paths !== undefined) return { paths, actions: [], proves: [] };
  if (tool !== "shell" || typeof args.command !== "string")
    return { paths: pathsOf(input, agent), actions: [], proves: [] };
  const access = shellAccess(args.command);
  return { ...access, paths: access.paths.map((one) => ({ ...one, path: under(cwd, one.path) })) };
}

function under(cwd: string | undefined, path: string): string {
  return cwd === undefined || /^[/~]/.test(path) ? path : `${cwd}/${path}`;
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

function unite(...lists: readonly (readonly string[] | undefined)[]): readonly string[] {
  const [only, ...more] = lists.filter((list) => list !== undefined && list.length > 0);
  return only === undefined ? NONE : more.length === 0 ? only : [...new Set(lists.flatMap((list) => list ?? []))];
}
