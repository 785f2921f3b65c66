import type { ToolCall } from "../../base/words/call.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { ToolPolicy } from "../../base/words/policy.ts";
import { allow, deny } from "./policy-decision.ts";
import { baseName, parseShellLine } from "./shell-line.ts";

/** What the agent must not touch: given by the edge, which knows where things lie. */
export type ProtectedPaths = {
  /** Absolute folders and files, as the filesystem resolves them. */
  readonly paths: readonly string[];
  /** How commands may spell them: `~/.conduct`, `$CONDUCT_HOME`, … */
  readonly spellings: readonly string[];
  /** Names of our own programs. */
  readonly programs: readonly string[];
};

/** Hook settings of the runtimes, wherever the workspace or home holds them. */
const HOOK_SETTINGS = [
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".codex/hooks.json",
  ".codex/config.toml",
  ".opencode/plugin",
];

/**
 * The agent may be the adversary: nothing it calls may read or change Conduct's home, the runtimes' hook settings or
 * run the `conduct` program. Not lifted by /elevated. On one account this is a hurdle, not isolation.
 */
export function protectedPathsPolicy(protection: ProtectedPaths): ToolPolicy {
  return {
    name: "builtin:protected-paths",
    check(call, { facts }) {
      const touched = touchedPath(call, facts, protection) ?? touchedByShell(call, protection);
      if (touched === undefined) return allow();
      return deny(`'${touched}' belongs to Conduct or to the runtime's hook settings; agents may not touch it.`, {
        code: "protected-path",
        next: "Leave it alone. If it has to change, ask the operator to do it.",
        key: touched,
      });
    },
  };
}

function touchedPath(call: ToolCall, facts: Facts, { paths }: ProtectedPaths): string | undefined {
  return call.paths.find(({ path }) => {
    const resolved = facts.paths[path]?.resolved ?? path;
    return paths.some((root) => isUnder(resolved, root)) || HOOK_SETTINGS.some((file) => hasPath(resolved, file));
  })?.path;
}

function touchedByShell(call: ToolCall, { paths, spellings, programs }: ProtectedPaths): string | undefined {
  const command = call.args.command;
  if (call.tool !== "shell" || typeof command !== "string") return undefined;
  const line = parseShellLine(command);
  for (const words of line.commands) {
    const program = words.find((word) => programs.includes(baseName(word)));
    if (program !== undefined && runsIt(words, program)) return program;
  }
  const words = [
    ...line.commands.flat(),
    ...line.redirects.map(({ target }) => target),
    ...(line.parsed ? [] : [command]),
  ];
  const marks = [...paths, ...spellings, ...HOOK_SETTINGS];
  return words.find((word) => marks.some((mark) => word.includes(mark)));
}

/** `conduct …`, `npx conduct …`, `npm run conduct`, `node …/conduct`: a mere mention (`grep conduct`) is not a run. */
function runsIt(words: readonly string[], program: string): boolean {
  const at = words.indexOf(program);
  return at === 0 || /^(npx|npm|pnpm|yarn|bunx?|node|tsx|exec)$/.test(baseName(words[0] ?? ""));
}

function isUnder(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`);
}

function hasPath(path: string, part: string): boolean {
  return path.endsWith(`/${part}`) || path.includes(`/${part}/`) || path === part;
}
