import { innerCommand, programName } from "./programs/program-effects.ts";
import { PROGRAMS, type ProgramTable } from "./programs/program-table.ts";
import type { ShellRun } from "./shell/shell-line.ts";
import type { ShellLink, ShellScope } from "./shell/shell-script.ts";
import { isLiteral } from "./shell/shell-word.ts";

type Lists = ReadonlyMap<object | undefined, readonly Element[]>;

/** A command or a compound command in its list. */
type Element = { readonly link: ShellLink; readonly run?: ShellRun; readonly scope?: ShellScope };

/** What may change the meaning of the words or of the exit status of a line. */
const UNTRUSTED = new Set(["alias", "unalias", "enable", "hash"]);
const STATUS_SCOPES = new Set<ShellScope["kind"]>(["subshell", "group", "eval"]);

/** The commands of a line that ran and succeeded if the line's exit status is 0. */
export function succeededIfOk(runs: readonly ShellRun[], table: ProgramTable = PROGRAMS): ReadonlySet<ShellRun> {
  if (runs.some((run) => isUntrusted(run, table))) return new Set();
  const lists = listsOf(runs);
  const proven = new Set<ShellRun>();
  const walk = (key: object | undefined, options: ShellOptions) => {
    for (const { run, scope } of provenElements(lists.get(key) ?? [], options, lists)) {
      if (scope !== undefined) {
        if (STATUS_SCOPES.has(scope.kind)) walk(scope, options);
      } else if (run !== undefined) {
        proven.add(run);
        if (lists.has(run) && endsAsItsScript(run, table)) walk(run, optionsOf(run));
      }
    }
  };
  walk(undefined, NO_OPTIONS);
  return proven;
}

/** The end of a shell is the end of its script; that of `watch` or `ssh` says nothing about what they run. */
function endsAsItsScript({ words, inside, redirects }: ShellRun, table: ProgramTable): boolean {
  // Text that comes through a pipe is only likely.
  if (inside.readsInput && !redirects.some(({ body, target }) => body !== undefined && isLiteral(target))) return false;
  const [program] = innerCommand(words, table);
  const specs = program === undefined ? [] : table.specsOf(programName(program));
  return (
    specs.some(({ shell, script }) => shell === true || script !== undefined) &&
    !specs.some(({ joins, unproven }) => joins === true || unproven === true)
  );
}

/** The lists of a line: of the line itself, of each compound command, and of each script that a command runs. */
function listsOf(runs: readonly ShellRun[]): Lists {
  const lists = new Map<object | undefined, Element[]>();
  const add = (key: object | undefined, element: Element) => {
    const list = lists.get(key) ?? [];
    lists.set(key, list);
    list.push(element);
  };
  const seen = new Set<ShellScope>();
  const enter = (scope: ShellScope, host: ShellRun | undefined): void => {
    if (seen.has(scope)) return;
    seen.add(scope);
    if (scope.parent !== undefined) enter(scope.parent, host);
    add(scope.parent ?? host, { link: scope, scope });
  };
  for (const run of runs) {
    if (run.scope !== undefined) enter(run.scope, run.host);
    if (run.keyword === undefined || /^(?:\[\[|\(\()$/.test(run.keyword))
      add(run.scope ?? run.host, { link: run, run });
  }
  return lists;
}

type ShellOptions = { readonly errexit: boolean; readonly pipefail: boolean; readonly noexec: boolean };
const NO_OPTIONS: ShellOptions = { errexit: false, pipefail: false, noexec: false };

/** `bash -eo pipefail -c …` */
function optionsOf({ words }: ShellRun): ShellOptions {
  const texts = words.map(({ text }) => text);
  const end = texts.findIndex((text) => /^-\w*c/.test(text));
  return readOptions(texts.slice(0, end + 1), NO_OPTIONS);
}

/** `-eo pipefail`, `+e`, `-o noexec` */
function readOptions(texts: readonly string[], given: ShellOptions): ShellOptions {
  let { errexit, pipefail, noexec } = given;
  texts.forEach((text, i) => {
    const [, sign, letters = ""] = /^([-+])([a-zA-Z]+)$/.exec(text) ?? [];
    if (sign === undefined) return;
    const name = letters.endsWith("o") ? texts[i + 1] : "";
    if (letters.includes("e") || name === "errexit") errexit = sign === "-";
    if (letters.includes("n") || name === "noexec") noexec = sign === "-";
    if (name === "pipefail") pipefail = sign === "-";
  });
  return { errexit, pipefail, noexec };
}

/** The elements of a list that ran and succeeded if its status is 0. */
function provenElements(list: readonly Element[], given: ShellOptions, lists: Lists): readonly Element[] {
  let options = given;
  const statements: Element[][] = [];
  for (const element of list) {
    const { after, pipeline } = element.link;
    const isFirst = pipeline.index === 0 && (after === "" || after === ";" || after === "&");
    if (isFirst || statements.length === 0) statements.push([]);
    statements.at(-1)?.push(element);
  }
  const deciding = decidingStatement(statements);
  const proven: Element[] = [];
  for (const [i, statement] of statements.entries()) {
    options = optionsAfter(statement, options, lists);
    if (options.noexec) break;
    if (i === deciding.at)
      proven.push(...provenInChain(statement, deciding.first || options.pipefail, lists, deciding.first));
    else if (i === statements.length - 1) proven.push(...provenInChain(statement, options.pipefail, lists));
    else proven.push(...provenBefore(statement, options, lists));
    // Nothing runs after `exit 0` or `exec`, wherever they stand.
    if (statement.some((element) => mayEnd(element, lists))) break;
  }
  return proven;
}

/** `set` that certainly runs turns options on; `set` anywhere in the statement may turn them off. */
function optionsAfter(statement: readonly Element[], given: ShellOptions, lists: Lists): ShellOptions {
  const [first] = statement;
  const isCertain = first?.link.pipeline.length === 1 && !first.link.background;
  const [program, ...texts] = first?.run?.words.map(({ text }) => text) ?? [];
  const options = isCertain && program === "set" ? readOptions(texts, given) : given;
  const isOff = statement.some((element, i) => (i > 0 || program !== "set") && mayTurnOff(element, lists));
  return isOff ? { ...NO_OPTIONS, noexec: options.noexec } : options;
}

function mayTurnOff({ run, scope }: Element, lists: Lists): boolean {
  if (run === undefined) {
    if (scope === undefined || OWN_SHELL.has(scope.kind)) return false;
    return (lists.get(scope) ?? []).some((element) => mayTurnOff(element, lists));
  }
  const [program, ...rest] = run.words.map(({ text }) => text);
  return (program === "set" && rest.some((text) => text.startsWith("+"))) || program === "shopt";
}

/** The statement whose status the list ends with: `npm test; s=$?; cat log; exit $s`, `npm test | tee log; exit ${PIPESTATUS[0]}`. */
function decidingStatement(statements: readonly (readonly Element[])[]): {
  readonly at: number;
  readonly first: boolean;
} {
  const last = statements.at(-1);
  const only = last?.length === 1 && last[0]?.link.negated === false && !last[0].link.background ? last[0] : undefined;
  const [program, status] = only?.run?.words ?? [];
  const isExit = /^(?:exit|return)$/.test(program?.text ?? "");
  const isCheck =
    /^(?:test|\[)$/.test(program?.text ?? "") && /^(?:-eq|=|==) 0(?: \])?$/.test(textOf(last).slice(2).join(" "));
  const source = isExit || isCheck ? (status?.unknown?.source.replace(/"/g, "") ?? "") : "";
  const end = statements.length - 1;
  const [, name] = /^\$\{?(\w+)\}?$/.exec(source) ?? [];
  const assigned = name === undefined ? -1 : keptStatus(statements, name);
  if (/^\$(?:\?|\{\?\})$/.test(source)) return { at: end - 1, first: false };
  if (source === "$" + "{PIPESTATUS[0]}") return { at: end - 1, first: true };
  return { at: assigned < 1 ? end : assigned - 1, first: false };
}

/** The number of the statement `s=$?`, if nothing else on the line can change `s`. */
function keptStatus(statements: readonly (readonly Element[])[], name: string): number {
  const changes = statements.flatMap((statement, at) =>
    statement.flatMap(({ run, scope }) => {
      const words = run?.words.some(({ text }) => text === name || text.startsWith(`${name}=`)) ?? false;
      const other = words || run?.keyword === "((" || (scope !== undefined && scope.kind !== "subshell");
      const own = run?.assignments.filter((one) => one.name === name) ?? [];
      return [
        ...(other ? [{ at, isStatus: false }] : []),
        ...own.map(({ value }) => ({ at, isStatus: STATUS.test(value.text) })),
      ];
    }),
  );
  const [only] = changes;
  return changes.length === 1 && only?.isStatus === true ? only.at : -1;
}

const STATUS = /^"?\$(?:\?|\{\?\})"?$/;

function textOf(statement: readonly Element[] = []): readonly string[] {
  return statement[0]?.run?.words.map(({ text }) => text) ?? [];
}

const OWN_SHELL = new Set<ShellScope["kind"]>(["subshell", "substitution", "coproc"]);

/** May end the shell with the status 0: `exit 0`, `if done; then exit; fi`, `exec true`. */
function mayEnd({ run, scope, link }: Element, lists: Lists): boolean {
  if (run === undefined) {
    if (scope === undefined || OWN_SHELL.has(scope.kind)) return false;
    return (lists.get(scope) ?? []).some((element) => mayEnd(element, lists));
  }
  const [program, ...rest] = run.words;
  if (program?.text === "exec") return rest.length > 0;
  return /^(?:exit|return)$/.test(program?.text ?? "") && !fails({ run, link }, lists, link.after === "||");
}

/**
 * What a statement proves that is not the last: all before `|| exit 1`, and with `set -e` a command on its own. In
 * `set -e; a && b; c` a failure of `a` does not end the shell.
 */
function provenBefore(statement: readonly Element[], options: ShellOptions, lists: Lists): readonly Element[] {
  const ends = statement.findLastIndex(
    (one) => one.link.after === "||" && one.scope?.kind !== "subshell" && isExit(one, lists) && fails(one, lists, true),
  );
  if (ends >= 0) return provenInChain(statement.slice(0, ends), options.pipefail, lists);
  const isAlone = statement.every(({ link }) => link.after !== "&&" && link.after !== "||");
  return options.errexit && isAlone ? provenInChain(statement, options.pipefail, lists) : [];
}

/** Ends the shell: `exit 1` or a group that ends with it, but not `false`. */
function isExit({ run, scope }: Element, lists: Lists): boolean {
  const last = scope === undefined ? undefined : lists.get(scope)?.at(-1);
  return /^(?:exit|return)$/.test(run?.words[0]?.text ?? last?.run?.words[0]?.text ?? "");
}

/** In `a && b || c && d` only `d` is certain; in `a && b || exit 1` both `a` and `b` are. */
function provenInChain(
  chain: readonly Element[],
  pipefail: boolean,
  lists: Lists,
  firstOfPipe = false,
): readonly Element[] {
  const end = chain.findIndex((element) => mayEnd(element, lists));
  const optional = chain.findLastIndex(
    (one) => one.link.pipeline.index === 0 && one.link.after === "||" && !fails(one, lists, true),
  );
  return chain.filter((element, i) => {
    const { after, pipeline, negated, background } = element.link;
    if (negated || background || after === "||" || i < optional || (end >= 0 && i > end)) return false;
    // PIPESTATUS is that of the pipeline that ran last.
    if (firstOfPipe) return pipeline.index === 0 && chain.length === pipeline.length;
    return pipefail || pipeline.index === pipeline.length - 1;
  });
}

/** Never has the status 0: `exit 1`, `false`, `{ echo failed; exit 1; }`; right after a failure also `exit` and `exit $?`. */
function fails({ run, scope, link }: Element, lists: Lists, afterFailure = false): boolean {
  if (link.pipeline.length > 1 || link.negated || link.background) return false;
  if (run !== undefined) {
    const [program, status = ""] = run.words.map(({ text }) => text);
    if (program === "false") return true;
    if (!/^(?:exit|return)$/.test(program ?? "")) return false;
    return /^[1-9]\d{0,2}$/.test(status) || (afterFailure && /^(?:\$\?)?$/.test(status));
  }
  if (scope?.kind !== "group" && scope?.kind !== "subshell") return false;
  const list = lists.get(scope) ?? [];
  const last = list.at(-1);
  if (last === undefined || !/^(?:|;|&)$/.test(last.link.after)) return false;
  return fails(last, lists) && !list.slice(0, -1).some((element) => mayEnd(element, lists));
}

function isUntrusted({ words, scope, assignments }: ShellRun, table: ProgramTable): boolean {
  if (assignments.some(({ name, value }) => table.isUnprovenVariable(`${name}=${value.text}`))) return true;
  const [program, ...rest] = words;
  const name = program?.text ?? "";
  if (UNTRUSTED.has(name)) return true;
  // What a trap does when the shell ends leaves its status alone, unless it ends the shell itself.
  if (
    name === "trap" &&
    (/\b(?:exit|return|exec|kill)\b/.test(rest[0]?.text ?? "") ||
      /ERR|DEBUG|RETURN/.test(rest.map(({ text }) => text).join(" ")))
  )
    return true;
  if (/^(?:export|declare|typeset)$/.test(name)) {
    if (rest.some(({ text }) => table.isUnprovenVariable(text))) return true;
  }
  for (let outer = scope; outer !== undefined; outer = outer.parent) {
    if (outer.kind === "function" && name !== "") return true;
  }
  return program !== undefined && !isLiteral(program) && program.unknown?.bare === "";
}
