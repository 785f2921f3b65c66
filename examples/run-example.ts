import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Runs an example as a person would, and gives what it prints. */
export function runExample(path: string): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, path)], {
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}
