import type { Outcome } from "./outcome.ts";
import type { Terminal } from "./terminal.ts";

/** A `boolean` stands for itself, a `string` takes a value, a `positional` is known by its place; none of them has to be given. */
export type ArgDef =
  | { readonly type: "boolean"; readonly description: string; readonly alias?: string }
  | { readonly type: "string"; readonly description: string }
  | { readonly type: "positional"; readonly description: string; readonly default?: string };

export type ArgsDef = { readonly [name: string]: ArgDef };

export type Arguments = { readonly [name: string]: unknown };
export type CommandBody = (args: Arguments, terminal: Terminal) => Promise<Outcome>;

/** A command as the command line knows it; its body is loaded when it runs. */
export type Command = {
  readonly description: string;
  readonly args: ArgsDef;
  /** Its positional may be given several times; they are all in `_`. */
  readonly many?: true;
  load(): Promise<CommandBody>;
};

/** A name with commands below it. Those that stand in a file of their own are loaded when they are asked for. */
export type Group = { readonly description: string; readonly commands: { readonly [name: string]: Below } };
export type Below = Command | Group | (() => Promise<Command | Group>);
