import type { InstallableRuntime, InstallPlace } from "./runtime.ts";
import { isUsualHome } from "./usual-home.ts";

/** What a client starts in place of something else: nothing is installed for it, and `doctor` has things to say of it all the same. */
export type StartedRuntime = Pick<InstallableRuntime, "title" | "capabilities" | "loose"> & {
  readonly name: "acp" | "mcp";
};

/** How a client starts it: words of a command, and what its environment needs. */
export type ClientCommand = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
};

/** By whole paths: a client that was started from the desktop has another PATH than a terminal. */
export function clientCommand(
  { env, home }: Pick<InstallPlace, "env" | "home">,
  node: string,
  program: string,
  words: readonly string[],
): ClientCommand {
  return { command: node, args: [program, ...words], env: isUsualHome(env, home) ? {} : { CONDUCT_HOME: home } };
}
