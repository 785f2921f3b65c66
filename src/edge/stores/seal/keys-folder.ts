import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Where the keys of stores are: never in `CONDUCT_HOME`, so that a copy of the data is no copy of the keys. */
export function keysFolder(env: NodeJS.ProcessEnv): string {
  return resolve(env.CONDUCT_KEYS || join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "conduct", "keys"));
}
