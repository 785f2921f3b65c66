import { isObject } from "../../base/kernel/json.ts";
import type { Access, CallEffect, CallInput, PathAccess, ToolCall } from "../../base/words/call.ts";
import { shellAccess } from "../../behavior/commands/files/access.ts";
import { readServerTool, type ServerTool } from "../../behavior/commands/files/server-tool.ts";
import { type LineEffect, lineEffects } from "../../behavior/commands/line-effects.ts";
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
const NONE: readonly never[] = [];
const MAX_NAME = 256;

type Files = Pick<ToolCall, "paths" | "unclear" | "actions" | "proves" | "effects">;
const NO_FILES: Files = { paths: NONE, unclear: NONE, actions: NONE, proves: NONE };

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
  const implied = joined(files.effects ?? NO_EFFECTS, impliedEffects(matched.actions, agent));
  const effects = joined(implied, changes(input.tool, files));
  return {
    id: input.id,
    tool: input.tool,
    args: input.args,
    actions: unite(unite(matched.actions, files.actions), input.actions),
    proves: unite(unite(elsewhere ? NONE : matched.proves, files.proves), input.proves),
    step: input.step,
    // One path over the limit is enough to deny the call.
    paths: files.paths.length > MAX_PATHS ? files.paths.slice(0, MAX_PATHS + 1) : files.paths,
    unclear: files.unclear === undefined || files.unclear.length === 0 ? undefined : files.unclear,
    effects:
      effects.length === 0 ? undefined : elsewhere ? effects.map((effect) => ({ ...effect, proven: false })) : effects,
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
  const { tool, args, paths, unclear = NONE, cwd } = input;
  if (tool !== "shell" || typeof args.command !== "string") {
    const effects = toolEffects(tool, args);
    // The operator's declaration, or the adapter, knows better than the tool's name.
    const likely = paths === undefined && !agent.tool(tool)?.paths ? readServerTool(tool, args) : undefined;
    if (likely !== undefined) return filesOfServerTool(likely, input, agent, root);
    if (paths === undefined) return namedFiles(input, agent, effects);
    return { paths: joined(paths, effects.flatMap(maybePaths)), unclear, actions: NONE, proves: NONE, effects };
  }
  const line = lineEffects(args.command, agent.programs);
  const last = lineFiles.get(line);
  const isSame = last !== undefined && last.root === root && last.cwd === cwd;
  const known = isSame ? last : filesOfLine(args.command, line, cwd, root);
  lineFiles.set(line, known);
  if (paths === undefined) return known.files;
  // An adapter knows its files better, but not what a command does.
  const { effects, maybe } = known;
  return { paths: joined(paths, maybe), unclear, actions: NONE, proves: NONE, effects };
}

/** A server's tool is gated like the tool that it seems to be, and proves less than that. */
function filesOfServerTool(
  likely: ServerTool,
  input: CallInput,
  agent: CompiledAgent,
  root: string | undefined,
): Files {
  if (!("command" in likely)) {
    const { actions, proves, paths } = likely;
    const named = { paths: paths.map(({ path }) => path) };
    const effects = [
      ...likely.effects.map((name) => ({ name, args: named, proven: false })),
      ...actions.flatMap((tool) => toolEffects(tool, { path: paths[0]?.path ?? "", ...input.args })),
    ];
    return { paths, actions, proves, effects };
  }
  const { command } = likely;
  const { cwd } = input.args;
  const folder = typeof cwd === "string" ? under(input.cwd ?? root, cwd) : input.cwd;
  const files = filesOf({ ...input, tool: "shell", args: { command }, cwd: folder }, agent, root);
  return {
    ...files,
    actions: unite(files.actions, matchActions("shell", { command }, agent.agent.actions).actions),
    proves: NONE,
    effects: [
      { name: "shell", args: { command }, proven: false },
      ...(files.effects ?? NO_EFFECTS).map(({ name, args, proven }) => ({
        name,
        args: { ...args, command },
        // A change makes earlier proof stale, whoever made it.
        proven: proven && name === WORKSPACE_CHANGE,
      })),
    ],
  };
}

/** What a line does to files in one folder. */
type LineFiles = {
  readonly root: string | undefined;
  readonly cwd: string | undefined;
  readonly effects: readonly CallEffect[];
  readonly maybe: readonly PathAccess[];
  readonly files: Files;
};

/** Agents repeat commands, mostly in one folder. */
const lineFiles = new WeakMap<readonly LineEffect[], LineFiles>();

function filesOfLine(
  command: string,
  line: readonly LineEffect[],
  cwd: string | undefined,
  root: string | undefined,
): LineFiles {
  const effects = line.map(({ name, args, proven, inside }) =>
    inFolder({ name, args, proven: proven && (inside ?? NONE).every((path) => isWithin(path, root)) }, cwd, root),
  );
  const maybe = effects.flatMap(maybePaths);
  const { paths, unclear, actions, proves } = shellAccess(command);
  const named = cwd === undefined ? paths : paths.map((one) => ({ ...one, path: under(cwd, one.path) }));
  return { root, cwd, effects, maybe, files: { paths: joined(named, maybe), unclear, actions, proves, effects } };
}

/** One of the lists itself if the others are empty. */
function joined<T>(one: readonly T[], other: readonly T[]): readonly T[] {
  if (other.length === 0) return one;
  return one.length === 0 ? other : [...one, ...other];
}

/** After a file tool has written, earlier tests say nothing about the workspace. */
function changes(tool: string, { paths, effects = NO_EFFECTS }: Files): readonly CallEffect[] {
  if (tool === "shell" || effects.some(({ name }) => name === WORKSPACE_CHANGE)) return NO_EFFECTS;
  return paths.some(({ path, access }) => access !== "read" && isCovered(path)) ? CHANGED : NO_EFFECTS;
}

const NO_EFFECTS: readonly CallEffect[] = [];
const CHANGED: readonly CallEffect[] = [{ name: WORKSPACE_CHANGE, args: {}, proven: true }];

/** An action that implies an effect is gated like it. It proves the effect through `proves`. */
function impliedEffects(actions: readonly string[], { agent }: CompiledAgent): readonly CallEffect[] {
  if (actions.length === 0) return NO_EFFECTS;
  const names = actions.flatMap((name) => agent.actions[name]?.implies ?? []).filter((name) => name.includes("."));
  return [...new Set(names)].map((name) => ({ name, args: {}, proven: false }));
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
function namedFiles({ tool, args }: CallInput, agent: CompiledAgent, effects: readonly CallEffect[]): Files {
  const access = FILE_TOOLS.get(tool);
  const declared = agent.tool(tool)?.paths;
  if (access === undefined && declared === undefined) return { ...NO_FILES, effects };
  const paths: PathAccess[] = [];
  const unclear: Access[] = [];
  const mark = (does: Access) => {
    if (!unclear.includes(does)) unclear.push(does);
  };
  for (const argument of declared === undefined ? PATH_ARGUMENTS : Object.keys(declared)) {
    const does = declared?.[argument] ?? access;
    const value = Object.hasOwn(args, argument) ? args[argument] : undefined;
    if (does === undefined || value === undefined || value === null) continue;
    if (typeof value === "string" && value !== "") paths.push({ path: value, access: does });
    else if (!Array.isArray(value)) mark(does);
    else
      for (const item of value)
        if (typeof item === "string" && item !== "") paths.push({ path: item, access: does });
        else mark(does);
  }
  if (access !== undefined && paths.length === 0) mark(access);
  return { paths, unclear, actions: NONE, proves: NONE, effects };
}

const PATH_ARGUMENTS = ["path", "file_path"];

/** Each name once. One of the lists itself if the other is empty. */
function unite(one: readonly string[], other: readonly string[] = NONE): readonly string[] {
  if (other.length === 0) return one;
  return one.length === 0 ? other : [...new Set([...one, ...other])];
}
