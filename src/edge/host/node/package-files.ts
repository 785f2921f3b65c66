import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

// Imports only Node's own modules, because every hook loads this file.

/** Root folder of this package: of a checkout, or of the installed package, whose code is bundled into `dist`. */
export const packageFolder: () => string = once(() => {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
});

/** A file that the package ships besides its code, such as `packs/`. */
export function packageFile(path: string): string {
  return join(packageFolder(), path);
}

/**
 * A file below `src` that another program opens by its path: a worker, a plugin, a folder. The build copies or bundles
 * it to `dist/NAME`.
 */
export function programFile(source: string, name: string): string {
  return isInstalled() ? packageFile(join("dist", name)) : packageFile(join("src", source));
}

/** Whether this is the built package. A checkout runs its sources. */
export function isInstalled(): boolean {
  return basename(import.meta.dirname) === "dist";
}

/** The `conduct` program of this package, which starts the daemon. */
export function conductProgram(): string {
  const program = programFile("apps/cli/conduct.mjs", "conduct.mjs");
  if (!existsSync(program)) throw new Error(`${program} does not exist: reinstall Conduct`);
  return program;
}

/** The version in package.json. A daemon of another version is replaced. */
export const conductVersion: () => string = once(() => {
  const stated: unknown = JSON.parse(readFileSync(packageFile("package.json"), "utf8"));
  return typeof stated === "object" && stated !== null && "version" in stated ? String(stated.version) : "unknown";
});

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
