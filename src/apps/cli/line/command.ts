import type { Outcome } from "./outcome.ts";
import type { Terminal } from "./terminal.ts";

/** Values that shell completion offers for an argument: fixed words, or names that are looked up on Tab. */
export type Values = readonly string[] | "agent" | "approval" | "decision" | "directive" | "file" | "rule" | "session";

/**
 * An argument of a command; all are optional. A `boolean` is a flag, a `string` takes a value, a `positional` goes by
 * position, `words` are all positionals together.
 */
export type ArgDef = {
  readonly type: "boolean" | "string" | "positional" | "words";
  readonly description: string;
  readonly alias?: string;
  readonly default?: string;
  readonly values?: Values;
};
export type ArgsDef = { readonly [name: string]: ArgDef };

type ValueOf<D extends ArgDef> = D["type"] extends "boolean"
  ? boolean | undefined
  : D["type"] extends "words"
    ? readonly string[]
    : string | (D extends { readonly default: string } ? never : undefined);
type Given<D extends ArgDef> = D["type"] extends "words" ? true : D extends { readonly default: string } ? true : false;

/** The arguments that a command with this declaration receives. A blank option counts as absent. */
export type ArgsOf<D extends ArgsDef> = {
  readonly [K in keyof D as Given<D[K]> extends true ? K : never]: ValueOf<D[K]>;
} & { readonly [K in keyof D as Given<D[K]> extends true ? never : K]?: ValueOf<D[K]> } & { readonly json?: boolean };

export type Arguments = { readonly [name: string]: unknown };
export type CommandBody<Args = Arguments> = (args: Args, terminal: Terminal) => Promise<Outcome>;

/** A declared command; its body is loaded when it runs. */
export type Command = {
  readonly description: string;
  readonly args: ArgsDef;
  /** A complete command line without the program's name, for the help. */
  readonly example?: string;
  load(): Promise<CommandBody<never>>;
};

/** A group of commands, loaded on demand. */
export type Group = {
  readonly description: string;
  readonly commands: { readonly [name: string]: Below };
  /** The help by task: names of commands with a few words each. Commands in no section are listed last. */
  readonly sections?: { readonly [title: string]: { readonly [names: string]: string } };
  /** Commands that only programs call. */
  readonly hidden?: readonly string[];
};
export type Below = Command | Group | (() => Promise<Command | Group>);

/** A command whose body is the export `name` of a module. Type-checks that the body takes the declared arguments. */
export function command<D extends ArgsDef, N extends string>(
  description: string,
  args: D,
  load: () => Promise<{ readonly [K in N]: CommandBody<ArgsOf<D>> }>,
  name: N,
  example?: string,
): Command {
  return { description, args, example, load: async () => (await load())[name] };
}

export function flag(description: string) {
  return { type: "boolean", description } as const;
}

export function option(description: string) {
  return { type: "string", description } as const;
}

export function positional(description: string): { readonly type: "positional"; readonly description: string };
export function positional(
  description: string,
  preset: string,
): { readonly type: "positional"; readonly description: string; readonly default: string };
export function positional(description: string, preset?: string) {
  return { type: "positional", description, default: preset } as const;
}

export function words(description: string, preset: string) {
  return { type: "words", description, default: preset } as const;
}

/** The argument, completed by the shell with these values. */
export function valued<D extends ArgDef>(values: Values, def: D): D {
  return { ...def, values };
}

/** The levels of packs. */
export const LEVELS = ["gentle", "standard", "strict"];

/** On commands whose result has a page in the console. */
export const web = { web: flag("Open its page in the console instead") };
