import { homedir } from "node:os";
import { join } from "node:path";

/** Is it the folder that Conduct uses when nobody says otherwise? Then nothing has to name it. */
export function isUsualHome(env: NodeJS.ProcessEnv, home: string): boolean {
  return home === join(env.HOME || homedir(), ".conduct");
}
