import type { CommandEffect } from "./program-effects.ts";
import { sqlEffects } from "./sql-effects.ts";

/** Code that starts programs: only then its texts are commands. */
const STARTS_PROGRAMS =
  /system|popen|subprocess|spawn|\bexec|child_process|`|\bqx\b|%x|shell|execute|passthru|proc_open|\bopen\b|getline|\bpty\b|capture|Command|process|\|\s*"/i;
/** Commands of editors and consoles that hand the rest of the line to a shell: `!git push`, `.shell`, `\\!`. */
const ESCAPES_TO_SHELL = /^\s*(?::?!|\\!|\.(?:shell|system) |shell |exec )(.+)$/gm;
const TEXT = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`([^`]*)`|(?:qx|%x|%w)\s*[{([]([^})\]]*)[})\]]/g;
const MAX_CODE = 20_000;
const MAX_TEXTS = 64;

/** The shell commands that code may start: its texts, and lists of texts as one command. */
export function commandsIn(code: string): readonly string[] {
  if (code.length > MAX_CODE) return [];
  const escaped = [...code.matchAll(ESCAPES_TO_SHELL)].map(([, command = ""]) => command);
  if (!STARTS_PROGRAMS.test(code)) return escaped;
  const found = [...code.matchAll(TEXT)].slice(0, MAX_TEXTS);
  const commands: string[] = [];
  let words: string[] = [];
  let end = -1;
  for (const match of found) {
    const text = (match.slice(1).find((one) => one !== undefined) ?? "").replace(/\\(.)/g, "$1");
    const between = end < 0 ? "" : code.slice(end, match.index);
    if (end >= 0 && !/^\s*,\s*\*?\s*[[(]?\s*$/.test(between)) {
      commands.push(...commandsOf(words));
      words = [];
    }
    words.push(text);
    end = match.index + match[0].length;
  }
  const all = [...escaped, ...commands, ...commandsOf(words)];
  return /\[::-1\]|\breverse/.test(code) ? [...all, ...all.map((text) => [...text].reverse().join(""))] : all;
}

/** `execvp("git", ["git", "push"])` names the program twice. */
function commandsOf(words: readonly string[]): readonly string[] {
  const own = words[0] === words[1] ? words.slice(1) : words;
  const all = own.length > 1 ? [...own.filter((word) => word.includes(" ")), own.map(quoted).join(" ")] : own;
  return [...all, ...own.flatMap(decodedCommands)];
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A text in base64, if it is one. */
function decodedCommands(text: string): readonly string[] {
  if (!/^[A-Za-z\d+/]{12,}={0,2}$/.test(text) || text.length % 4 !== 0) return [];
  const plain = atob(text);
  return /^[\x20-\x7e\n\t]+$/.test(plain) ? [plain] : [];
}

/** What library calls do to files: the first text after the name is the path. */
const CALLS: readonly (readonly [RegExp, string, boolean])[] = [
  [/(?:rmtree|rmSync|rmdirSync|rm_rf?|remove_tree|remove_dir_all|rimraf)\W{1,4}([\w./*-]+)/g, "files.delete", true],
  [/(?:os\.remove|\bunlink(?:Sync)?|File\.delete|\.unlink_to_trash|glob)\W{1,4}([\w./*-]+)/g, "files.delete", false],
  [/Path\(\W([\w./*-]+)\W\)[^;]*unlink/g, "files.delete", false],
  [/(?:os\.rename|os\.replace|shutil\.move|renameSync|FileUtils\.mv|\brename)\W{1,4}([\w./*-]+)/g, "files.move", false],
];

/** What code on the line does by itself, without another program. */
export function codeEffects(code: string): readonly CommandEffect[] {
  if (code.length > MAX_CODE) return [];
  const files = CALLS.flatMap(([call, name, recursive]) =>
    [...code.matchAll(call)].map(([, path = ""]) => ({
      name,
      args: { paths: [path], ...(recursive ? { recursive } : {}) },
      sure: false,
    })),
  );
  const sql = [...code.matchAll(TEXT)].flatMap((match) => match.slice(1).find((text) => text !== undefined) ?? []);
  const statements = sql.filter((text) => /^\s*(?:DROP|TRUNCATE|DELETE FROM|UPDATE|ALTER)\b/i.test(text));
  const runsDownload = /https?:\/\//.test(code) && /\b(?:eval|exec)\b/.test(code);
  return [
    ...files,
    ...statements.flatMap((text) => sqlEffects(text, false)),
    ...(runsDownload ? [{ name: "network.run", args: {}, sure: false }] : []),
  ];
}
