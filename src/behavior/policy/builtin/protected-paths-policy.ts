import { isObject } from "../../../base/kernel/json.ts";
import type { ToolCall } from "../../../base/words/call.ts";
import type { Facts } from "../../../base/words/facts.ts";
import type { Json } from "../../../base/words/json.ts";
import type { ToolPolicy } from "../../../base/words/policy.ts";
import { allow, deny } from "../policy-decision.ts";
import { inFolder } from "../shell/folders.ts";
import { parseShellLine, type ShellRun } from "../shell/line.ts";
import { baseName } from "../shell/word.ts";
import { isProtected, mentionsProtected, type ProtectedPaths } from "./protected-paths.ts";

export type { ProtectedPaths } from "./protected-paths.ts";

/**
 * The agent may be the adversary: nothing it calls may read or change Conduct's home, the runtimes' hook settings or
 * run the `conduct` program. Not lifted by /elevated. On one account this is a hurdle, not isolation.
 */
export function protectedPathsPolicy(protection: ProtectedPaths): ToolPolicy {
  return {
    name: "builtin:protected-paths",
    check(call, { facts }) {
      const touched = touchedPath(call, facts, protection) ?? touchedByArguments(call, protection);
      if (touched === undefined) return allow();
      return deny(`'${touched}' belongs to Conduct or to the runtime's hook settings; agents may not touch it.`, {
        code: "protected-path",
        next: "Leave it alone. If it has to change, ask the operator to do it.",
        key: touched,
      });
    },
  };
}

function touchedPath(call: ToolCall, facts: Facts, protection: ProtectedPaths): string | undefined {
  return call.paths.find(({ path }) => {
    const resolved = Object.hasOwn(facts.paths, path) ? facts.paths[path]?.resolved : undefined;
    if (isProtected(path, protection)) return true;
    return resolved !== undefined && resolved !== path && isProtected(resolved, protection);
  })?.path;
}

function touchedByArguments(call: ToolCall, protection: ProtectedPaths): string | undefined {
  const command = call.args.command;
  if (call.tool === "shell" && typeof command === "string") return touchedByShell(command, protection);
  return textsIn(call.args).find((text) => isPathLike(text) && isProtected(filePath(text), protection));
}

/** A bare name leads nowhere that is protected. */
function isPathLike(text: string): boolean {
  return text.includes("/") || text.includes("~") || text.includes("$");
}

/** A path behind `file://`, as it is opened; other texts as they are. */
function filePath(text: string): string {
  const [, path] = /^file:\/\/(?:localhost)?(\/.*)$/i.exec(text.trim()) ?? [];
  if (path === undefined) return /^[a-z][a-z0-9+.-]*:\/\//i.test(text.trim()) ? "" : text.trim();
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Every text of one line in the arguments, however deep: any of them may be a path. */
function textsIn(value: Json): readonly string[] {
  const texts: string[] = [];
  const rest: Json[] = [value];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next === "string" && !next.includes("\n")) texts.push(next);
    else if (Array.isArray(next)) rest.push(...next);
    else if (isObject(next)) rest.push(...Object.values(next).filter((inner) => inner !== undefined));
  }
  return texts;
}

function touchedByShell(command: string, protection: ProtectedPaths): string | undefined {
  const line = parseShellLine(command);
  const program = line.commands
    .map((words) => runProgram(words, protection.programs))
    .find((name) => name !== undefined);
  if (program !== undefined) return program;
  const word = line.runs.flatMap((run) => touchedBy(run, protection)).at(0);
  if (word !== undefined) return word;
  if (line.parsed) return undefined;
  if (mentionsProtected(command, protection)) return "this command line";
  return command.split(/[\s;&|()`]+/).find((one) => protection.programs.includes(programName(one)));
}

function touchedBy({ words, redirects, folders }: ShellRun, protection: ProtectedPaths): readonly string[] {
  const texts = [...words, ...redirects.map(({ target }) => target)].map(({ text }) => text);
  const moved = folders.length > 1 || folders[0] !== "";
  return texts.filter((text) => {
    // Most words are no paths at all.
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
/** What follows these is a folder or a package, not a program. */
const FOLDER_OPTIONS = /^(?:-C|-F|-w|--cwd|--dir|--prefix|--filter|--workspace)$/;
const INTERPRETERS = /^(?:node|nodejs|tsx|ts-node|bun|deno)$/;

/**
 * `conduct …`, `npx conduct …`, `npm run conduct`, `node …/conduct.mjs`: a mere mention (`grep conduct`, a folder of that
 * name, `npm install conduct`) is not a run.
 */
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
