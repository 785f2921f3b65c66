import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RuntimeDriver } from "../src/testing/kit/driver.ts";

/** A runtime that the conformance kit can drive; `compat/drivers.ts` lists them. */
export type Runtime = {
  /** Folder in `compat/` with its driver and tests. */
  readonly name: string;
  /** The package whose installed version is tested. */
  readonly package: string;
  /** Key in its package.json with the version of the bundled runtime, if it contains one. */
  readonly versionKey?: string;
  /** Folders whose packages it needs. A folder without a package.json uses the checkout's packages. */
  readonly folders: readonly string[];
  /** How the tests set it up: what a reader has to do to get the same. */
  readonly setUp: string;
  /** Returns every way to run it, the usual one first. */
  load(): Promise<readonly RuntimeDriver[]>;
};

const root = resolve(import.meta.dirname, "..");
export const COMPAT = join(root, "compat");

/** Returns the folders in which a version named by package.json is missing. */
export function missingFolders({ folders }: Pick<Runtime, "folders">): readonly string[] {
  return folders.filter((folder) =>
    Object.entries(dependenciesOf(folder)).some(
      ([dependency, version]) => versionAt(join(COMPAT, folder), dependency) !== version,
    ),
  );
}

export function installedVersion({ package: name, versionKey, folders }: Omit<Runtime, "load">): string {
  const places = [...folders.map((folder) => join(COMPAT, folder)), root];
  const versions = places.map((place) => versionAt(place, name, versionKey));
  return versions.find((version) => version !== undefined) ?? "unknown";
}

/** Returns folders with a driver that is not listed, whose runtimes would not be tested. */
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
