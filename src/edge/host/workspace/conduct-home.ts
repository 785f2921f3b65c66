import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** `CONDUCT_HOME`, else `.conduct` in the user's home. */
export function conductHome(env: NodeJS.ProcessEnv = process.env): string {
  return resolve(env.CONDUCT_HOME || join(homedir(), ".conduct"));
}
