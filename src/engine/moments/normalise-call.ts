import { isObject } from "../../base/kernel/json.ts";
import type { Access, CallEffect, CallInput, PathAccess, ToolCall } from "../../base/words/call.ts";
import { shellAccess } from "../../behavior/commands/files/access.ts";
import { lineEffects } from "../../behavior/commands/line-effects.ts";
import { matchActions } from "../../behavior/commands/match-actions.ts";
import { MAX_PATHS } from "../../behavior/commands/shell/read-budget.ts";
import { toolEffects } from "../../behavior/commands/tool-effects.ts";
import { isCovered } from "../../behavior/commands/workspace-changes.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";

/** How the file tools of the common vocabulary access the path they name. */
const FILE_TOOLS: ReadonlyMap<string, Access> = new Map([
  ["read_file", "read"],
  ["write_file", "write"],
  ["edit_file", "write"],
]);

const WORKSPACE_CHANGE = "workspace.change";
const NONE: readonly string[] = [];
const MAX_NAME = 256;

type Files = Pick<ToolCall, "paths" | "unclear" | "actions" | "proves" | "effects">;

/**
 * Returns the normalised call, or why it is invalid. A command run outside the workspace `root` is still gated but
 * proves no action (`npm test` of another package).
 */
export function normaliseCall(
  input: CallInput,
  agent: CompiledAgent,
  root: string | undefined = input.cwd,
): ToolCall | { readonly fault: string } {
  const fault = faultOf(input);
  if (fault !== undefined) return { fault };
  const matched = matchActions(input.tool, input.args, agent.agent.actions);
  const files = filesOf(input, agent, root);
  const elsewhere = input.cwd !== undefined && isElsewhere(input.cwd, root);
  const effects = [...(files.effects ?? []), ...impliedEffects(matched.actions, agent), ...changes(input.tool, files)];
  return {
    id: input.id,
    tool: input.tool,
    args: input.args,
    actions: unite(matched.actions, files.actions, input.actions),
    proves: unite(elsewhere ? NONE : matched.proves, files.proves, input.proves),
    step: input.step,
    // One path over the limit is enough to deny the call.
    paths: files.paths.length > MAX_PATHS ? files.paths.slice(0, MAX_PATHS + 1) : files.paths,
    ...(files.unclear === undefined || files.unclear.length === 0 ? {} : { unclear: files.unclear }),
    ...(effects.length === 0
      ? {}
      : { effects: elsewhere ? effects.map((effect) => ({ ...effect, proven: false })) : effects }),
    native: input.native ?? { runtime: "conduct", name: input.tool, input: input.args },
  };
}

/** Names come from a model: overlong or unprintable names are not repeated in the message. */
function faultOf({ id, tool, args }: CallInput): string | undefined {
  if (typeof id !== "string" || id === "") return "the call has no id";
  if (id.length > MAX_NAME) return `the call's id is longer than ${MAX_NAME} characters`;
  if (typeof tool !== "string" || tool === "") return "the call names no tool";
  if (tool.length > MAX_NAME) return `the tool's name is longer than ${MAX_NAME} characters`;
  if (/[\p{Cc}\u2028\u2029]/u.test(tool)) return "the tool's name contains control characters";
  if (!isObject(args)) return `the arguments of '${tool}' are not an object`;
  if (tool === "shell" && Object.hasOwn(args, "command") && typeof args.command !== "string")
    return "the command of 'shell' is not a text";
  return undefined;
}

/** The files that a call names: from the adapter, else from the shell command or the tool's declaration. */
function filesOf(input: CallInput, agent: CompiledAgent, root: string | undefined): Files {
  const { tool, args, paths, unclear = [], cwd } = input;
  const effects = effectsOf(input, agent, root);
  const maybe = effects.flatMap(maybePaths);
  // An adapter knows its files better, but not what a command does.
  if (paths !== undefined) return { paths: [...paths, ...maybe], unclear, actions: [], proves: [], effects };
  if (tool !== "shell" || typeof args.command !== "string") {
    return { ...namedFiles(input, agent), actions: [], proves: [], effects };
  }
  const access = shellAccess(args.command);
  return {
    ...access,
    paths: [...access.paths.map((one) => ({ ...one, path: under(cwd, one.path) })), ...maybe],
    effects,
  };
}

/** After a file tool has written, earlier tests say nothing about the workspace. */
function changes(tool: string, { paths, effects = [] }: Files): readonly CallEffect[] {
  const writes = paths.some(({ path, access }) => access !== "read" && isCovered(path));
  const known = tool === "shell" || effects.some(({ name }) => name === WORKSPACE_CHANGE);
  return known || !writes ? [] : [{ name: WORKSPACE_CHANGE, args: {}, proven: true }];
}

/** An action that implies an effect is gated like it. It proves the effect through `proves`. */
function impliedEffects(actions: readonly string[], { agent }: CompiledAgent): readonly CallEffect[] {
  const names = actions.flatMap((name) => agent.actions[name]?.implies ?? []).filter((name) => name.includes("."));
  return [...new Set(names)].map((name) => ({ name, args: {}, proven: false }));
}

function effectsOf(
  { tool, args, cwd }: CallInput,
  agent: CompiledAgent,
  root: string | undefined,
): readonly CallEffect[] {
  if (tool !== "shell" || typeof args.command !== "string") return toolEffects(tool, args);
  return lineEffects(args.command, agent.programs).map(({ inside = [], ...effect }) => {
    const proven = effect.proven && inside.every((path) => isWithin(path, root));
    return inFolder({ ...effect, proven }, cwd, root);
  });
}

export function inFolder(
  { name, args, proven }: CallEffect,
  cwd: string | undefined,
  root: string | undefined,
): CallEffect {
  const { paths, local, ...others } = args;
  if (cwd === undefined) return { name, args, proven };
  if (!Array.isArray(paths) || paths.length === 0) {
    // All of the repository around another folder: nothing is known about its files.
    return { name, args: isElsewhere(cwd, root) ? { ...others, ...(paths && { paths }) } : args, proven };
  }
  return { name, args: { ...args, paths: paths.map((path) => under(cwd, String(path))) }, proven };
}

/** Words that may be files are looked up, so that rules can ask whether they exist. */
export function maybePaths({ args }: CallEffect): readonly PathAccess[] {
  if (args.maybe !== true || !Array.isArray(args.paths)) return [];
  return args.paths.map((path) => ({ path: String(path), access: "read", maybe: true }));
}

function under(cwd: string | undefined, path: string): string {
  return cwd === undefined || /^(?:\/|~(?:\/|$))/.test(path) ? path : `${cwd}/${path}`;
}

export function isWithin(path: string, root: string | undefined): boolean {
  const folder = root?.replace(/\/+$/, "");
  return folder !== undefined && (path === folder || path.startsWith(`${folder}/`)) && !path.includes("/..");
}

export function isElsewhere(cwd: string, root: string | undefined): boolean {
  return root === undefined || cwd.replace(/\/+$/, "") !== root.replace(/\/+$/, "");
}

/** The paths in a tool's arguments; a value that should be a path but is not one is unclear. */
function namedFiles({ tool, args }: CallInput, agent: CompiledAgent): Pick<ToolCall, "paths" | "unclear"> {
  const access = FILE_TOOLS.get(tool);
  const undeclared = access === undefined ? {} : { path: access, file_path: access };
  const named = Object.entries(agent.tool(tool)?.paths ?? undeclared);
  const paths: PathAccess[] = [];
  const unclear = new Set<Access>();
  for (const [argument, does] of named) {
    const value = Object.hasOwn(args, argument) ? args[argument] : undefined;
    if (value === undefined || value === null) continue;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item === "string" && item !== "") paths.push({ path: item, access: does });
      else unclear.add(does);
    }
  }
  if (access !== undefined && paths.length === 0) unclear.add(access);
  return { paths, unclear: [...unclear] };
}

function unite(...lists: readonly (readonly string[] | undefined)[]): readonly string[] {
  const [only, ...more] = lists.filter((list) => list !== undefined && list.length > 0);
  return only === undefined ? NONE : more.length === 0 ? only : [...new Set(lists.flatMap((list) => list ?? []))];
}
