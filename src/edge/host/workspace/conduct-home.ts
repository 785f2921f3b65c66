import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Where Conduct keeps its own things. */
export function conductHome(env: NodeJS.ProcessEnv = process.env): string {
  return resolve(env.CONDUCT_HOME || join(homedir(), ".conduct"));
}
