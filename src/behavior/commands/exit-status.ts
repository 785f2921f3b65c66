import type { ShellRun } from "./shell/shell-line.ts";
import type { ShellLink, ShellScope } from "./shell/shell-script.ts";
import { isLiteral } from "./shell/shell-word.ts";

/** A command or a compound command in its list. */
type Element = { readonly link: ShellLink; readonly run?: ShellRun; readonly scope?: ShellScope };

/** What may change the meaning of the words or of the exit status of a line. */
const UNTRUSTED = new Set(["trap", "alias", "unalias", "enable", "hash"]);
const STATUS_SCOPES = new Set<ShellScope["kind"]>(["subshell", "group", "eval"]);
const CHANGES_PROGRAMS = /^(?:PATH|BASH_ENV|ENV|LD_PRELOAD|SHELLOPTS|BASHOPTS|PATHEXT)$/;

/** The commands of a line that ran and succeeded if the line's exit status is 0. */
export function succeededIfOk(runs: readonly ShellRun[]): ReadonlySet<ShellRun> {
  if (runs.some(isUntrusted)) return new Set();
  const lists = listsOf(runs);
  const proven = new Set<ShellRun>();
  const walk = (key: object | undefined, options: ShellOptions) => {
    for (const { run, scope } of provenElements(lists.get(key) ?? [], options)) {
      if (scope !== undefined) {
        if (STATUS_SCOPES.has(scope.kind)) walk(scope, options);
      } else if (run !== undefined) {
        proven.add(run);
        if (lists.has(run)) walk(run, optionsOf(run));
      }
    }
  };
  walk(undefined, NO_OPTIONS);
  return proven;
}

/** The lists of a line: of the line itself, of each compound command, and of each script that a command runs. */
function listsOf(runs: readonly ShellRun[]): ReadonlyMap<object | undefined, readonly Element[]> {
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

type ShellOptions = { readonly errexit: boolean; readonly pipefail: boolean };
const NO_OPTIONS: ShellOptions = { errexit: false, pipefail: false };

/** `bash -eo pipefail -c …` */
function optionsOf({ words }: ShellRun): ShellOptions {
  const texts = words.map(({ text }) => text);
  const end = texts.findIndex((text) => /^-\w*c/.test(text));
  return readOptions(texts.slice(0, end + 1));
}

function readOptions(texts: readonly string[]): ShellOptions {
  const pipefail = texts.some((text, i) => text === "pipefail" && /^-\w*o$/.test(texts[i - 1] ?? ""));
  return { errexit: texts.some((text) => /^-[a-z]*e[a-z]*$/.test(text)) || texts.includes("errexit"), pipefail };
}

/** The elements of a list that ran and succeeded if its status is 0. */
function provenElements(list: readonly Element[], given: ShellOptions): readonly Element[] {
  let { errexit, pipefail } = given;
  const statements: Element[][] = [];
  for (const element of list) {
    const { after, pipeline } = element.link;
    const isFirst = pipeline.index === 0 && (after === "" || after === ";" || after === "&");
    if (isFirst || statements.length === 0) statements.push([]);
    statements.at(-1)?.push(element);
  }
  const proven: Element[] = [];
  statements.forEach((statement, i) => {
    const isLast = i === statements.length - 1;
    if (isLast || errexit) proven.push(...provenInChain(statement, pipefail));
    const texts = statement.length === 1 ? (statement[0]?.run?.words.map(({ text }) => text) ?? []) : [];
    if (texts[0] !== "set") return;
    const set = readOptions(texts.slice(1));
    if (texts.some((text) => text.startsWith("+"))) errexit = false;
    else errexit ||= set.errexit;
    pipefail ||= set.pipefail;
  });
  return proven;
}

/** In `a && b || c && d` only `d` is certain: an element counts if nothing but `&&` follows it and it was not optional. */
function provenInChain(chain: readonly Element[], pipefail: boolean): readonly Element[] {
  const isCertain = (element: Element, i: number) => {
    const { after, pipeline, negated, background } = element.link;
    if (negated || background) return false;
    if (after === "||") return false;
    const followers = chain.slice(i + 1).filter(({ link }) => link.pipeline.index === 0);
    if (followers.some(({ link }) => link.after === "||")) return false;
    return pipefail || pipeline.index === pipeline.length - 1;
  };
  return chain.filter(isCertain);
}

function isUntrusted({ words, scope, assignments }: ShellRun): boolean {
  if (assignments.some(({ name }) => CHANGES_PROGRAMS.test(name))) return true;
  const [program, ...rest] = words;
  if (program !== undefined && UNTRUSTED.has(program.text)) return true;
  if (/^(?:export|declare|typeset)$/.test(program?.text ?? "")) {
    if (rest.some(({ text }) => CHANGES_PROGRAMS.test(text.split("=")[0] ?? ""))) return true;
  }
  for (let outer = scope; outer !== undefined; outer = outer.parent) if (outer.kind === "function") return true;
  return program !== undefined && !isLiteral(program) && program.unknown?.bare === "";
}
