import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Environment variables by name. */
export type Environment = { readonly [name: string]: string | undefined };

/** `CONDUCT_HOME`, else `.conduct` in the user's home. */
export function conductHome(env: Environment = process.env): string {
  return resolve(env.CONDUCT_HOME || join(homedir(), ".conduct"));
}
