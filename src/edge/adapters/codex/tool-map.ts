import { isAbsolute, join, resolve } from "node:path";
import { asString, parseObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import { type ShellAccess, shellAccess } from "../../../behavior/commands/files/access.ts";
import { parseShellLine } from "../../../behavior/commands/shell/shell-line.ts";
import { baseName } from "../../../behavior/commands/shell/shell-word.ts";
import { OWN_SERVER } from "../shared/own-tools.ts";
import { type Carriers, commandLine, mapPatch, patchedFiles, quoted } from "../shared/tool-args.ts";
import type { CodexToolUse } from "./events.ts";

/** A call in Conduct's vocabulary, without its step. */
type MappedCall = Omit<CallInput, "step">;

/** `root` is the session's workspace, `cwd` the call's own folder, `shell` the program that the call asks for. */
type CallPlace = { readonly root: string; readonly cwd: string; readonly shell?: string };

/** `Bash` is the name in hooks, the others are those of the model's tools in one version or another. */
const SHELLS: ReadonlySet<string> = new Set(["Bash", "shell", "local_shell", "shell_command", "exec_command"]);

export function mapCall(use: CodexToolUse, place: CallPlace): MappedCall {
  const base = { id: use.id, native: { runtime: "codex", name: use.name, input: use.input } };
  const text = commandLine(use.input.command ?? use.input.cmd);
  if (SHELLS.has(use.name)) {
    if (text === undefined) return { ...base, tool: "shell", args: { ...use.input, command: null } };
    return { ...base, ...mapShell(text, place) };
  }
  if (use.name === "apply_patch" && text !== undefined) {
    const locate = (path: string) => fromRoot(path, place.root, place.cwd);
    return { ...base, ...mapPatch(text, { name: locate, locate }) };
  }
  if (use.name === "view_image") return { ...base, tool: "read_file", args: use.input };
  if (use.name === "spawn_agent") return { ...base, tool: "task", args: use.input };
  const mcp = /^mcp__(.+?)__(.+)$/.exec(use.name);
  if (mcp === null) return { ...base, tool: `codex/${use.name}`, args: use.input };
  const [, server = "", name = ""] = mcp;
  const tool = server === OWN_SERVER ? name : `${server}/${name}`;
  return { ...base, native: { ...base.native, server, name }, tool, args: use.input };
}

/**
 * The model's tools by the names that it sees, as far as known: no hook reports them. Conduct's own keep their plain
 * names: Codex puts them into the namespace `mcp__conduct`, and its `tool_search` finds no other spelling.
 */
export function seenTools(declared: readonly string[], own: readonly string[]): readonly string[] {
  const foreign = declared.filter((name) => name.includes("/")).map((name) => name.slice(name.lastIndexOf("/") + 1));
  return [...new Set(["exec_command", "apply_patch", ...own, ...foreign])];
}

/** The model's name for a tool of the vocabulary; Codex reads files through its shell, so reading has no name there. */
export function toolName(tool: string): string {
  if (tool === "shell") return "exec_command";
  return tool === "write_file" || tool === "edit_file" ? "apply_patch" : tool;
}

/** How changed arguments are written back into the native input: possible for commands, patches and MCP. */
export function carriersOf(use: CodexToolUse, { args }: Pick<MappedCall, "args">): Carriers {
  if (use.name.startsWith("mcp__")) return "same";
  // A spelled-out command would run in another folder than its replacement.
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
    // In an unusual shell nothing is proven.
    proves: shell === undefined ? proves : [],
  };
}

/** The command with its folder and shell: checked as the same command, but a compound command proves nothing. */
function spelledOut(command: string, dir: string, shell: string | undefined): string {
  const run = shell === undefined ? command : `${quoted(shell)} -c ${quoted(command)}`;
  return `cd ${quoted(dir)} && ${run}`;
}

/** The path as seen from the session's root folder: the call may run in another one. */
function fromRoot(path: string, root: string, dir: string): string {
  if (isAbsolute(path) || path === "~" || path.startsWith("~/") || resolve(dir) === resolve(root)) return path;
  return join(dir, path);
}

/** The shell that the model asked `exec_command` for. Only the rollout has it, not the hook. */
export function shellWanted(args: unknown): string | undefined {
  const { shell } = parseObject(asString(args)) ?? {};
  return typeof shell === "string" ? shell : undefined;
}

/** The file access of a command line in Codex, which applies a patch in a heredoc itself, as an edit. */
export function codexShellAccess(command: string): ShellAccess {
  const access = shellAccess(command);
  const patched = hasPatch(command) ? patchedFiles(command) : [];
  if (patched.length === 0) return access;
  const paths = [...new Set(patched.map(({ path }) => path))].map((path) => ({ path, access: "write" as const }));
  const actions = [...new Set([...access.actions, "write_file", "edit_file"])];
  return { ...access, paths: [...access.paths, ...paths], actions };
}

function hasPatch(command: string): boolean {
  if (!command.includes("*** Begin Patch")) return false;
  const { commands, parsed } = parseShellLine(command);
  return !parsed || commands.some((words) => words.some((word) => /^apply_?patch$/.test(baseName(word))));
}
