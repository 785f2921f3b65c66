import { globMatches } from "../../../base/kernel/glob.ts";

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
const HOOK_PARTS = HOOK_SETTINGS.map((file) => file.split("/"));
const MAX_PATH = 4_096;

/** Roots as they are compared, worked out once: every text of every call is held against them. */
const tidyRoots = new WeakMap<ProtectedPaths, readonly string[]>();

/** Does this path, as somebody wrote it, lead to something protected? Patterns are matched, `.`, `..` and `//` tidied. */
export function isProtected(written: string, protection: ProtectedPaths): boolean {
  if (written.length > MAX_PATH) return false;
  const path = tidy(written, protection.home);
  if (isSpelled(path, protection)) return true;
  const lower = path.toLowerCase();
  const roots = rootsOf(protection);
  // Most paths have no pattern in them: then names are compared as they are.
  if (!PATTERN.test(lower)) {
    const whole = `/${lower}/`;
    return (
      roots.some((root) => whole.startsWith(`/${root}/`)) || HOOK_SETTINGS.some((file) => whole.includes(`/${file}/`))
    );
  }
  const parts = lower.split("/");
  return (
    roots.some((root) => beginsWith(parts, 0, root.split("/"))) ||
    HOOK_PARTS.some((names) => parts.some((_part, at) => beginsWith(parts, at, names)))
  );
}

function rootsOf(protection: ProtectedPaths): readonly string[] {
  const known = tidyRoots.get(protection);
  if (known !== undefined) return known;
  const roots = protection.paths.map((root) => tidy(root, protection.home).toLowerCase());
  tidyRoots.set(protection, roots);
  return roots;
}

/** Do these names stand there, as a shell would match its patterns? Some systems do not tell large from small letters. */
function beginsWith(parts: readonly string[], at: number, names: readonly string[]): boolean {
  for (let i = 0; i < names.length; i++) {
    const part = parts[at + i];
    if (part === undefined || !matchesName(part, names[i] ?? "")) return false;
  }
  return true;
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
  // Most texts have nothing to tidy.
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

const PATTERN = /[*?[{]/;

/** `*`, `?`, `[…]` and `{…}`, generously; what begins with a pattern is not a name with a dot in front, unless in braces. */
function matchesName(part: string, name: string): boolean {
  if (part === name) return true;
  if (!PATTERN.test(part) || (/^[*?[]/.test(part) && name.startsWith("."))) return false;
  return globMatches(part.replace(/\[[^\]]*\]|\{[^}]*\}|\?/g, "*"), name);
}
