import { isDocumentation } from "../../base/kernel/files/documentation.ts";
import type { Programs } from "../../base/words/hosting/program.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { type RunEffects, runsDownload } from "./downloads.ts";
import { succeededIfOk } from "./exit-status.ts";
import { redirectAccess } from "./files/access.ts";
import { operandsOf } from "./files/operands.ts";
import {
  filled,
  guessedEffects,
  isFinder,
  isFullyLikely,
  isUnknown,
  likelyReadings,
  printedNames,
} from "./likely-readings.ts";
import { type CommandEffect, programEffects, programName } from "./programs/program-effects.ts";
import { PROGRAMS, type ProgramTable } from "./programs/program-table.ts";
import { sentSecret } from "./secret-flows.ts";
import { inFolder } from "./shell/folders.ts";
import { ReadBudget } from "./shell/read-budget.ts";
import { parseShellLine, readShellLine, type ShellLine, type ShellRun, wordsOf } from "./shell/shell-line.ts";
import { literalWord, type ShellWord } from "./shell/shell-word.ts";
import { unwrap } from "./shell/unwrap.ts";
import { testEdits } from "./test-edits.ts";

/** An effect of a command line. */
export type LineEffect = {
  readonly name: string;
  readonly args: JsonObject;
  /** An exit status of 0 means that the command ran, did this and succeeded. */
  readonly proven: boolean;
  /** It is proven only if these absolute paths are in the workspace. */
  readonly inside?: readonly string[];
};

/** Effects that no single program declares. */
const COMPUTED = [
  "network.run",
  "files.write",
  "tests.weaken",
  "secrets.send",
  "workspace.change",
  "cloud.delete",
  "cloud.change",
  "database.drop",
  "database.change",
];

let names: ReadonlySet<string> | undefined;

/** The names that rules can be on, with those of programs that an agent adds. */
export function effectNames(added: Programs = {}): ReadonlySet<string> {
  names ??= new Set([...PROGRAMS.effectNames(), ...COMPUTED]);
  return Object.keys(added).length === 0 ? names : names.union(PROGRAMS.withPrograms(added).effectNames());
}

/** After these, earlier tests, builds and lints say nothing about the workspace. */
const CHANGES =
  /^(?:files\.(?:delete|move|patch|format|extract)|git\.(?:checkout|discard)|packages\.(?:manifest|remove))$/;
/** Folders and files that tools generate: deleting them changes no source. */
const GENERATED_NAMES = [
  "node_modules|dist|build|bin|obj|out|target|coverage|tmp|temp|logs?|venv",
  "screenshots|videos|__pycache__|_build|_site|site|htmlcov|artifacts?|reports?|test-results|playwright-report|storybook-static|Pods",
  "zig-cache|zig-out|DerivedData|CMakeFiles|(?:dist|build|cmake-build)-[\\w-]+",
  "\\.(?:cache|next|nuxt|turbo|parcel-cache|pytest_cache|mypy_cache|ruff_cache|tox|nox|gradle|output|svelte-kit|vite)",
  "\\.(?:nyc_output|venv|eggs|terraform|serverless|docusaurus|angular|expo|dart_tool|bundle|build|coverage|DS_Store)",
  "[^/]*\\.(?:egg-info|log|tmp|bak|orig|rej|class|gcda|gcno|profraw|pid|out|obj|a|so|pyc|o|tgz|gz|zip|map|swp|tsbuildinfo|whl|dSYM)",
].join("|");
const GENERATED = new RegExp(
  `^(?:\\./)?(?:/(?:var/)?tmp/.+|/var/(?:lib/apt/lists|cache)/.+|(?:~|/root)/\\.cache/.+|(?![/~]|\\.\\./|\\$)(?:[^$]*/)?(?:${GENERATED_NAMES})(?:/.*)?)$`,
);

const CHECKS = /^(?:tests|builds|lints|types)\./;

const known = new WeakMap<ProgramTable, WeakMap<ShellLine, readonly LineEffect[]>>();

/** Everything that a command line may do. Gates generously, proves strictly. */
export function lineEffects(command: string, table: ProgramTable = PROGRAMS): readonly LineEffect[] {
  const line = parseShellLine(command);
  const lines = known.get(table) ?? new WeakMap<ShellLine, readonly LineEffect[]>();
  known.set(table, lines);
  const effects = lines.get(line) ?? new LineReader(line, table, 0).read();
  lines.set(line, effects);
  return effects;
}

/** What a program does that was started with these words and variables: no shell reads them any more. */
export function argvEffects(
  argv: readonly string[],
  variables: ReadonlyMap<string, string> = new Map(),
  table: ProgramTable = PROGRAMS,
): readonly LineEffect[] {
  const words = argv.map(literalWord);
  const length = argv.reduce((sum, { length: one }) => sum + one + 1, 0);
  const assignments = [...variables].map(([name, value]) => ({ name, append: false, value: literalWord(value) }));
  const run = { ...ALONE, words, assignments, inside: unwrap(words, new ReadBudget(length)) };
  const line = { commands: [argv], runs: [run], simple: true, parsed: true, work: 0 };
  return new LineReader(line, table, 0).read();
}

/** One command that is the whole line. */
const ALONE: Omit<ShellRun, "words" | "inside" | "assignments"> = {
  ...{ after: "", pipeline: { index: 0, length: 1 }, negated: false, background: false },
  ...{ redirects: [], scope: undefined, folders: [""], remote: false, host: undefined },
};

/** Scripts in scripts, deeper than this, are not read; nor are more of them than this in one line. */
const MAX_DEPTH = 4;
const MAX_SCRIPTS = 64;

class LineReader {
  readonly #line: ShellLine;
  readonly #table: ProgramTable;
  readonly #depth: number;
  readonly #found = new Map<string, LineEffect>();
  readonly #runs: RunEffects[] = [];
  /** The proven tests, builds and lints, until something changes. */
  readonly #fresh = new Set<string>();
  readonly #exported = new Map<string, string>();
  /** Files that redirections before on the line write. */
  readonly #written = new Set<string>();
  #scripts = 0;
  /** A test runner, or what it runs, was replaced before on the line. */
  #replaced = false;

  constructor(line: ShellLine, table: ProgramTable, depth: number) {
    this.#line = line;
    this.#table = table;
    this.#depth = depth;
  }

  read(): readonly LineEffect[] {
    const { runs, parsed } = this.#line;
    const proven = parsed ? succeededIfOk(runs, this.#table) : new Set<ShellRun>();
    for (const run of runs) if (run.keyword === undefined) this.#run(run, proven.has(run));
    if (!parsed) this.#add({ name: "code.run", args: { language: "shell", opaque: true }, sure: false }, false);
    if ([...this.#found.values()].some(changesWorkspace)) {
      this.#add({ name: "workspace.change", args: {}, sure: true }, false);
    }
    if (runsDownload(this.#runs)) this.#add({ name: "network.run", args: {}, sure: true }, false);
    const secret = sentSecret(this.#runs);
    if (secret !== undefined) this.#add({ name: "secrets.send", args: { secret }, sure: true }, false);
    return [...this.#found.values()];
  }

  #run(run: ShellRun, ran: boolean): void {
    const variables = this.#variablesOf(run);
    const inside = foldersAround(run);
    const context = {
      table: this.#table,
      input: run.input,
      piped: run.pipeline.index > 0,
      variables,
      script: (text: string, positional: readonly string[] = []) => this.#script(text, positional),
    };
    // What `xargs` and `find` run is read with the names that they fill in.
    const spans = run.inside.more && isFinder(run) ? run.inside.spans.slice(0, 1) : run.inside.spans;
    const written = run.words.filter(isWritten).map(({ text }) => text);
    const isOwn = run.words[0] !== undefined && isWritten(run.words[0]);
    const effects = spans.flatMap((span, i) => {
      // What may be an option's value instead of a program proves nothing, nor does a script that the line wrote itself.
      const isSure = ran && i === 0 && inside !== undefined && !this.#replaced && !isOwn;
      return programEffects(wordsOf(run, span), context).map((effect) => {
        const sure = effect.sure && isSure && !written.includes(String(effect.args.program));
        return { ...effect, sure };
      });
    });
    const readings = likelyReadings(run, this.#fedNames(run));
    const likely = readings.flatMap((words) => programEffects(words, { ...context, unread: true }));
    const guessed = isUnknown(run, likely) ? guessedEffects(run, context) : [];
    const named = [...spans.map((span) => wordsOf(run, span)), ...readings];
    const writes = [...writtenPaths(run, named, this.#written), ...testEdits(run, named)];
    for (const { operator, target } of run.redirects) if (operator.startsWith(">")) this.#written.add(target.text);
    const unread = [...likely, ...guessed, ...writes, ...this.#contents(run, [...effects, ...likely])];
    const set = variables.size > 0 && runsGit(run) ? [...variables] : [];
    const seenRaw = isFullyLikely(run)
      ? effects.filter(({ name, sure }) => sure || !name.startsWith("files."))
      : effects;
    const all = [
      ...seenRaw,
      ...[...unread, ...set.flatMap(([name, value]) => this.#variable(name, value))].map(unsure),
    ];
    this.#runs.push({ run, effects: all });
    for (const effect of all) {
      const seen = withGenerated(inFolders(filled(effect, run), run));
      this.#add({ ...seen, inside: [...(effect.inside ?? []), ...(inside ?? [])] }, effect.sure);
    }
    if (replacesRunner(run, all)) this.#replaced = true;
    const changes = all.map(withGenerated).filter(changesWorkspace);
    // What a test or the programs behind it in its pipeline write is its own output.
    const isOutput = run.pipeline.index > 0 || effects.some(({ name, sure }) => sure && CHECKS.test(name));
    if (changes.some(({ name }) => name !== "files.write" || !isOutput)) this.#forget(run);
  }

  /** The names that the nearest command before `xargs` in its pipeline prints. */
  #fedNames({ inside, pipeline }: ShellRun): readonly string[] {
    if (!inside.more || pipeline.index === 0) return [];
    for (const { run } of this.#runs.slice(-pipeline.index).reverse()) {
      const names = printedNames(run);
      if (names.length > 0) return names;
    }
    return [];
  }

  /** Tests that ran before a change say nothing about the workspace after it. */
  #forget({ words }: ShellRun): void {
    if (/^(?:export|set|cd)$/.test(words[0]?.text ?? "")) return;
    for (const key of this.#fresh) {
      const effect = this.#found.get(key);
      if (effect !== undefined) this.#found.set(key, { name: effect.name, args: effect.args, proven: false });
    }
    this.#fresh.clear();
  }

  /** The variables that are set for a command: on it, or before it on the line. */
  #variablesOf({ assignments, words }: ShellRun): ReadonlyMap<string, string> {
    const isExport = EXPORTS.test(words[0]?.text ?? "");
    const setter = isExport ? 0 : words.findIndex(({ text }) => SETTERS.test(text));
    const isList = setter >= 0;
    const rest = words.slice(setter + 1);
    if (assignments.length === 0 && !isList) return this.#exported;
    const own = new Map(assignments.map(({ name, value }) => [name, value.unknown?.likely?.join(" ") ?? value.text]));
    for (const { text } of isList ? rest : []) {
      const [, name, value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
      if (name !== undefined) own.set(name, value);
    }
    if (isExport || words.length === 0) for (const [name, value] of own) this.#exported.set(name, value);
    return this.#exported.size === 0 ? own : new Map([...this.#exported, ...own]);
  }

  #variable(name: string, value: string): readonly CommandEffect[] {
    return this.#table.variableEffects(name, value).flatMap((effects) =>
      Object.entries(effects).map(([effect, given]) => {
        const args = Object.entries(given).map(([key, text]) => [key, text === "" ? true : text]);
        return { name: effect, args: { variable: name, value, ...Object.fromEntries(args) }, sure: false };
      }),
    );
  }

  /** Files whose text is on the line, if the command runs code. */
  #contents(run: ShellRun, effects: readonly CommandEffect[]): readonly CommandEffect[] {
    const named = [...run.words, ...run.assignments.map(({ value }) => value)].flatMap(({ content }) => content ?? []);
    const isMake = effects.some(({ args }) => args.script !== undefined) || run.words[0]?.text === "make";
    const isCode = effects.some(({ name }) => name === "code.run") || run.inside.scripts.length > 0 || isMake;
    const texts = isCode || run.words[0]?.content !== undefined ? named : [];
    const readsInput = isMake || effects.some(({ args }) => args.input === true && args.language === "shell");
    const fed = readsInput && run.input !== undefined ? [run.input] : [];
    return [...texts, ...fed].flatMap((text) => this.#script(text.replace(/^[\w.-]+:\s*;?/gm, ""), []));
  }

  #script(text: string, positional: readonly string[]): readonly CommandEffect[] {
    this.#scripts += 1;
    if (this.#depth >= MAX_DEPTH || this.#scripts > MAX_SCRIPTS || text.length > MAX_SCRIPT) return [];
    const line = positional.length === 0 ? parseShellLine(text) : readShellLine(text, positional);
    const effects = new LineReader(line, this.#table, this.#depth + 1).read();
    return effects
      .filter(({ name }) => name !== "workspace.change")
      .map(({ name, args, proven, inside }) => ({ name, args, sure: proven, inside }));
  }

  #add({ name, args, inside = [] }: CommandEffect, proven: boolean): void {
    const key = `${name} ${JSON.stringify(args)}`;
    const before = this.#found.get(key);
    if (before !== undefined && (before.proven || !proven)) return;
    if (proven && CHECKS.test(name)) this.#fresh.add(key);
    this.#found.set(key, { name, args, proven, ...(proven && inside.length > 0 ? { inside } : {}) });
  }
}

const MAX_SCRIPT = 20_000;
const EXPORTS = /^(?:export|declare|typeset|readonly)$/;
const SETTERS = /^(?:env|sudo|doas|cross-env|dotenv)$/;
const NO_WORD = literalWord("");

const RUNNER_FILES =
  /(?:^|\/)(?:node_modules\/\.bin\/[^/]+|[Mm]akefile|GNUmakefile|justfile|package\.json|pom\.xml|build\.gradle(?:\.kts)?|Rakefile|(?:tox|pytest)\.ini|conftest\.py|pyproject\.toml|setup\.cfg|\.rspec|phpunit\.xml|[Jj]ustfile|Taskfile\.ya?ml|(?:jest|vitest|karma|playwright|cypress|mocha)\.config\.[cm]?[jt]s|\.mocharc\.\w+|(?:run[-_]?)?tests?(?:\.sh)?)$/;

/** `npm pkg set scripts.test=true`, `ln -sf /bin/true node_modules/.bin/jest`, `echo … > Makefile` */
function replacesRunner({ words, redirects }: ShellRun, effects: readonly CommandEffect[]): boolean {
  if (effects.some(({ name }) => name === "packages.manifest" || name === "packages.account")) return true;
  const written = redirects.filter(({ operator }) => operator.startsWith(">")).map(({ target }) => target.text);
  const isCopy = /^(?:cp|mv|ln|install|tee)$/.test(words[0]?.text ?? "");
  const named = effects.flatMap(({ name, args }) =>
    name === "files.write" && Array.isArray(args.paths) ? args.paths : [],
  );
  return [...written, ...named.map(String), ...(isCopy ? [words.at(-1)?.text ?? ""] : [])].some((path) =>
    RUNNER_FILES.test(path),
  );
}

/** The files that a command writes, by redirections and by name. A copy of a file that the line wrote itself is an edit. */
function writtenPaths(
  { redirects }: ShellRun,
  readings: readonly (readonly ShellWord[])[],
  written: ReadonlySet<string>,
): readonly CommandEffect[] {
  const targets = redirects.filter((one) => redirectAccess(one) === "write").map(({ target }) => target);
  const named = readings.flatMap((words) => operandsOf(words, false)).filter(({ access }) => access === "write");
  const texts = [
    ...targets.flatMap(({ text, unknown }) => unknown?.likely ?? [text]),
    ...named.map(({ word }) => word.text),
    ...readings.flatMap(editedFiles),
  ];
  const paths = texts.filter((path) => !path.startsWith("/dev/"));
  if (paths.length === 0) return [];
  const copied = readings.every(
    (words) => COPIES.test(programName(words[0] ?? NO_WORD)) && !words.some(({ text }) => written.has(text)),
  );
  const args = { paths: [...new Set(paths)], ...(copied && readings.length > 0 ? { copied } : {}) };
  return [{ name: "files.write", args, sure: false }];
}

const COPIES = /^(?:cp|mv|rsync|scp|install|ln|git|sudo)$/;

/** Files that `yq -i`, `awk -i inplace`, `ex` and `ed` write back. */
function editedFiles(words: readonly ShellWord[]): readonly string[] {
  const [program = "", ...rest] = words.map(({ text }) => text);
  const isEditor =
    /(?:^|\/)(?:ex|ed|n?vim?)$/.test(program) &&
    (/ed$|ex$/.test(program) || rest.some((text) => /^-(?:c|e?s|E)/.test(text)));
  const isInPlace =
    /(?:^|\/)(?:yq|g?awk|sd)$/.test(program) &&
    (program.endsWith("sd") || rest.some((text) => /^(?:-i|--inplace|inplace)$/.test(text)));
  return isEditor || isInPlace
    ? rest.filter((text) => /^[\w@~./*-]*[./][\w@./*-]*$/.test(text) && !text.startsWith("-") && !/^\.\w+$/.test(text))
    : [];
}

function runsGit({ words, inside }: ShellRun): boolean {
  return inside.spans.some(({ from }) => programName(words[from] ?? NO_WORD) === "git");
}

/** Names a file that was written before on the line. */
function isWritten({ content, text }: ShellWord): boolean {
  return content !== undefined && !text.startsWith("/dev/fd/");
}

function unsure(effect: CommandEffect): CommandEffect {
  return { ...effect, sure: false };
}

function changesWorkspace({ name, args: { generated, paths } }: Pick<LineEffect, "name" | "args">): boolean {
  const isListed = Array.isArray(paths) && paths.length > 0;
  if (name === "files.write") return isListed && paths.some((path) => isCovered(String(path)));
  const isDocs = name === "files.delete" && isListed && paths.every(isDocumentation);
  return CHANGES.test(name) && generated !== true && !isDocs;
}

/** Whether tests, builds and lints say something about a file: neither build output nor documentation. */
export function isCovered(path: string): boolean {
  return !isGenerated(path) && !isDocumentation(path);
}

/** Deletions say whether everything they delete is generated, and whether a pattern stands for many sources. */
function withGenerated(effect: CommandEffect): CommandEffect {
  const { paths } = effect.args;
  if (effect.name !== "files.delete" || !Array.isArray(paths) || paths.length === 0) return effect;
  const generated = paths.every((path) => isGenerated(String(path)));
  if (generated) return { ...effect, args: { ...effect.args, generated } };
  return paths.some((path) => MANY_SOURCES.test(String(path)))
    ? { ...effect, args: { ...effect.args, many: true } }
    : effect;
}

const MANY_SOURCES =
  /[*?][^/]*\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|c|cc|cpp|h|hpp|cs|php|swift|scala|exs?|sql|vue|svelte|s?css|html)$|(?:^|\/)(?:src|lib|app|tests?|specs?)\/\*+$/;

function isGenerated(path: string): boolean {
  return GENERATED.test(path) && !/(?:^|\/)\.\.(?:\/|$)/.test(path);
}

/** Paths as they are from where the line starts. */
function inFolders(effect: CommandEffect, { folders }: ShellRun): CommandEffect {
  const { paths } = effect.args;
  const [folder = ""] = folders;
  if (!Array.isArray(paths) || folders.length !== 1 || folder === "") return effect;
  const moved = paths.flatMap((path) => inFolder(folder, String(path)) ?? []);
  return { ...effect, args: { ...effect.args, paths: moved } };
}

/** The absolute folders that a command runs in; `undefined` if it may run outside the workspace. */
function foldersAround(run: ShellRun): readonly string[] | undefined {
  const { folders } = run;
  if (folders.some((folder) => folder === undefined || /^(?:~|\.\.(?:\/|$))|\/\.\.(?:\/|$)/.test(folder)))
    return undefined;
  return folders.flatMap((folder) => (folder?.startsWith("/") ? [folder] : []));
}

/** A command of another folder proves nothing about this workspace. */
export function staysInside(run: ShellRun): boolean {
  return foldersAround(run)?.length === 0;
}
