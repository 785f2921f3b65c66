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
  readonly skips?: string;
  readonly folder?: Selector;
  readonly settings?: string;
  readonly does?: EffectSpec | readonly EffectSpec[];
  readonly targets?: "first" | "all" | "colon" | "words" | "self" | "last";
  readonly also?: { readonly [target: string]: string };
  readonly alsoOptions?: Selector;
  readonly targetOrRuns?: string;
  readonly runs?: number;
  readonly skipTo?: string;
  readonly after?: string;
  readonly entry?: string;
  readonly script?: string;
  readonly module?: string;
  readonly stops?: boolean;
  readonly assigns?: boolean;
  readonly numbers?: boolean;
  readonly attached?: string;
  readonly joins?: boolean;
  readonly fills?: boolean;
  readonly elsewhere?: boolean;
  readonly shell?: boolean | string;
  readonly alias?: string;
  readonly sql?: Selector;
  readonly code?: Selector;
  readonly operandsAre?: string;
  readonly cloud?: {
    readonly delete: string;
    readonly read: string;
    readonly copy: string;
    readonly deploy?: string;
    readonly grant?: string;
  };
};

/** Programs by name; several names are separated by `|`. */
export type Programs = { readonly [names: string]: ProgramSpec };
