import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The folder with VitePress, TypeDoc and the linters of the package, which the project itself does not need. */
export const SITE: string = join(import.meta.dirname, "../site");

/** Runs a program of `site/`; installs its packages first if they are missing. Returns the exit code. */
export function runSiteTool(program: string, args: readonly string[]): number {
  if (!existsSync(join(SITE, "node_modules/.bin", program))) {
    console.error("installing the tools for documentation and package (200 MB, once) …");
    if (run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"]) !== 0) return 1;
  }
  return run(join(SITE, "node_modules/.bin", program), args);
}

function run(command: string, args: readonly string[]): number {
  return spawnSync(command, args, { cwd: SITE, stdio: "inherit" }).status ?? 1;
}
