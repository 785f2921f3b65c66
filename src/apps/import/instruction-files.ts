import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { sha256 } from "../../base/kernel/canonical-json.ts";
import { readTextFile } from "../../edge/host/workspace/read-text-file.ts";
import { isInside } from "../../edge/host/workspace/workspace-prompts-read.ts";
import { AGENTS_READERS } from "../../edge/host/workspace/workspace-sources.ts";

export type SourceKind = "text" | "claude-settings" | "codex-rules";

/** A file to import. `under` is the folder that a nested file is about; `readers` are the runtimes that read it themselves. */
export type InstructionFile = {
  readonly name: string;
  readonly path: string;
  readonly kind: SourceKind;
  readonly under: string;
  /** Globs of a Cursor rule or of Copilot's path instructions. */
  readonly globs?: string;
  readonly readers: readonly string[];
  readonly text: string;
  readonly sha256: string;
};

type Known = { readonly pattern: RegExp; readonly kind: SourceKind; readonly readers: readonly string[] };

const KNOWN: readonly Known[] = [
  { pattern: /(^|\/)CLAUDE(\.local)?\.md$/, kind: "text", readers: ["claude-code", "claude-sdk"] },
  { pattern: /(^|\/)AGENTS(\.override)?\.md$/, kind: "text", readers: AGENTS_READERS },
  { pattern: /(^|\/)GEMINI\.md$/, kind: "text", readers: ["gemini"] },
  { pattern: /(^|\/)\.cursor\/rules\/.*\.mdc?$|\.mdc$|(^|\/)\.cursorrules$/, kind: "text", readers: ["cursor"] },
  {
    pattern: /(^|\/)(\.github\/copilot-instructions|\.github\/instructions\/.*|[^/]*\.instructions)\.md$/,
    kind: "text",
    readers: ["copilot"],
  },
  {
    pattern: /(^|\/)(\.claude\/)?settings(\.local)?\.json$/,
    kind: "claude-settings",
    readers: ["claude-code", "claude-sdk"],
  },
  { pattern: /\.rules$/, kind: "codex-rules", readers: ["codex"] },
];

/** Folders that are never searched; other folders whose name starts with a dot are not either. */
const SKIPPED = new Set(["node_modules", "dist", "build", "target", "vendor", "venv", "coverage", "out"]);
const DOTTED = new Set([".claude", ".cursor", ".github", ".codex"]);
const DEEPEST = 5;
const MOST_FILES = 100;

/** The instruction files of a folder, outermost first. Links out of the folder and doubles are left out. */
export async function findInstructionFiles(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const walk = async (at: string, depth: number): Promise<void> => {
    const entries = await readdir(at, { withFileTypes: true }).catch(() => []);
    const names = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of names) {
      const path = join(at, entry.name);
      const name = relative(folder, path).split(sep).join("/");
      const isFolder = entry.isDirectory();
      if (!isFolder && isFound(name)) found.push(path);
      const isOpen = entry.name.startsWith(".") ? DOTTED.has(entry.name) : !SKIPPED.has(entry.name);
      if (isFolder && isOpen && depth < DEEPEST && found.length < MOST_FILES) await walk(path, depth + 1);
    }
  };
  await walk(folder, 0);
  const root = await realpath(folder);
  const seen = new Set<string>();
  const own: string[] = [];
  for (const path of found.slice(0, MOST_FILES)) {
    const real = await realpath(path).catch(() => "");
    if (!isInside(real, root) || seen.has(real)) continue;
    seen.add(real);
    own.push(path);
  }
  return own;
}

/** In a search, a `settings.json` or `.rules` counts only where its runtime reads it. */
function isFound(name: string): boolean {
  const known = knownAs(name);
  if (known?.kind === "claude-settings") return /^\.claude\//.test(name);
  if (known?.kind === "codex-rules") return /^\.codex\/rules\//.test(name);
  return known !== undefined;
}

function knownAs(name: string): Known | undefined {
  return KNOWN.find(({ pattern }) => pattern.test(name));
}

export type ReadProblem = { readonly message: string; readonly fix: string; readonly code: string };

/** Reads a file that the user names or the search found. Other Markdown files count as instructions without a reader. */
export async function readInstructionFile(given: string, folder: string): Promise<InstructionFile | ReadProblem> {
  const path = resolve(folder, given);
  const name = isInside(path, folder) ? relative(folder, path).split(sep).join("/") : path;
  const known = knownAs(name) ?? (/\.md$/i.test(name) ? { kind: "text" as const, readers: [] } : undefined);
  if (known === undefined) {
    const message = `${given} is no file that can be imported`;
    const fix =
      "name CLAUDE.md, AGENTS.md, GEMINI.md, a Cursor rule, Copilot instructions, .claude/settings.json or a .rules file of Codex";
    return { code: "UNKNOWN_FILE", message, fix };
  }
  const read = await readTextFile(path, given, "TEXT");
  if ("error" in read) return { code: read.error.code, message: read.error.message, fix: read.error.fix };
  const { text } = read;
  const { kind, readers } = known;
  return { name, path, kind, readers, under: folderOf(name), globs: globsOf(text), text, sha256: sha256(text) };
}

/** The folder that the file is about: none for files at the top and in a tool's own folder. */
function folderOf(name: string): string {
  if (name.startsWith("/") || /(^|\/)\.(claude|cursor|github|codex)\//.test(name)) {
    const [, above = ""] = /^(.*?)\/\.(?:claude|cursor|github|codex)\//.exec(name) ?? [];
    return name.startsWith("/") ? "" : above;
  }
  const folder = dirname(name);
  return folder === "." || basename(name) === name ? "" : folder;
}

function globsOf(text: string): string | undefined {
  const [, front = ""] = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---/.exec(text) ?? [];
  if (/^alwaysApply:\s*true\s*$/m.test(front)) return undefined;
  const [, globs] = /^(?:globs|applyTo):\s*["']?(.*?)["']?\s*$/m.exec(front) ?? [];
  return globs === undefined || globs === "" || globs === "**" ? undefined : globs;
}
