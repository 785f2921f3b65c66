import { existsSync, readFileSync, rmSync } from "node:fs";
import { cp, mkdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { conductProgram, conductVersion, isInstalled, packageFolder } from "./package-files.ts";
import { copyStorePackages } from "./store-packages.ts";

/**
 * Where this package is. `volatile`: a folder that others delete, such as the cache of npx or the packages of one
 * project. `copy`: in `CONDUCT_HOME/versions`.
 */
export type PackagePlace =
  | { readonly kind: "checkout" | "copy" | "volatile" }
  | { readonly kind: "global"; readonly prefix: string };

export function packagePlace(home: string, folder = packageFolder(), installed = isInstalled()): PackagePlace {
  if (!installed) return { kind: "checkout" };
  if (folder.startsWith(`${versionsFolder(home)}${sep}`)) return { kind: "copy" };
  const [, prefix] = /^(.*)\/lib\/node_modules\/agent-conduct$/.exec(folder) ?? [];
  return prefix === undefined ? { kind: "volatile" } : { kind: "global", prefix };
}

/** Conduct keeps copies of itself here, one folder per version. */
export function versionsFolder(home: string): string {
  return join(home, "versions");
}

/** The folder that the launcher and the daemon use: the copy of a package that others may delete. */
export function lastingFolder(home: string): string {
  return packagePlace(home).kind === "volatile" ? join(versionsFolder(home), conductVersion()) : packageFolder();
}

/** The `conduct` program in `lastingFolder`. It exists after `keepCopy`. */
export function lastingProgram(home: string): string {
  return join(lastingFolder(home), relative(packageFolder(), conductProgram()));
}

/** Copies a package that others may delete, with the packages of stores. Returns whether anything was copied. */
export async function keepCopy(home: string): Promise<boolean> {
  const folder = lastingFolder(home);
  if (folder === packageFolder()) return false;
  // Installed after the copy was made.
  if (isSamePackage(folder, packageFolder())) return copyStorePackages(packageFolder(), folder);
  await placeVersion(folder, async (draft) => {
    await cp(packageFolder(), draft, { recursive: true, filter: (path) => basename(path) !== "node_modules" });
    await copyStorePackages(packageFolder(), draft);
  });
  return true;
}

/** Fills a folder of `versions` in one step: an interrupted copy leaves no half version. */
export async function placeVersion(folder: string, fill: (draft: string) => Promise<void>): Promise<void> {
  const draft = join(dirname(folder), `.${basename(folder)}.${process.pid}.part`);
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  try {
    rmSync(draft, { recursive: true, force: true });
    await fill(draft);
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The names of bundled files contain their hashes, so two builds with the same entry file are the same. */
function isSamePackage(one: string, other: string): boolean {
  return ["package.json", "dist/cli.mjs", "dist/hook.mjs"].every((file) => {
    const [a, b] = [join(one, file), join(other, file)];
    return existsSync(a) && existsSync(b) && readFileSync(a, "utf8") === readFileSync(b, "utf8");
  });
}
