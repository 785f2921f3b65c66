import type { ProgramTable } from "./programs/program-table.ts";
import type { ShellRun } from "./shell/shell-line.ts";
import { switchesOffCheck } from "./unverified.ts";

/** The variables that are set for a command: on it, or before it on the line. */
export type RunVariables = {
  readonly isEmpty: boolean;
  get(name: string): string | undefined;
  /** Those that change what a program does. A long script sets many that do not. */
  readonly telling: readonly (readonly [name: string, value: string])[];
};

const NO_VARIABLES: RunVariables = { isEmpty: true, get: () => undefined, telling: [] };

const EXPORTS = /^(?:export|declare|typeset|readonly|local)$/;
const SETTERS = /^(?:env|sudo|doas|cross-env|dotenv)$/;
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

/** Follows the variables of a line from command to command. */
export class LineVariables {
  readonly #table: ProgramTable;
  readonly #exported = new Map<string, string>();
  readonly #telling = new Map<string, string>();
  #current = NO_VARIABLES;

  constructor(table: ProgramTable) {
    this.#table = table;
  }

  /** Set for every command from here on. */
  get current(): RunVariables {
    return this.#current;
  }

  /** The variables of the next command, which may set some for those after it. */
  of(run: ShellRun): RunVariables {
    if (!setsVariables(run)) return this.#current;
    const { assignments, words } = run;
    const isExport = EXPORTS.test(words[0]?.text ?? "");
    const own = new Map(assignments.map(({ name, value }) => [name, value.unknown?.likely?.join(" ") ?? value.text]));
    const setter = isExport ? 0 : words.findIndex(({ text }) => SETTERS.test(text));
    for (const { text, unknown } of setter < 0 ? [] : words.slice(setter + 1)) {
      const [, name, value = ""] = ASSIGNMENT.exec(text) ?? ASSIGNMENT.exec(unknown?.likely?.join(" ") ?? "") ?? [];
      if (name !== undefined) own.set(name, value);
    }
    const telling = [...own].filter(([name, value]) => this.#isTelling(name, value));
    if (isExport || words.length === 0) return this.#export(own, telling);
    const outer = [...this.#telling].filter(([name]) => !own.has(name));
    const isEmpty = own.size === 0 && this.#current.isEmpty;
    return { isEmpty, get: (name) => own.get(name) ?? this.#exported.get(name), telling: [...outer, ...telling] };
  }

  #export(own: ReadonlyMap<string, string>, telling: RunVariables["telling"]): RunVariables {
    for (const [name, value] of own) {
      this.#exported.set(name, value);
      this.#telling.delete(name);
    }
    for (const [name, value] of telling) this.#telling.set(name, value);
    if (this.#exported.size === 0) return this.#current;
    this.#current = { isEmpty: false, get: (name) => this.#exported.get(name), telling: [...this.#telling] };
    return this.#current;
  }

  #isTelling(name: string, value: string): boolean {
    return (
      name.startsWith("GIT_CONFIG_") ||
      switchesOffCheck(name, value) ||
      this.#table.variableEffects(name, value).length > 0
    );
  }
}

/** Returns whether a command sets variables, for itself or for the commands after it. */
export function setsVariables({ assignments, words }: ShellRun): boolean {
  return assignments.length > 0 || EXPORTS.test(words[0]?.text ?? "") || words.some(({ text }) => SETTERS.test(text));
}

/** `tmp=$(mktemp -d)`, wherever it stands: a trap or a function before it uses the value that is set later. */
export function temporaryFolders(runs: readonly ShellRun[]): ReadonlySet<string> {
  let names: Map<string, boolean> | undefined;
  const note = (name: string, source: string) => {
    names ??= new Map();
    names.set(name, /^"?(?:\$\(|`)mktemp\b[^;&|]*[)`]"?$/.test(source) && names.get(name) !== false);
  };
  for (const { assignments, words } of runs) {
    for (const { name, value } of assignments) note(name, value.unknown?.source ?? value.text);
    if (!EXPORTS.test(words[0]?.text ?? "")) continue;
    for (const { text, unknown } of words) {
      const [, name, value = ""] = ASSIGNMENT.exec(unknown?.source ?? text) ?? [];
      if (name !== undefined) note(name, value);
    }
  }
  return names === undefined
    ? NO_NAMES
    : new Set([...names].flatMap(([name, isTemporary]) => (isTemporary ? [name] : [])));
}

const NO_NAMES: ReadonlySet<string> = new Set();
