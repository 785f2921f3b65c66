import type { JsonObject } from "../../../base/words/json.ts";
import { secretSentByCode } from "../secrets/secret-sources.ts";
import { weakenedByCode } from "../weakened-tests.ts";
import { withConstants } from "./code-constants.ts";
import type { CommandEffect } from "./program-effects.ts";
import { sqlEffects } from "./sql-effects.ts";

/** Code that starts programs: only then its texts are commands. */
const STARTS_PROGRAMS =
  /system|popen|subprocess|spawn|\bexec|child_process|`|\bqx\b|%x|shell|execute|passthru|proc_open|\bopen[23]?\b|getline|\bpty\b|capture|Command|process|\|\s*"/i;
/** Commands of editors and consoles that hand the rest of the line to a shell: `!git push`, `.shell`, `\\!`, `1e date`. */
const ESCAPES_TO_SHELL = /^\s*(?::?!|(?:\d+|\$|\/[^/\n]*\/)?e |\\!|\.(?:shell|system) |shell |exec )(.+)$/gm;
const TEXT = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`([^`]*)`|(?:qx|qw|%x|%w)\s*[{([]([^})\]]*)[})\]]/g;
/** `os.environ['HUSKY'] = '0'`, `process.env.HUSKY = '0'`, `ENV['HUSKY'] = '0'` */
const SETS_VARIABLE = /(?:environ|env|ENV)\s*(?:\[|\{|\.)\s*["']?([A-Z_]\w*)["']?\s*[\]}]?\s*=\s*["']([^"'\n]*)["']/g;
const FOLDERS =
  /^(?:src|lib|app|pkg|cmd|internal|tests?|specs?|docs|packages|components|public|e2e|__tests__|cypress|features|migrations|scripts|server|client|~|\/)$/;
const MAX_CODE = 20_000;
const MAX_TEXTS = 64;
/** A text that is code itself: it calls something that starts programs, with a text. */
const IS_CODE = /(?:system|popen|exec\w*|spawn\w*|run|call|check_\w+|shell_exec|passthru)\s*\(?\s*\[?\s*["'`]/;
const MAX_NESTING = 2;
const MAX_NESTED = 8;

/** The shell commands that code may start: its texts, and lists of texts as one command. */
export function commandsIn(code: string, depth = 0): readonly string[] {
  if (code.length > MAX_CODE) return [];
  const escaped = [...code.matchAll(ESCAPES_TO_SHELL)].map(([, command = ""]) => command);
  const folded = withConstants(code);
  if (!STARTS_PROGRAMS.test(code) && !STARTS_PROGRAMS.test(folded)) return escaped;
  const own = textCommands(code, code.replace(/(["'])\s*\+\s*\1/g, ""));
  const all = folded === code ? own : [...new Set([...own, ...textCommands(code, folded)])];
  // `exec("import os; os.system('git push')")`: a text may be code.
  const inner = depth >= MAX_NESTING ? [] : all.filter((text) => IS_CODE.test(text)).slice(0, MAX_NESTED);
  return [...escaped, ...all, ...inner.flatMap((text) => commandsIn(text, depth + 1))];
}

function textCommands(code: string, joined: string): readonly string[] {
  const found = [...joined.matchAll(TEXT)].slice(0, MAX_TEXTS);
  const commands: string[] = [];
  let words: string[] = [];
  let end = -1;
  for (const match of found) {
    const plain = (match.slice(1).find((one) => one !== undefined) ?? "").replace(/\\(.)/g, "$1");
    // `"git checkout -- " + file`
    const text =
      /\S $/.test(plain) && /^\s*[\w+.$&]/.test(joined.slice(match.index + match[0].length)) ? `${plain}*` : plain;
    const between = end < 0 ? "" : joined.slice(end, match.index);
    if (end >= 0 && !/^\s*,\s*\*?\s*(?:\{\s*args:\s*)?[[(]?\s*$/.test(between)) {
      commands.push(...commandsOf(words));
      words = [];
    }
    words.push(text);
    end = match.index + match[0].length;
  }
  const settings = [...code.matchAll(SETS_VARIABLE)]
    .map(([, name = "", value = ""]) => `${name}=${quoted(value)} `)
    .join("");
  const all = [...commands, ...commandsOf(words)].map((text) => settings + text);
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

/** What library calls do to files. The paths are the texts of the code that look like paths. */
const CALLS: readonly (readonly [RegExp, string])[] = [
  [/rmtree|rm_rf?\b|remove_tree|remove_dir_all|RemoveAll|deleteDirectory|rimraf|recursive/, "recursive"],
  [/\bglob|\bfor\b|\bmap\b|forEach|\.each\b|walk|array_map/, "many"],
];
const DELETES =
  /rmtree|\brm(?:dir)?(?:Sync)?\s*\(|rm_rf?\b|remove_tree|remove_dir_all|rimraf|os\.remove|os\.Remove(?:All)?\b|removeSync|\bunlink|Files\.delete|(?:File|Directory)\.Delete|deleteDirectory|File\.delete|FileUtils\.rm|Deno\.remove|send2trash/;
const MOVES = /os\.rename|os\.replace|shutil\.move|rename(?:Sync)?\s*\(|FileUtils\.mv/;
const CHMODS = /\bchmod(?:Sync)?\s*\(|FileUtils\.chmod/;
const CHMOD_MODE = /\bchmod(?:Sync)?\b[^;\n]{0,80}?\b0o?([0-7]{3,4})\b/;
const HOME = /Path\.home\(\)|homedir\(\)|Dir\.home|expanduser/;
const WRITES =
  /open\([^)]*["'][wax]|(?<!std(?:out|err)\.)\bwrite(?:File)?(?:Sync)?\s*\(|write_text|File\.write|append(?:File)?(?:Sync)?\s*\(|file_put_contents|Deno\.write|\bprint[^;}]*>>?\s*["']/;
const PATH = /^\/$|^\/?[\w@~.][\w@.*-]*(?:\/[\w@.*-]+)*\/?$/;
/** Code that talks to a database: only then its texts are SQL. */
const QUERIES = /execute|query|sql|cursor|\.run\(|prepare|\braw\b|\bDB\b|\bexec\b|session|connection|engine/i;

/** Hands to a shell what a server answers. */
const RUNS_ANSWER =
  /(?:system|popen|exec\w*|run|call|check_\w+|spawn\w*|passthru)\s*\(\s*[^"']{0,40}(?:urlopen|requests\.get|fetch|file_get_contents|https?\.get|URI\.open)/;
/** Libraries that do git's work: GitPython, isomorphic-git, simple-git, pygit2, Rugged, sh. */
const GIT = /\bgit\b|\bRepo\b|Rugged|pygit2|dulwich/;
/** Libraries with which code changes other systems: what must be in the code, the call, and its effect. */
const LIBRARIES: readonly (readonly [RegExp, RegExp, string, JsonObject?])[] = [
  [GIT, /\bpush\s*\([^)]*(?:force\s*[=:]\s*true|["'](?:--force|-f\b|\+))/i, "git.push", { force: true }],
  [GIT, /\breset\s*\([^)]*hard|\bcheckout\s*\([^)]*force\s*[=:]\s*true/i, "git.discard"],
  [
    /boto3|botocore|google\.cloud|googleapiclient|azure\.|aws-sdk|@aws-sdk|@google-cloud|@azure|Aws::/,
    /\b(?:delete|terminate|destroy|purge|remove)\w*\s*\(|\bDelete\w*Command\b|\bTerminate\w*Command\b/,
    "cloud.delete",
  ],
  [/redis/i, /\bflush(?:all|db)\b/i, "database.drop"],
  [
    /mongo/i,
    /\bdrop(?:_?database|_?collection)?\s*\(|\b(?:delete_?many|remove)\s*\(\s*(?:\{\s*\})?\s*\)/i,
    "database.drop",
  ],
  [
    /models|objects|\bUser\b|ActiveRecord|[A-Z]\w+(?:\.|::)|[Pp]risma/,
    /\.objects\.(?:all\(\)\.)?(?:_raw_)?delete\(|(?:::|->|\.)truncate\(|\.delete_?[mM]any\(\s*(?:\{\s*\})?\s*\)|\b(?:delete|destroy)_all\b|\bdrop_all\s*\(|\bdrop_?table\s*\(/,
    "database.drop",
  ],
  [/docker/i, /images?\.push\s*\(|\.push\s*\(\s*["'][\w.-]+\//, "containers.push"],
];

/** What code on the line does by itself, without another program. Code in its texts counts if it is run. */
export function codeEffects(code: string, depth = 0): readonly CommandEffect[] {
  if (code.length > MAX_CODE) return [];
  if (depth === 0 && /\b(?:exec|eval)\b/.test(code)) {
    const inner = [...code.matchAll(TEXT)].flatMap((match) => match.slice(1).find((text) => text !== undefined) ?? []);
    const run = inner.flatMap((text) => [text, ...decodedCommands(text)]).filter((text) => /\w\(/.test(text));
    return [...codeEffects(code, 1), ...run.slice(0, MAX_NESTED).flatMap((text) => codeEffects(text, 1))];
  }
  const texts = [...code.matchAll(TEXT)].flatMap((match) => match.slice(1).find((text) => text !== undefined) ?? []);
  const named = texts.flatMap((text) => (/^\w+(?: \w+)+$/.test(text) ? text.split(" ") : [text]));
  const home = HOME.test(code) ? ["~"] : [];
  const paths = [...home, ...named.filter((text) => PATH.test(text) && (/[./*]/.test(text) || FOLDERS.test(text)))];
  const flags = Object.fromEntries(CALLS.flatMap(([call, flag]) => (call.test(code) ? [[flag, true]] : [])));
  const files: CommandEffect[] = (
    [
      [DELETES, "files.delete"],
      [MOVES, "files.move"],
      [WRITES, "files.write"],
      [CHMODS, "files.permissions"],
    ] as const
  ).flatMap(([call, name]) =>
    paths.length > 0 && call.test(code) ? [{ name, args: { paths, ...flags }, sure: false }] : [],
  );
  // Modes are numbers in code: `os.chmod(path, 0o777)`.
  const [, mode] = CHMOD_MODE.exec(code) ?? [];
  if (mode !== undefined) files.push({ name: "files.permissions", args: { paths, mode }, sure: false });
  const isSql = /^\s*(?:DROP|TRUNCATE|DELETE FROM|UPDATE|ALTER)\b/i;
  const statements = QUERIES.test(code) ? texts.filter((text) => isSql.test(text)) : [];
  const runsDownload = /https?:\/\//.test(code) && (/\b(?:eval|exec)\b/.test(code) || RUNS_ANSWER.test(code));
  const secret = secretSentByCode(code);
  const weakened = weakenedByCode(code, WRITES.test(code) ? paths : []);
  return [
    ...(secret === undefined ? [] : [{ name: "secrets.send", args: { secret }, sure: false }]),
    ...(weakened === undefined ? [] : [{ name: "tests.weaken", args: weakened, sure: false }]),
    ...files,
    ...statements.flatMap((text) => sqlEffects(text, false)),
    ...LIBRARIES.flatMap(([library, call, name, args = {}]) =>
      library.test(code) && call.test(code) ? [{ name, args, sure: false }] : [],
    ),
    ...(runsDownload ? [{ name: "network.run", args: {}, sure: false }] : []),
  ];
}
