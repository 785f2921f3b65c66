import builtIn from "./programs.json" with { type: "json" };

/** Conditions on a command's arguments, separated by blanks; one is enough. See programs.yaml. */
export type Selector = string;

/** One effect: `when` and `unless` select, each other key becomes an argument. */
export type EffectSpec = { readonly [effect: string]: { readonly [argument: string]: string } };

/** How a program reads its words, and what it does. programs.yaml explains each field. */
export type ProgramSpec = {
  readonly same?: string;
  readonly options?: string;
  readonly abbreviates?: boolean;
  readonly oneDash?: boolean;
  readonly dry?: Selector;
  readonly unproven?: Selector | boolean;
  readonly commands?: { readonly [names: string]: ProgramSpec };
  readonly otherwise?: ProgramSpec;
  readonly empty?: ProgramSpec;
  readonly inherits?: string;
  readonly skip?: number;
  readonly does?: EffectSpec | readonly EffectSpec[];
  readonly targets?: "first" | "all" | "colon" | "words" | "self";
  readonly also?: { readonly [target: string]: string };
  readonly alsoOptions?: Selector;
  readonly targetOrRuns?: string;
  readonly runs?: number;
  readonly skipTo?: string;
  readonly script?: string;
  readonly module?: string;
  readonly program?: string;
  readonly package?: string;
  readonly stops?: boolean;
  readonly assigns?: boolean;
  readonly numbers?: boolean;
  readonly attached?: string;
  readonly joins?: boolean;
  readonly fills?: boolean;
  readonly finds?: boolean;
  readonly elsewhere?: boolean;
  readonly shell?: boolean | string;
  readonly alias?: string;
  readonly sql?: Selector;
  readonly scripts?: "all";
  readonly operandsAre?: string;
  readonly cloud?: { readonly delete: string; readonly read: string; readonly copy: string };
};

/** Names of scripts and targets that have an effect: `names` and `not` are globs. */
export type TargetSpecs = { readonly [effect: string]: { readonly names: string; readonly not?: string } };

export type ProgramFile = {
  readonly targets?: TargetSpecs;
  readonly programs: { readonly [names: string]: ProgramSpec };
};

/** Looks programs up by name. A table is never changed: `withPrograms` makes a new one. */
export class ProgramTable {
  readonly targets: TargetSpecs;
  readonly #specs: ReadonlyMap<string, readonly ProgramSpec[]>;

  constructor(targets: TargetSpecs, specs: ReadonlyMap<string, readonly ProgramSpec[]>) {
    this.targets = targets;
    this.#specs = specs;
  }

  /** Every description of a program: ours first, then those that an operator added. */
  specsOf(name: string): readonly ProgramSpec[] {
    const specs = this.#specs.get(name) ?? [];
    return specs.flatMap((spec) => (spec.same === undefined ? [spec] : this.specsOf(spec.same)));
  }

  /** The effects that programs and targets of this table can have. */
  effectNames(): ReadonlySet<string> {
    const names = new Set(Object.keys(this.targets));
    const visit = ({ does = [], also = {}, commands = {}, otherwise, empty }: ProgramSpec): void => {
      for (const effects of [does].flat() as readonly EffectSpec[])
        for (const name of Object.keys(effects)) names.add(name);
      for (const name of Object.values(also)) names.add(name);
      for (const inner of [...Object.values(commands), otherwise, empty]) if (inner !== undefined) visit(inner);
    };
    for (const specs of this.#specs.values()) specs.forEach(visit);
    return names;
  }

  /** Adds programs. Effects only add up: nothing in `file` removes an effect of this table. */
  withPrograms(file: ProgramFile): ProgramTable {
    const specs = new Map(this.#specs);
    for (const [names, spec] of Object.entries(file.programs)) {
      for (const name of names.split("|")) specs.set(name, [...(specs.get(name) ?? []), spec]);
    }
    return new ProgramTable(this.targets, specs);
  }
}

// TypeScript infers a type of its own for the file; programs.test.ts checks it against the schema.
const file = builtIn as unknown as ProgramFile;

/** The programs of programs.yaml. */
export const PROGRAMS: ProgramTable = new ProgramTable(file.targets ?? {}, new Map()).withPrograms(file);
