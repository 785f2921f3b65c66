import type { ArgsDef } from "citty";
import type { Outcome } from "./outcome.ts";
import type { Terminal } from "./terminal.ts";

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

/** A name with commands below it. */
export type Group = { readonly description: string; readonly commands: { readonly [name: string]: Command | Group } };
