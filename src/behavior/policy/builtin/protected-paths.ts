import { globMatches } from "../../../base/kernel/glob.ts";
import { isObject } from "../../../base/kernel/json.ts";
import type { ToolCall } from "../../../base/words/call.ts";
import type { Facts } from "../../../base/words/facts.ts";
import type { Json } from "../../../base/words/json.ts";
import type { ToolPolicy } from "../../../base/words/policy.ts";
import { inFolder } from "../../commands/shell/folders.ts";
import { parseShellLine, type ShellLine, type ShellRun } from "../../commands/shell/shell-line.ts";
import { baseName } from "../../commands/shell/shell-word.ts";
import { allow, deny, pathFact } from "../policy-decision.ts";
import { skillReads } from "./skill-paths.ts";

/**
 * The agent may be the adversary: it must not touch Conduct's home or the runtimes' hook settings, nor run `conduct`. Not
 * lifted by /elevated. It may read the skills that it was given. Within one user account this is a hurdle, not isolation.
 */
export function protectedPathsPolicy(protection: ProtectedPaths, skills: readonly string[] = []): ToolPolicy {
  return {
    name: "builtin:protected-paths",
    check(call, { facts }) {
      const spared = skillReads(call, facts, skills);
      const touched = touchedPath(call, facts, protection, spared) ?? touchedByArguments(call, protection, spared);
      if (touched === undefined) return stopsConduct(call, protection) ? deny(STOPS, STOPS_MORE) : allow();
      return deny(`'${touched}' belongs to Conduct or to the runtime's hook settings. Agents may not access it.`, {
        code: "protected-path",
        next: "If it has to change, ask the operator to change it.",
        key: touched,
      });
    },
  };
}

const STOPS = "This command may stop Conduct. Agents may not do that.";
const STOPS_MORE = {
  code: "protected-path",
  next: "Name the processes that you mean by another name. If Conduct has to stop, ask the operator.",
  key: "stop",
} as const;

const KILLERS = /^(?:p?kill|killall5?|skill|xkill|taskkill|fuser|Stop-Process)$/i;
/** Commands that find processes, for another command of the line. */
const FINDERS =
  /^(?:p?kill|killall5?|skill|xkill|taskkill|pgrep|pidof|ps|[ef]?grep|rg|awk|lsof|cat|xargs|Get-Process)$/i;
const SERVICES = /^(?:systemctl|service|launchctl|initctl|rc-service|supervisorctl|pm2|brew|sv|s6-svc)$/;
/** Commands of service managers that leave a service running. */
const HARMLESS = /^(?:start|status|show|list|list-units|logs?|is-active|is-enabled|cat|print|info|help)$/;

/** Recognises `pkill conduct`, `kill $(pgrep conduct)` and `systemctl stop conduct`. */
function stopsConduct({ tool, args: { command } }: ToolCall, { programs }: ProtectedPaths): boolean {
  if (tool !== "shell" || typeof command !== "string") return false;
  // `grep [c]onduct` leaves out grep's own process.
  const plain = command.replace(/\[(\w)\]/g, "$1");
  if (!programs.some((name) => plain.includes(name)) && !/\b(?:pkill|killall)\b/.test(plain)) return false;
  const { commands } = parseShellLine(plain);
  // Not `conductor`, nor a folder of that name.
  const names = (word: string) =>
    programs.some((name) => new RegExp(`(?<![\\w-])${name}(?![\\w/]|-(?!daemon|gateway))`, "i").test(word));
  const isKilled = commands.some(([first = "", ...rest]) => {
    const program = baseName(first);
    if (SERVICES.test(program)) return rest.some(names) && !rest.some((word) => HARMLESS.test(word));
    return /^(?:pkill|killall)$/.test(program) && rest.some((word) => programs.some((name) => matches(word, name)));
  });
  const kills = commands.some(([first = ""]) => KILLERS.test(baseName(first)));
  const finds = ([first = "", ...rest]: readonly string[]) => FINDERS.test(baseName(first)) && rest.some(names);
  return isKilled || (kills && commands.some(finds));
}

/** `pkill` takes a pattern for a part of the name. */
function matches(pattern: string, name: string): boolean {
  if (pattern.startsWith("-") || pattern.length < 2 || pattern.length > 100) return false;
  // Such a pattern could take long.
  if (/\)[*+{]/.test(pattern)) return true;
  try {
    return new RegExp(pattern).test(name);
  } catch {
    return false;
  }
}

type Spared = ReadonlySet<string>;

function touchedPath(call: ToolCall, facts: Facts, protection: ProtectedPaths, spared: Spared): string | undefined {
  return call.paths.find(({ path }) => {
    if (spared.has(path)) return false;
    if (isProtected(path, protection)) return true;
    const resolved = pathFact(facts, path)?.resolved ?? path;
    return resolved !== path && isProtected(resolved, protection);
  })?.path;
}

function touchedByArguments(call: ToolCall, protection: ProtectedPaths, spared: Spared): string | undefined {
  const command = call.args.command;
  if (call.tool === "shell" && typeof command === "string") return touchedByShell(command, protection, spared);
  return pathsIn(call.args).find(
    // The call's own paths are compared already.
    (text) =>
      !spared.has(text) && !call.paths.some(({ path }) => path === text) && isProtected(filePath(text), protection),
  );
}

/** The path of a `file://` address, nothing for other addresses, else the text. */
function filePath(text: string): string {
  if (!text.includes("://")) return text.trim();
  const [, path] = /^file:\/\/(?:localhost)?(\/.*)$/i.exec(text.trim()) ?? [];
  if (path === undefined) return /^[a-z][a-z0-9+.-]*:\/\//i.test(text.trim()) ? "" : text.trim();
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Every one-line text in the arguments, at any depth, that can be a path outside the current folder. */
function pathsIn(value: Json, texts: string[] = []): readonly string[] {
  if (typeof value === "string") {
    if (/[/~$]/.test(value) && !value.includes("\n")) texts.push(value);
  } else if (Array.isArray(value)) for (const inner of value) pathsIn(inner, texts);
  else if (isObject(value)) for (const key in value) pathsIn(value[key] ?? null, texts);
  return texts;
}

/** The program and the words of a line that are protected. */
type Touched = { readonly program: string | undefined; readonly words: readonly string[] };

/** Agents repeat commands, and a parsed line is shared by all its readers. */
const touchedLines = new WeakMap<ProtectedPaths, WeakMap<ShellLine, Touched>>();

function touchedIn(line: ShellLine, protection: ProtectedPaths): Touched {
  const lines = touchedLines.get(protection) ?? new WeakMap<ShellLine, Touched>();
  touchedLines.set(protection, lines);
  const touched = lines.get(line) ?? {
    program: line.commands.map((words) => runProgram(words, protection.programs)).find((name) => name !== undefined),
    words: line.runs.flatMap((run) => touchedBy(run, protection)),
  };
  lines.set(line, touched);
  return touched;
}

function touchedByShell(command: string, protection: ProtectedPaths, spared: Spared): string | undefined {
  const line = parseShellLine(command);
  const { program, words } = touchedIn(line, protection);
  if (program !== undefined) return program;
  const word = words.find((text) => !spared.has(text));
  if (word !== undefined) return word;
  if (line.parsed) return undefined;
  if (mentionsProtected(command, protection)) return "this command line";
  return command.split(/[\s;&|()`]+/).find((one) => protection.programs.includes(programName(one)));
}

function touchedBy(
  { words, assignments, redirects, folders }: ShellRun,
  protection: ProtectedPaths,
): readonly string[] {
  const targets = redirects.map(({ target }) => target);
  const texts = [...words, ...assignments.map(({ value }) => value), ...targets].map(({ text }) => text);
  const moved = folders.length > 1 || folders[0] !== "";
  return texts.filter((text) => {
    if (!moved && !/[/~$]/.test(text)) return false;
    if (mentionsProtected(text, protection)) return true;
    // `--file=~/x`, `-f/x`, `@/x`
    const value = text.replace(/^(?:--?[\w.-]+=|-[A-Za-z](?=[/~$.])|[\w.-]+=)?@?/, "");
    return folders.some((folder) =>
      [text, value].some((one) => isProtected(inFolder(folder, filePath(one)) ?? filePath(one), protection)),
    );
  });
}

const PACKAGE_RUNNERS = /^(?:npx|bunx|pnpx|dlx|corepack)$/;
const PACKAGE_MANAGERS = /^(?:npm|pnpm|yarn|bun)$/;

/** Options that take a folder or a package. */
const FOLDER_OPTIONS = /^(?:-C|-F|-w|--cwd|--dir|--prefix|--filter|--workspace)$/;
const INTERPRETERS = /^(?:node|nodejs|tsx|ts-node|bun|deno)$/;

/** Recognises `conduct …`, `npx conduct …`, `npm run conduct` and `node …/conduct.mjs`, but not a mere mention. */
function runProgram(words: readonly string[], programs: readonly string[]): string | undefined {
  const [first = "", ...rest] = words;
  const isOurs = (word: string) => programs.includes(programName(word));
  if (isOurs(first)) return first;
  const name = baseName(first);
  const operands = rest.filter((word, i) => !word.startsWith("-") && !FOLDER_OPTIONS.test(rest[i - 1] ?? ""));
  if (PACKAGE_RUNNERS.test(name)) return operands.slice(0, 3).find(isOurs);
  if (INTERPRETERS.test(name)) {
    const script = rest.find((word) => isOurs(word) && /\.[cm]?[jt]s$/.test(word)) ?? operands.slice(0, 1).find(isOurs);
    if (script !== undefined) return script;
  }
  if (!PACKAGE_MANAGERS.test(name)) return undefined;
  if (/^(?:run|run-script|exec|x|dlx)$/.test(operands[0] ?? "")) return operands.slice(1, 3).find(isOurs);
  return name === "npm" ? undefined : operands.slice(0, 1).find(isOurs);
}

/** `./bin/conduct.mjs` and `agent-conduct@1` by their plain names. */
function programName(word: string): string {
  return baseName(word)
    .replace(/(?<=.)@.*$/, "")
    .replace(/\.(?:[cm]?[jt]s|cmd|exe)$/, "");
}

/** The files and programs that agents must not touch; provided by the host. */
export type ProtectedPaths = {
  /** Absolute folders and files, as given and as resolved by the filesystem. */
  readonly paths: readonly string[];
  /** Spellings in commands that cannot be resolved, such as `$CONDUCT_HOME`. */
  readonly spellings: readonly string[];
  readonly programs: readonly string[];
  /** What `~` and `$HOME` stand for. */
  readonly home?: string;
};

/** Hook settings of the runtimes, in any folder. */
const HOOK_SETTINGS = [
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".codex/hooks.json",
  ".codex/config.toml",
  ".gemini/settings.json",
  ".opencode/plugin",
];
const HOOK_PARTS = HOOK_SETTINGS.map((file) => file.split("/"));
const HOOK_FOLDERS = HOOK_SETTINGS.map((file) => `/${file}/`);
const MAX_PATH = 4_096;

/** Normalised roots, cached because every text of every call is compared with them. */
type Roots = {
  readonly spellings: readonly string[];
  readonly parts: readonly (readonly string[])[];
  readonly folders: readonly string[];
};
const tidyRoots = new WeakMap<ProtectedPaths, Roots>();

/** True if the written path leads to a protected file. Patterns are matched; `.`, `..` and `//` are normalised. */
function isProtected(written: string, protection: ProtectedPaths): boolean {
  if (written.length > MAX_PATH) return false;
  const path = tidy(written, protection.home);
  const roots = rootsOf(protection);
  for (const spelling of roots.spellings) if (isIn(path, spelling)) return true;
  const lower = path.toLowerCase();
  // Most paths have no pattern.
  if (!PATTERN.test(lower)) {
    for (const root of roots.folders) if (isIn(lower, root)) return true;
    // Every name of a hook's settings begins with a dot.
    if (!lower.includes(".")) return false;
    const whole = `/${lower}/`;
    for (const file of HOOK_FOLDERS) if (whole.includes(file)) return true;
    return false;
  }
  const parts = lower.split("/");
  return (
    roots.parts.some((root) => beginsWith(parts, 0, root)) ||
    HOOK_PARTS.some((names) => parts.some((_part, at) => beginsWith(parts, at, names)))
  );
}

/** Whether the path is this folder or file, or in it. */
function isIn(path: string, folder: string): boolean {
  return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === "/");
}

function rootsOf(protection: ProtectedPaths): Roots {
  const known = tidyRoots.get(protection);
  if (known !== undefined) return known;
  const tidied = protection.paths.map((root) => tidy(root, protection.home).toLowerCase());
  const roots = {
    spellings: protection.spellings,
    parts: tidied.map((root) => root.split("/")),
    folders: tidied,
  };
  tidyRoots.set(protection, roots);
  return roots;
}

/** Compares path segments as a shell matches patterns; lower case, because some filesystems ignore case. */
function beginsWith(parts: readonly string[], at: number, names: readonly string[]): boolean {
  // A pattern for the start of a relative path is not the root.
  if (names[0] === "" && parts[at] !== "") return false;
  for (let i = 0; i < names.length; i++) {
    const part = parts[at + i];
    if (part === undefined || !matchesName(part, names[i] ?? "")) return false;
  }
  return true;
}

/** True if a word, or the text of an unreadable line, contains a protected name. */
function mentionsProtected(text: string, { paths, spellings, home }: ProtectedPaths): boolean {
  const plain = text
    .replace(/["'\\]/g, "")
    .replace(/\$\{HOME\}|\$HOME/g, home ?? "~")
    .replace(/(?:\/\.)*\/+(?:\.\/)*/g, "/");
  return [...paths, ...spellings, ...HOOK_SETTINGS].some((mark) => {
    // Not `.conductor`.
    for (let at = plain.indexOf(mark); at >= 0; at = plain.indexOf(mark, at + 1)) {
      if (!/[\w.-]/.test(plain[at + mark.length] ?? "")) return true;
    }
    return false;
  });
}

/** Normalises the text of a path; symbolic links are not followed. */
function tidy(written: string, home: string | undefined): string {
  if (!UNTIDY.test(written)) return written;
  const text = written.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, (start) => home ?? start);
  const parts: string[] = [];
  for (const part of text.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return `${text.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}

const UNTIDY = /^[~$.]|\/[./]|\/$/;

/** Braces that the shell does not expand are text, as in `repos/{owner}`; `find` fills `{}` in. */
const BRACES = /\{\}|\{[^}]*(?:,|\.\.)[^}]*\}/;
const PATTERN = new RegExp(`[*?[]|${BRACES.source}`);

const WILD = new RegExp(`\\[[^\\]]*\\]|${BRACES.source}|\\?`, "g");

/** Matches `*`, `?`, `[…]` and `{…}` generously. A leading pattern matches no hidden file, except in braces. */
function matchesName(part: string, name: string): boolean {
  if (part === name) return true;
  if (!PATTERN.test(part) || (/^[*?[]/.test(part) && name.startsWith("."))) return false;
  const [, last] = /\[(\w+)\]$/.exec(part) ?? [];
  if (last !== undefined && !last.includes(name.slice(-1))) return false;
  return globMatches(part.replace(WILD, "*"), name);
}
