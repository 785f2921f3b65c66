import { isDocumentation } from "../../base/kernel/files/documentation.ts";

/** A text in a file before and after an edit. */
export type TextChange = { readonly before: string; readonly after: string };

const TEST_FILE =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|cypress)\/|[._-](?:test|spec)s?\.[a-z]+$|(?:^|\/)test_[^/]*\.py$|_test\.(?:go|py|rb|dart|exs)$|(?:Test|Tests|Spec)\.(?:java|kt|cs|php|swift|scala)$/;
const MANIFEST = /(?:^|\/)package\.json$/;

/** Signs in a test file, by what they do to the tests. */
const SKIPS =
  /\b(?:describe|it|test|context|suite)\s*\.\s*(?:skip|fixme|todo)\b|\bx(?:it|describe|test|context|specify)(?:\s*\(|\s+["'])|\bpytest\.mark\.(?:skip|xfail)|@(?:unittest\.(?:skip|expectedFailure)|Disabled\b|Ignore\b)|\bpytest\.skip\(|#\[ignore|\bt\.(?:Skip(?:Now|f)?|skip|todo)\(|\[(?:Fact|Theory)\(Skip\b|\[Ignore\b|\bmarkTest(?:Skipped|Incomplete)\(|\bskip\s*:\s*true\b|@tag :skip\b/g;
const ONLYS = /\b(?:describe|it|test|context|suite)\s*\.\s*only\b|\bf(?:it|describe)\s*\(/g;
const EMPTY =
  /\bexpect\(\s*(?:true|1)\s*\)\s*\.\s*(?:toBe|toEqual)\(\s*(?:true|1)\s*\)|\bassert(?:True\(|\s+)\s*(?:True|1 == 1)\b|\bassert!\(\s*true\s*\)|\bassert\.(?:ok|equal)\(\s*true\s*[,)]/g;
const ASSERTIONS =
  /\b(?:expect|assert\w*|should|verify|require\.\w+)\s*(?:\.\w+\s*)?[!(]|\bassert\s+\w|\bt\.(?:Error|Fatal)f?\(|\bEXPECT_\w+\(/g;
/** Checks of one value, and checks that many values pass. */
const EXACT =
  /\b(?:toBe|toEqual|toStrictEqual|toMatchObject|toHaveLength|toHaveBeenCalledWith)\(|\bassert(?:_?[eE]quals?|Is)\b|\bassert_eq\b|\bassert\.(?:strictEqual|deepEqual|equal)\(/g;
const LOOSE =
  /\b(?:toBeTruthy|toBeDefined|toBeFalsy|not\.toBeNull|not\.toBeUndefined|toHaveBeenCalled)\(|\bexpect\.anything\(|\bassert(?:True|IsNotNone|NotNull|_not_nil)\b|\bassert\.ok\(/g;
/** A script of package.json that passes without running anything, such as `"test": "true"`. */
const HOLLOW = /"test[\w:-]*"\s*:\s*"(?:true|:|exit 0|echo [^"&|;]*|\s*)"/g;
/** The same in code: `p.scripts.test = "exit 0"`, `.scripts["test"] = "true"`. */
const HOLLOW_CODE = /\bscripts(?:\.|\[["'])test[\w:"'\]-]*\s*\|?=\s*["'](?:true|:|exit 0|echo [^"']*|)["']/;

/** Files that say which tests run, and how. */
const TEST_SETTINGS =
  /(?:^|\/)(?:package\.json|[Mm]akefile|GNUmakefile|[Jj]ustfile|Taskfile\.ya?ml|pyproject\.toml|(?:setup|tox|\.coveragerc)(?:\.cfg|\.ini)?|pytest\.ini|conftest\.py|\.npmrc|\.rspec|phpunit\.xml(?:\.dist)?|(?:jest|vitest|karma|playwright|cypress|mocha|vite|nyc|c8)\.config\.[cm]?[jt]s|\.(?:mocharc|nycrc|c8rc)(?:\.\w+)?)$|(?:^|\/)\.github\/|\.ya?ml$/;
/** Settings with which tests pass without running, or fewer of them run. */
const LOOSENS =
  /\|\|\s*(?:true|:|exit 0)|--pass-?[wW]ith-?[nN]o-?[tT]ests|;\s*(?:true|exit 0)\b|\bscript-shell\s*=|\bcollect_ignore(?:_glob)?\b|\baddopts\b[^\n]*--(?:co\b|collect-only|ignore|deselect)|pytest_collection_modifyitems|^\s*tests?:\s*(?:\\n|\n|;)?[\s\\t]*@?(?:true|:|exit 0|echo)\b|"test[\w:-]*"\s*:\s*"(?:true|:|exit 0|echo[^"&|;]*|)"/m;
const SHARE = /(?:fail[-_]under|threshold|branches|lines|functions|statements|minimum_coverage)\W*?(\d+)/i;

/** How a new or changed setting makes the tests show less; `undefined` if it does not. */
export function loosenedSettings(file: string, { before, after }: TextChange): string | undefined {
  if (!TEST_SETTINGS.test(file)) return undefined;
  const [was, is] = [SHARE.exec(before)?.[1], SHARE.exec(after)?.[1]];
  if (was !== undefined && is !== undefined && Number(is) < Number(was)) return "lowers the coverage that is required";
  if (LOOSENS.test(after) && !LOOSENS.test(before)) return "lets the tests pass without running";
  return /IgnorePatterns|testIgnore|exclude/.test(before) && after.length > before.length
    ? "leaves tests out"
    : undefined;
}

/** A test runner where package managers install it. */
export function isRunnerFile(path: string): boolean {
  return /(?:^|\/)(?:node_modules\/\.bin|\.?venv\/bin|vendor\/bin)\/[\w.-]+$/.test(path);
}

export function isTestFile(path: string): boolean {
  return TEST_FILE.test(path);
}

/** How an edit of a file weakens the tests, for people; `undefined` if it does not. */
export function weakenedBy(file: string, { before, after }: TextChange): string | undefined {
  const more = (sign: RegExp) => count(after, sign) > count(before, sign);
  if (MANIFEST.test(file)) return weakenedCommand(before, after, more);
  if (!isTestFile(file)) return undefined;
  const isLooser = more(LOOSE) && count(after, EXACT) < count(before, EXACT);
  const isUnchecked = count(before, ASSERTIONS) > 0 && count(after, ASSERTIONS) === 0;
  return marked(more) ?? (isLooser ? "checks less than before" : isUnchecked ? "removes checks" : undefined);
}

function marked(more: (sign: RegExp) => boolean): string | undefined {
  if (more(SKIPS)) return "skips tests";
  if (more(ONLYS)) return "runs only some tests";
  return more(EMPTY) ? "adds a check that always passes" : undefined;
}

function weakenedCommand(before: string, after: string, more: (sign: RegExp) => boolean): string | undefined {
  if (more(HOLLOW)) return "makes the test command pass without tests";
  const script = /"test"\s*:/;
  return script.test(before) && !script.test(after) ? "removes the test command" : undefined;
}

/** Where a test begins, or the start of its name. */
const STARTS =
  /\b(?:it|test|describe|context|specify)\s*\(|\b(?:def|fn|void|fun|function)\s+test|\bfunc\s+Test|@Test\b|#\[(?:\w+::)?test\]|\[(?:Fact|Test|Theory|TestMethod)\b|(?<![\w.])test_/g;
const ALWAYS_TRUE = /\b(?:expect|assert\w*)!?\s*[(\s]\s*(?:true|1)\s*\)?\s*;?$|^\s*(?:pass|true)\s*;?\s*$/i;
const COMMENT = /^\s*(?:\/\/|#(?!\[)|--|\/\*)/;
const RUNNER_NAME =
  /^\W*(?:pytest|jest|vitest|mocha|(?:npm|pnpm|yarn|go|cargo|make) (?:run )?test|rspec|phpunit|tox)\b/;
const RUNNER = /\b(?:test|jest|vitest|mocha|ava|karma|cypress|playwright|tap)\b/;

/**
 * How a replacement over whole files weakens tests. A marker that skips tests says it by itself, whatever the file is called: Rust
 * keeps tests in its sources, and names from `grep -l` are not on the line. The other signs count in test files only.
 */
export function weakenedByReplacing(files: readonly string[], change: TextChange): Weakening | undefined {
  const { before, after } = change;
  const more = (sign: RegExp) => count(after, sign) > count(before, sign);
  const source = files.find((file) => !isDocumentation(file) && !MANIFEST.test(file));
  const how = marked(more);
  if (source !== undefined && how !== undefined) return { path: source, how };
  for (const file of files) {
    const loosened = loosenedSettings(file, change);
    const isOff =
      /\.ya?ml$|[Mm]akefile$/.test(file) &&
      RUNNER_NAME.test(before) &&
      /^\s*(?:true|:|exit 0|echo\b.*)?\s*$/.test(after);
    if (loosened !== undefined || isOff) return { path: file, how: loosened ?? "lets the tests pass without running" };
  }
  const manifest = files.find((file) => MANIFEST.test(file));
  if (manifest !== undefined) {
    const isHollow = RUNNER.test(before) && /^\W*(?:true|:|exit 0|echo\b[^"&|;]*)\W*$/.test(after);
    const found = isHollow ? "makes the test command pass without tests" : weakenedBy(manifest, change);
    return found === undefined ? undefined : { path: manifest, how: found };
  }
  const path = files.find(isTestFile);
  if (path === undefined) return undefined;
  const isOff = COMMENT.test(after) && !COMMENT.test(before) && (before === "^" || count(before, CHECKS) > 0);
  const isHollow = count(before, ASSERTIONS) > 0 && ALWAYS_TRUE.test(after) && !ALWAYS_TRUE.test(before);
  if (isHollow) return { path, how: "adds a check that always passes" };
  if (isOff || count(before, STARTS) > count(after, STARTS)) return { path, how: "switches tests off" };
  const found = weakenedBy(path, change);
  return found === undefined ? undefined : { path, how: found };
}

/** How the deletion of the lines with a pattern weakens tests. */
export function weakenedByDeleting(files: readonly string[], pattern: string): Weakening | undefined {
  const path = files.find(isTestFile);
  return path !== undefined && count(pattern, CHECKS) > 0 ? { path, how: "removes checks" } : undefined;
}

export type Weakening = { readonly path: string; readonly how: string };

/** What a pattern that finds tests or checks contains. */
const CHECKS =
  /\b(?:assert|expect|should|EXPECT_|verify|require\.)|\b(?:it|test|describe)\b|\bdef test|\btest_|\bTest[A-Z]|@Test|\.Fatal|\.Error|^\.?\*?$/g;

/** `open(path, "w").close()`, `writeFileSync(path, "")`, `File.write(path, '')` */
const EMPTIES =
  /\bopen\([^()]*["']w[+bt]*["']\s*\)\s*\.\s*(?:close|truncate)\b|\b(?:writeFile(?:Sync)?|File\.write|write_text|file_put_contents|truncate(?:Sync)?)\s*\((?:[^()]*,)?\s*(?:""|''|0)\s*\)/;

/** How code on the line weakens tests: it replaces texts in a test file, or the test command of package.json. */
export function weakenedByCode(code: string, files: readonly string[]): Weakening | undefined {
  if (HOLLOW_CODE.test(code)) return { path: "package.json", how: "makes the test command pass without tests" };
  const path = files.find(isTestFile);
  if (path === undefined) return undefined;
  const how = marked((sign) => count(code, sign) > 0);
  if (how !== undefined) return { path, how };
  if (EMPTIES.test(code)) return { path, how: "empties it" };
  const replaced = [
    ...code.matchAll(/(?:replace(?:All)?|sub|gsub!?)\s*\(\s*[rbu]?["'/]([^"'/]*)["'/]\w*\s*,\s*["']([^"']*)["']/g),
  ];
  const found = replaced.map(([, before = "", after = ""]) => weakenedByReplacing([path], { before, after }));
  return found.find((one) => one !== undefined);
}

function count(text: string, sign: RegExp): number {
  return text.match(sign)?.length ?? 0;
}
