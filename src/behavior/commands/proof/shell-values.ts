import type { ShellRun } from "../shell/shell-line.ts";
import type { ShellRedirect } from "../shell/shell-script.ts";
import { isLiteral, type ShellWord } from "../shell/shell-word.ts";
import { NONZERO, type Option, type State, type Value } from "./shell-state.ts";

/** Values that stay one word wherever they are used. */
const SIMPLE = /^[\w.-]*$/;
/** Names whose value the shell sets or guards itself. */
const SPECIAL =
  /^(?:_|IFS|S?RANDOM|SECONDS|LINENO|E?UID|PPID|GROUPS|BASH\w*|EPOCH\w*|OPT\w+|DIRSTACK|FUNCNAME|HISTCMD|SHELLOPTS|PIPESTATUS)$/;
const DECLARES = /^(?:local|declare|typeset|export|readonly)$/;
const ASSIGNS = /^(?:read|printf|mapfile|readarray|getopts|let|unset|wait|local|declare|typeset|export|readonly)$/;

const STATUS_WORDS = /^(?:exit|return|test|\[|wait|local|declare|typeset|export)$/;

export function sourceOf({ text, unknown }: ShellWord): string {
  return unknown?.source ?? (/[$`"']/.test(text) ? `'${text}'` : text);
}

/** The command without `command` and `builtin` before it. */
export function programWords({ words }: ShellRun): readonly ShellWord[] {
  const start = words.findIndex(
    ({ text }, i) => !/^(?:command|builtin)$/.test(text) && (i === 0 || !/^-p$|^--$/.test(text)),
  );
  return words.slice(Math.max(0, start));
}

/** What a command does to the shell in any state of it. */
export type CommandReading = {
  readonly words: readonly ShellWord[];
  /** The variables that it may change besides its assignments; `undefined`: any. */
  readonly changed: readonly string[] | undefined;
  readonly assigned: readonly (readonly [name: string, source: string])[];
  /** A word that the shell still expands: `set -u` and `${x?}` end the shell there. */
  readonly mayStop: boolean;
};

export function readCommand(run: ShellRun): CommandReading {
  const { words, assignments, redirects } = run;
  const all = [...words, ...assignments.map(({ value }) => value), ...redirects.map(({ target }) => target)];
  const mayStop = all.some(({ unknown }) => unknown !== undefined);
  const prefixed = words.length === 0 ? [] : assignments.map(({ name }) => [name, "$("] as const);
  const assigned = [...prefixed, ...assignedWords(run)];
  return { words: programWords(run), changed: changedNames(run), assigned, mayStop };
}

export type VariableUses = {
  /** Names that are not followed: no status depends on them, or their value may not be what was assigned. */
  readonly isUntracked: (name: string) => boolean;
  /** Names that some function may declare as its own. */
  readonly locals: readonly string[];
};

export function variableUses(runs: readonly ShellRun[]): VariableUses {
  const isSplit = runs.some((run) => identifiers(allSources(run)).includes("IFS"));
  const typed = new Set<string>();
  const used = new Set<string>();
  const locals = new Set<string>();
  for (const run of runs) {
    const { words, assignments, source } = run;
    const texts = new Set(words.map(({ text }) => text));
    const names = () => identifiers(words.flatMap(textsOf));
    if (["local", "declare", "typeset"].some((name) => texts.has(name))) for (const name of names()) locals.add(name);
    const isTyped = texts.has("readonly") || (words.some(({ text }) => DECLARES.test(text)) && hasOption(words));
    if (isTyped) for (const name of names()) typed.add(name);
    const isStatus = source !== undefined || words.some(({ text }) => STATUS_WORDS.test(text));
    const sources = isStatus ? [source ?? "", ...allSources(run)] : assignments.map(({ value }) => sourceOf(value));
    for (const name of identifiers(sources)) used.add(name);
  }
  const isUntracked = (name: string) => isSplit || !used.has(name) || SPECIAL.test(name) || typed.has(name);
  return { isUntracked, locals: [...locals] };
}

function hasOption(words: readonly ShellWord[]): boolean {
  return words.some((word) => /^[-+]/.test(word.text) || (!isLiteral(word) && !/^\w+=/.test(word.text)));
}

function changedNames(run: ShellRun): readonly string[] | undefined {
  const { words, redirects, source } = run;
  const program = run.keyword === undefined ? words[0] : undefined;
  if (program !== undefined && (!isLiteral(program) || /^(?:\.|source|eval)$/.test(program.text))) return undefined;
  const assigns = words.some(({ text }) => ASSIGNS.test(text)) ? words.flatMap(textsOf) : [];
  const computed = allSources(run).filter((text) => /\(\(|\$\[|\$\{[^}]*=|\$\{!/.test(text));
  const files = redirects.map(({ descriptor }) => descriptor);
  const tested = source !== undefined && /[\w\]]=|=\w|\+\+|--/.test(source) ? [source] : [];
  return identifiers([...assigns, ...computed, ...files, ...tested]);
}

function allSources({ words, assignments, redirects }: ShellRun): readonly string[] {
  const values = assignments.map(({ name, value }) => `${name}=${sourceOf(value)}`);
  const files = redirects.flatMap(({ target, body = "" }) => [sourceOf(target), body]);
  return [...words.map(sourceOf), ...values, ...files];
}

function textsOf(word: ShellWord): readonly string[] {
  return [word.text, sourceOf(word)];
}

function identifiers(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []);
}

/** An assignment, or `local s=$?` and its like as words. */
function assignedWords({ words, assignments, source = "" }: ShellRun): readonly (readonly [string, string])[] {
  const [, counter] = /^\(\(\s*([A-Za-z_]\w*)\s*(?:\+\+|\+=\s*1)\s*\)\)$/.exec(source) ?? [];
  if (counter !== undefined) return [[counter, `$((${counter}+1))`]];
  if (words.length === 0) return assignments.map(({ name, append, value }) => [name, append ? "$(" : sourceOf(value)]);
  if (!DECLARES.test(words[0]?.text ?? "")) return [];
  return words.flatMap((word) => {
    const [, name, value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word.text) ?? [];
    return name === undefined ? [] : [[name, sourceOf({ text: value, unknown: word.unknown })] as const];
  });
}

/** The value of a word by its source; `undefined` if it is not known. */
export function knownValue(source: string, state: State): Value | undefined {
  const text = /^"[^"]*"$|^'[^'$]*'$/.test(source) ? source.slice(1, -1) : source;
  if (/^\$(?:\?|\{\?\})$/.test(text)) return statusValue(state.ok);
  if (/^\$(?:!|\{!\})$/.test(text)) return state.settings.job;
  if (/^\$(?:PIPESTATUS|\{PIPESTATUS(?:\[0\])?\})$/.test(text)) return statusValue(state.first);
  const [, name, braced] = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/.exec(text) ?? [];
  if (name !== undefined || braced !== undefined) return state.settings.variables.get(name ?? braced ?? "");
  const [, counter] = /^\$\(\( *\$?([A-Za-z_]\w*) *\+ *1 *\)\)$/.exec(text) ?? [];
  const count = counter === undefined ? undefined : state.settings.variables.get(counter);
  if (typeof count === "string" && /^\d{1,2}$/.test(count)) return String(Number(count) + 1);
  return SIMPLE.test(text) ? text : undefined;
}

function statusValue(ok: Option): Value | undefined {
  return ok === undefined ? undefined : ok ? "0" : NONZERO;
}

/** Whether a status is 0. */
export function isZero(value: Value | undefined): Option {
  if (value === NONZERO) return false;
  return typeof value === "string" && /^\d{1,6}$/.test(value) ? Number(value) % 256 === 0 : undefined;
}

/** The result of `[ … ]`, `test …`, `[[ … ]]` or `(( … ))`. */
export function testResult(words: readonly ShellWord[], { keyword, source }: ShellRun, state: State): Option {
  if (keyword === "((") {
    const [, name = "", operator = "!=", right = "0"] =
      /^\(\(\s*\$?([A-Za-z_]\w*)\s*(?:(==|!=|>)\s*(\d+)\s*)?\)\)$/.exec(source ?? "") ?? [];
    return compared(state.settings.variables.get(name), operator, right);
  }
  const texts = source?.split(/\s+/) ?? words.map(sourceOf);
  const [program] = texts;
  if (program !== "test" && texts.at(-1) !== (source === undefined ? "]" : "]]")) return undefined;
  const inner = texts.slice(1, program === "test" ? undefined : -1);
  const negated = inner[0] === "!";
  const result = testedWords(negated ? inner.slice(1) : inner, state);
  return result === undefined ? undefined : result !== negated;
}

function testedWords([left = "", operator = "", right = "", ...rest]: readonly string[], state: State): Option {
  if (rest.length > 0) return undefined;
  if (right === "") {
    const value = knownValue(operator, state);
    // An empty word vanishes.
    if (operator === "" || typeof value === "object" || value === undefined) return undefined;
    if (value === "" && !operator.startsWith('"')) return undefined;
    return left === "-n" ? value !== "" : left === "-z" ? value === "" : undefined;
  }
  const value = operator === ">" ? undefined : knownValue(left, state);
  if (value === "" && !left.startsWith('"')) return undefined;
  return compared(value, operator, knownValue(right, state));
}

function compared(left: Value | undefined, operator: string, right: Value | undefined): Option {
  if (left === undefined || typeof left === "object" || typeof right !== "string" || right === "") return undefined;
  const isNumeric = /^(?:-eq|-ne|-gt|>|-ge|-lt|-le)$/.test(operator);
  if (left === NONZERO) {
    if (right !== "0") return undefined;
    return /^(?:-eq|==?|-le|-lt)$/.test(operator) ? false : /^(?:-ne|!=|-gt|>)$/.test(operator) ? true : undefined;
  }
  const isNumber = [left, right].every((text) => /^(?:0|[1-9]\d{0,5})$/.test(text));
  if (!isNumber && (isNumeric || left.startsWith("-"))) return undefined;
  if (/^(?:-eq|==?)$/.test(operator)) return left === right;
  if (/^(?:-ne|!=)$/.test(operator)) return left !== right;
  return /^(?:-gt|>)$/.test(operator) && isNumber ? Number(left) > Number(right) : undefined;
}

/** A redirection that may fail, so that the command does not run. */
export function mayFail({ operator, target, descriptor }: ShellRedirect): boolean {
  if (/^<</.test(operator)) return false;
  const isCopy = /^[<>]&$/.test(operator) && /^[012]?$/.test(descriptor) && /^[12]$/.test(target.text);
  return !isCopy && target.text !== "/dev/null";
}
