import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { quantile } from "./statistics.ts";

const SCRIPT = fileURLToPath(new URL("./weakincentives.py", import.meta.url));

/**
 * Measures a bridged call with ten policies and ten providers in a checkout of weakincentives: the median in microseconds.
 * `PYTHON` names the interpreter, 3.12 or newer.
 */
export async function measureWeakincentives(root: string, history: number): Promise<number> {
  const { PYTHON = "python3" } = process.env;
  const { stdout } = await promisify(execFile)(PYTHON, [SCRIPT, root, String(history)]).catch((error: unknown) => {
    const fix = "Set PYTHON to Python 3.12 or newer, and name a checkout of weakincentives/weakincentives.";
    throw new Error(`weakincentives in ${root} could not be measured with ${PYTHON}. ${fix}`, { cause: error });
  });
  return quantile(stdout.trim().split("\n").map(Number), 0.5);
}
