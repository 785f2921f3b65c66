import { globMatches } from "../../../base/kernel/glob.ts";
import type { EffectSpec, ProgramSpec, Programs } from "../../../base/words/hosting/program.ts";
import type { Json } from "../../../base/words/json.ts";
import { type Arguments, tokensOf, VARIABLE } from "./arguments.ts";
import { BUILT_IN } from "./built-in-programs.ts";

/** Names of scripts and targets that have an effect: `names` and `not` are globs. */
export type TargetSpecs = { readonly [effect: string]: { readonly names: string; readonly not?: string } };

export type ProgramFile = {
  readonly targets?: TargetSpecs;
  /** Options and words with which no run proves anything, such as --watch. */
  readonly unproven?: string;
  /** Variables that change what programs do; the effects that variables have, by `NAME=VALUE`. */
  readonly unprovenVariables?: string;
  readonly variables?: { readonly [globs: string]: EffectSpec };
  readonly programs: Programs;
};

type Specs = ReadonlyMap<string, readonly ProgramSpec[]>;

/** A filter that no test's name matches. The runner's output says it for any filter, but not every runtime reports the output. */
const MATCHES_NOTHING =
  /^(?:--?[\w.-]+=)?\/?(?:\^\$|\$\^|\(\?!\)|nope|nothing|non[-_]?existent|no[-_]?match|[\w@/*-]*(?:zzz|no[-_]?such[-_]?test)[\w/*-]*)\/?$/i;

/** Programs whose names are usual names of switches as well. */
const SWITCHES: ReadonlySet<string> = new Set("ci coverage watch test time env debug check set trace".split(" "));

/** Looks programs up by name. A table is never changed: `withPrograms` makes a new one. */
export class ProgramTable {
  readonly #load: () => ProgramFile;
  #loaded: { readonly file: ProgramFile; readonly specs: Specs } | undefined;
  readonly #dry = new Map<string, boolean>();
  readonly #targetEffects = new Map<string, readonly string[]>();
  #absent: ReadonlyMap<string, Json> | undefined;

  constructor(load: () => ProgramFile) {
    this.#load = load;
  }

  get #data(): { readonly file: ProgramFile; readonly specs: Specs } {
    if (this.#loaded === undefined) {
      const file = this.#load();
      this.#loaded = { file, specs: addPrograms(new Map(), file.programs) };
    }
    return this.#loaded;
  }

  get #file(): ProgramFile {
    return this.#data.file;
  }

  /** Every description of a program: ours first, then those that an operator added. */
  specsOf(name: string, from: readonly string[] = []): readonly ProgramSpec[] {
    const specs = this.#data.specs.get(name);
    if (specs === undefined || from.includes(name)) return [];
    return specs.some(({ same }) => same !== undefined)
      ? specs.flatMap((spec) => (spec.same === undefined ? [spec] : this.specsOf(spec.same, [...from, name])))
      : specs;
  }

  /** What a script or target of the project does, by its name. */
  targetEffects(name: string): readonly string[] {
    const known = this.#targetEffects.get(name);
    if (known !== undefined) return known;
    // `jvmTest` and `unit_test` are `jvm-test` and `unit-test`.
    const target = name
      .replace(/([a-z\d])([A-Z])/g, "$1-$2")
      .replaceAll("_", "-")
      .toLowerCase();
    const effects = Object.entries(this.#file.targets ?? {}).flatMap(([effect, { names, not = "" }]) =>
      matchesOne(names, target) && !matchesOne(not, target) ? [effect] : [],
    );
    if (this.#targetEffects.size > MAX_TARGETS) this.#targetEffects.clear();
    this.#targetEffects.set(name, effects);
    return effects;
  }

  /** What a script file does: `run_tests` is `tests`. */
  scriptEffects(name: string): readonly string[] {
    return this.targetEffects(name.replace(/^(?:run|do|exec)[-_.]?(?=[a-z])/i, ""));
  }

  /** Has an option or a variable with which a run proves nothing. */
  isUnproven({ options, operands, spelled }: Arguments): boolean {
    if (options.get(VARIABLE)?.some(({ text }) => this.isUnprovenVariable(text))) return true;
    const values = [...options.values(), operands].flat();
    return (
      [...spelled].some((text) => this.isDry(text)) ||
      values.some(({ text }) => this.isDry(text) || MATCHES_NOTHING.test(text))
    );
  }

  /** `--help`, `--list`, `--watch`: with such an option most programs do less than their work. */
  isDry(option: string): boolean {
    if (!option.startsWith("--") || option.length < 4) return false;
    const known = this.#dry.get(option);
    if (known !== undefined) return known;
    const isDry = matchesOne(this.#file.unproven ?? "", option);
    if (this.#dry.size > MAX_TARGETS) this.#dry.clear();
    this.#dry.set(option, isDry);
    return isDry;
  }

  isUnprovenVariable(assignment: string): boolean {
    const [, name, same] = /^(\w+)="?\$\{?(\w+)\}?"?$/.exec(assignment) ?? [];
    if (name !== undefined && name === same) return false;
    return this.#replacesProgram(assignment) || matchesOne(this.#file.unprovenVariables ?? "", assignment);
  }

  /** `PYTEST=true make test`: the variable stands for a program, and its value does nothing. */
  #replacesProgram(assignment: string): boolean {
    const [, name = "", value = ""] = /^(\w+)=(?:\S*\/)?(true|:|echo|printf)(?:\s|$)/.exec(assignment) ?? [];
    if (value !== "true") return value !== "";
    // `true` alone may also switch something on.
    if (assignment.includes("/") || /(?:^|_)(?:CMD|COMMAND|BIN|RUNNER|PROGRAM|TOOL|EXE)$/i.test(name)) return true;
    const program = name.toLowerCase();
    return !SWITCHES.has(program) && this.specsOf(program).length > 0;
  }

  /** The effects that a variable has on the programs of a line. */
  variableEffects(name: string, value: string): readonly EffectSpec[] {
    const text = `${name}=${value}`;
    return Object.entries(this.#file.variables ?? {}).flatMap(([globs, effects]) =>
      matchesOne(globs, text) ? [effects] : [],
    );
  }

  /** The effects that programs and targets of this table can have. */
  effectNames(): ReadonlySet<string> {
    const names = new Set(Object.keys(this.#file.targets ?? {}));
    for (const { does = [], also = {} } of this.#allSpecs()) {
      for (const effects of [does].flat() as readonly EffectSpec[])
        for (const name of Object.keys(effects)) names.add(name);
      for (const name of Object.values(also)) names.add(name);
    }
    return names;
  }

  /** The value of an argument that an effect does not have: `false`, an empty text or list. `undefined`: no such argument. */
  absentArgument(effect: string, name: string): Json | undefined {
    this.#absent ??= absentArguments(this.#allSpecs());
    return this.#absent.get(`${effect} ${name}`) ?? this.#absent.get(name);
  }

  /** The arguments that this effect can have, however it was found. */
  argumentsOf(effect: string): readonly string[] {
    this.#absent ??= absentArguments(this.#allSpecs());
    const declared = [...this.#absent.keys()].flatMap((key) =>
      key.startsWith(`${effect} `) ? [key.slice(effect.length + 1)] : [],
    );
    return [...declared, ...tokensOf(`${COMPUTED_FLAGS} ${COMPUTED_ARGUMENTS}`)];
  }

  *#allSpecs(specs: Iterable<ProgramSpec | undefined> = [...this.#data.specs.values()].flat()): Iterable<ProgramSpec> {
    for (const spec of specs) {
      if (spec === undefined) continue;
      yield spec;
      yield* this.#allSpecs([...Object.values(spec.commands ?? {}), spec.otherwise, spec.empty]);
    }
  }

  /** Adds programs. Effects only add up: nothing in `added` removes an effect of this table. */
  withPrograms(added: Programs): ProgramTable {
    const table = new ProgramTable(this.#load);
    table.#loaded = { file: this.#file, specs: addPrograms(this.#data.specs, added) };
    return table;
  }
}

/** Arguments that no program declares: the line decides on them. */
const COMPUTED_FLAGS = "generated many moved opaque unbounded ddl maybe once hidden edits local copied";

const COMPUTED_ARGUMENTS =
  "path paths program target script variable value language file input what verb statement command cwd workdir timeout description";

/** By effect and argument, and by argument alone: a rule may be on several effects. */
function absentArguments(specs: Iterable<ProgramSpec>): ReadonlyMap<string, Json> {
  const absent = new Map<string, Json>([
    ["path", ""],
    ...tokensOf(COMPUTED_FLAGS).map((name) => [name, false] as const),
  ]);
  for (const { does = [] } of specs) {
    for (const [effect, given] of ([does].flat() as readonly EffectSpec[]).flatMap(
      Object.entries<EffectSpec[string]>,
    )) {
      for (const [name, value] of Object.entries(given)) {
        const none =
          name === "paths" || /^\$(?:\*|paths|sources|\d+\.\.)$/.test(value) ? [] : /^[$=a-z]/.test(value) ? "" : false;
        absent.set(`${effect} ${name}`, none);
        if (!absent.has(name)) absent.set(name, none);
      }
    }
  }
  return absent;
}

function addPrograms(specs: Specs, programs: Programs): Specs {
  const all = new Map(specs);
  for (const [names, spec] of Object.entries(programs)) {
    for (const name of names.split("|")) all.set(name, [...(all.get(name) ?? []), spec]);
  }
  return all;
}

const subcommands = new WeakMap<ProgramSpec, ReadonlyMap<string, ProgramSpec>>();

/** The description of a subcommand, by any of its names. */
export function subcommandOf(spec: ProgramSpec, name: string): ProgramSpec | undefined {
  if (spec.commands === undefined) return undefined;
  const known = subcommands.get(spec) ?? byName(spec.commands);
  subcommands.set(spec, known);
  const exact = known.get(name);
  if (exact !== undefined) return exact;
  for (const [pattern, one] of known) if (pattern.includes("*") && globMatches(pattern, name)) return one;
  if (spec.abbreviates !== true || name.length < 3) return undefined;
  const [only, ...more] = new Set([...known].flatMap(([full, one]) => (full.startsWith(name) ? [one] : [])));
  return more.length === 0 ? only : undefined;
}

function byName(commands: NonNullable<ProgramSpec["commands"]>): ReadonlyMap<string, ProgramSpec> {
  return new Map(
    Object.entries(commands).flatMap(([names, spec]) => names.split("|").map((name) => [name, spec] as const)),
  );
}

const MAX_TARGETS = 1_000;

function matchesOne(globs: string, text: string): boolean {
  return tokensOf(globs).some((glob) => (glob.includes("*") ? globMatches(glob, text) : glob === text));
}

/** The programs of programs.yaml, parsed when they are first used. */
export const PROGRAMS: ProgramTable = new ProgramTable(() => JSON.parse(BUILT_IN) as ProgramFile);
