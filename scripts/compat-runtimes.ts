import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RuntimeDriver } from "../src/testing/kit/driver.ts";

/** A runtime that the kit can drive; `compat/drivers.ts` lists them. */
export type Runtime = {
  /** The folder in `compat/` that has its driver and tests. */
  readonly name: string;
  /** What is proven on it is proven for this package in the version that is installed. */
  readonly package: string;
  /** Where its package.json tells the version of what runs, when that is something it brings along. */
  readonly versionKey?: string;
  /** The folders whose packages it needs. One without a package.json runs on what the checkout has. */
  readonly folders: readonly string[];
  /** Every way to run it, the usual one first. */
  load(): Promise<readonly RuntimeDriver[]>;
};

const root = resolve(import.meta.dirname, "..");
export const COMPAT = join(root, "compat");

/** The folders that lack a version that their package.json names. */
export function missingFolders({ folders }: Pick<Runtime, "folders">): readonly string[] {
  return folders.filter((folder) =>
    Object.entries(dependenciesOf(folder)).some(
      ([dependency, version]) => versionAt(join(COMPAT, folder), dependency) !== version,
    ),
  );
}

/** The version that runs. */
export function installedVersion({ package: name, versionKey, folders }: Omit<Runtime, "load">): string {
  const places = [...folders.map((folder) => join(COMPAT, folder)), root];
  const versions = places.map((place) => versionAt(place, name, versionKey));
  return versions.find((version) => version !== undefined) ?? "unknown";
}

/** Folders with a driver that the list lacks: their runtimes would be proven by nobody. */
export function unlisted(runtimes: readonly Pick<Runtime, "name">[]): readonly string[] {
  const listed = new Set(runtimes.map(({ name }) => name));
  return readdirSync(COMPAT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(COMPAT, entry.name, "driver.ts")))
    .map(({ name }) => name)
    .filter((name) => !listed.has(name));
}

function dependenciesOf(folder: string): { readonly [dependency: string]: string } {
  const manifest = join(COMPAT, folder, "package.json");
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, "utf8")).dependencies : {};
}

function versionAt(place: string, dependency: string, key = "version"): string | undefined {
  const manifest = join(place, "node_modules", dependency, "package.json");
  return existsSync(manifest) ? String(JSON.parse(readFileSync(manifest, "utf8"))[key]) : undefined;
}
