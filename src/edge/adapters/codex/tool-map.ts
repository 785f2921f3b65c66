import { isAbsolute, join, resolve } from "node:path";
import { isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Carriers } from "../rewrite-input.ts";
import type { CodexToolUse } from "./events.ts";
import { patchedFiles } from "./patch.ts";
import { codexShellAccess } from "./shell-access.ts";

/** A call in Conduct's vocabulary, without its step. */
export type MappedCall = Omit<CallInput, "step">;

/** Where the call runs: `root` is the session's workspace, `cwd` the call's own folder, `shell` the program it asks for. */
export type CallPlace = { readonly root: string; readonly cwd: string; readonly shell?: string | undefined };

/** The MCP server under which Conduct's own tools are hosted. */
const CONDUCT_SERVER = "conduct";

/** Brings a native tool and its input to the one vocabulary. */
export function mapCall(use: CodexToolUse, place: CallPlace): MappedCall {
  const base = { id: use.id, native: { runtime: "codex", name: use.name, input: use.input } };
  const text = use.input.command;
  if (use.name === "Bash" && typeof text === "string") return { ...base, ...mapShell(text, place) };
  if (use.name === "apply_patch" && typeof text === "string") return { ...base, ...mapPatch(text, place) };
  if (use.name === "view_image") return { ...base, tool: "read_file", args: use.input };
  if (use.name === "spawn_agent") return { ...base, tool: "task", args: use.input };
  const mcp = /^mcp__(.+?)__(.+)$/.exec(use.name);
  if (mcp === null) return { ...base, tool: `codex/${use.name}`, args: use.input };
  const [, server = "", name = ""] = mcp;
  const tool = server === CONDUCT_SERVER ? name : `${server}/${name}`;
  return { ...base, native: { ...base.native, server, name }, tool, args: use.input };
}

/**
 * The tools of the model by the names that it sees, as far as they are known: no hook tells them. Conduct's own keep their
 * plain names: Codex puts them into the namespace `mcp__conduct`, and its `tool_search` finds no other spelling.
 */
export function seenTools(declared: readonly string[], own: readonly string[]): readonly string[] {
  const foreign = declared.filter((name) => name.includes("/")).map((name) => name.slice(name.lastIndexOf("/") + 1));
  return [...new Set(["exec_command", "apply_patch", ...own, ...foreign])];
}

/** How the model sees a tool of the vocabulary; Codex reads files through its shell, so reading has no name there. */
export function toolName(tool: string): string {
  if (tool === "shell") return "exec_command";
  return tool === "write_file" || tool === "edit_file" ? "apply_patch" : tool;
}

/** How a change to the mapped arguments gets back into the native input. Codex takes one for commands, patches and MCP. */
export function carriersOf(use: CodexToolUse, { args }: Pick<MappedCall, "args">): Carriers {
  if (use.name.startsWith("mcp__")) return "same";
  // A command that was spelled out runs elsewhere than the one that rules would put in its place.
  if (use.name === "Bash") return args.command === use.input.command ? { command: "command" } : {};
  return use.name === "apply_patch" && args.patch === use.input.command ? { patch: "command" } : {};
}

function mapShell(
  command: string,
  place: CallPlace,
): Pick<CallInput, "tool" | "args" | "paths" | "unclear" | "actions" | "proves"> {
  const { paths, unclear, actions, proves } = codexShellAccess(command);
  const { root, cwd, shell } = place;
  const plain = resolve(cwd) === resolve(root) && shell === undefined;
  return {
    tool: "shell",
    args: { command: plain ? command : spelledOut(command, cwd, shell) },
    paths: paths.map((one) => ({ ...one, path: fromRoot(one.path, root, cwd) })),
    unclear,
    actions,
    // The folder is known, so that a read there is one; with another shell nothing is.
    proves: shell === undefined ? proves : [],
  };
}

/** The command with its folder and shell in it: gated as the same command, and, being compound, proving nothing. */
function spelledOut(command: string, dir: string, shell: string | undefined): string {
  const run = shell === undefined ? command : `${quoted(shell)} -c ${quoted(command)}`;
  return `cd ${quoted(dir)} && ${run}`;
}

function mapPatch(patch: string, place: CallPlace): Pick<CallInput, "tool" | "args" | "paths" | "actions" | "proves"> {
  const files = patchedFiles(patch).map((file) => ({ ...file, path: fromRoot(file.path, place.root, place.cwd) }));
  const [first] = files;
  const added = files.length > 0 && files.every(({ change }) => change === "add");
  const also = files.some(({ change }) => change === "add") && !added ? ["write_file"] : [];
  const path = first === undefined ? {} : { path: first.path };
  return {
    tool: added ? "write_file" : "edit_file",
    args: added && files.length === 1 ? { ...path, content: first?.content ?? "" } : { ...path, patch },
    paths: [...new Set(files.map((file) => file.path))].map((name) => ({ path: name, access: "write" })),
    actions: also,
    proves: also,
  };
}

/** A path as the session's filesystem reads it: the call may run in another folder than the session began in. */
function fromRoot(path: string, root: string, dir: string): string {
  if (isAbsolute(path) || path === "~" || path.startsWith("~/") || resolve(dir) === resolve(root)) return path;
  return join(dir, path);
}

/** A word of a command, quoted only where it has to be. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word);
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The shell that the model asked `exec_command` for, where the rollout has its arguments; the hook hides it. */
export function shellWanted(args: unknown): string | undefined {
  if (typeof args !== "string") return undefined;
  try {
    const parsed: unknown = JSON.parse(args);
    return isObject(parsed) && typeof parsed.shell === "string" ? parsed.shell : undefined;
  } catch {
    return undefined;
  }
}
