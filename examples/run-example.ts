import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

/** Runs an example of this folder on the sources, and returns what it prints. */
export function runExample(path: string): { readonly status: number | null; readonly output: string } {
  const file = resolve(import.meta.dirname, path);
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--conditions=conduct-source", file], {
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}
