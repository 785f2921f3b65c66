import { globMatches } from "../../base/kernel/glob.ts";

/** What the agent must not touch: given by the edge, which knows where things lie. */
export type ProtectedPaths = {
  /** Absolute folders and files, as they are given and as the filesystem resolves them. */
  readonly paths: readonly string[];
  /** How commands may spell them where that cannot be worked out: `$CONDUCT_HOME`, … */
  readonly spellings: readonly string[];
  /** Names of our own programs. */
  readonly programs: readonly string[];
  /** The user's own folder, which `~` and `$HOME` stand for. */
  readonly home?: string;
};

/** Hook settings of the runtimes, wherever the workspace or home holds them. */
const HOOK_SETTINGS = [
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".codex/hooks.json",
  ".codex/config.toml",
  ".opencode/plugin",
];
const MAX_PATH = 4_096;

/** Does this path, as somebody wrote it, lead to something protected? Patterns are matched, `.`, `..` and `//` tidied. */
export function isProtected(written: string, protection: ProtectedPaths): boolean {
  if (written.length > MAX_PATH) return false;
  const path = tidy(written, protection.home);
  const named = protection.paths.some((root) => leadsTo(path, tidy(root, protection.home)));
  return named || HOOK_SETTINGS.some((file) => endsIn(path, file)) || isSpelled(path, protection);
}

/** Does a text that could not be read, or a word, hold the name of something protected? */
export function mentionsProtected(text: string, { paths, spellings, home }: ProtectedPaths): boolean {
  const plain = text
    .replace(/["'\\]/g, "")
    .replace(/\$\{HOME\}|\$HOME/g, home ?? "~")
    .replace(/(?:\/\.)*\/+(?:\.\/)*/g, "/");
  return [...paths, ...spellings, ...HOOK_SETTINGS].some((mark) => {
    // `.conductor` is another name.
    for (let at = plain.indexOf(mark); at >= 0; at = plain.indexOf(mark, at + 1)) {
      if (!/[\w.-]/.test(plain[at + mark.length] ?? "")) return true;
    }
    return false;
  });
}

function isSpelled(path: string, { spellings }: ProtectedPaths): boolean {
  return spellings.some((spelling) => path === spelling || path.startsWith(`${spelling}/`));
}

/** As text only: links are the filesystem's to follow. */
function tidy(written: string, home: string | undefined): string {
  const text = written.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, (start) => home ?? start);
  const parts: string[] = [];
  for (const part of text.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return `${text.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}

/** Is the path the root or below it, as a shell would match its patterns? Some systems do not tell large from small letters. */
function leadsTo(path: string, root: string): boolean {
  const parts = path.split("/");
  return root.split("/").every((name, i) => {
    const part = parts[i];
    return part !== undefined && matchesName(part.toLowerCase(), name.toLowerCase());
  });
}

function endsIn(path: string, file: string): boolean {
  const parts = path.split("/");
  const names = file.split("/");
  return parts.some((_part, at) =>
    names.every((name, i) => {
      const part = parts[at + i];
      return part !== undefined && matchesName(part.toLowerCase(), name);
    }),
  );
}

/** `*`, `?`, `[…]` and `{…}`, generously; what begins with a pattern is not a name with a dot in front, unless in braces. */
function matchesName(part: string, name: string): boolean {
  if (part === name) return true;
  if (!/[*?[{]/.test(part) || (/^[*?[]/.test(part) && name.startsWith("."))) return false;
  return globMatches(part.replace(/\[[^\]]*\]|\{[^}]*\}|\?/g, "*"), name);
}
