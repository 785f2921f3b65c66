import { launcherPath } from "./launcher/launcher-files.ts";
import type { InstallableRuntime, InstallPlace } from "./runtime.ts";

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

/** By a whole path, because a client that was started from the desktop has another PATH than a terminal. The launcher knows its home. */
export function clientCommand({ home }: Pick<InstallPlace, "home">, words: readonly string[]): ClientCommand {
  return { command: launcherPath(home), args: words, env: {} };
}
