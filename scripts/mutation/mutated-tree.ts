import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { COMPOSITION_ROOTS } from "./composition-roots.ts";
import { type Mutant, withMutants } from "./mutants.ts";

const ROOT = join(import.meta.dirname, "../..");
/** The copies outlive a run, so that an interrupted one continues. A sandbox does not show programs below /tmp. */
const PLACE = join(ROOT, ".cache/mutants");

/**
 * Defines the switch: a file next to `dist` or `src` names the mutant that is on, or the file to which the reached ones
 * are written.
 */
const PRELUDE = `
import { appendFileSync as __append, readFileSync as __read } from "node:fs";
const __at = decodeURIComponent(new URL(import.meta.url).pathname).split(/\\/(?:dist|src)\\//)[0];
const __chosen = (() => { try { return __read(__at + "/mutant", "utf8").trim(); } catch { return ""; } })();
const __seen = new Set();
function __conductMutant(id) {
  if (!__chosen.startsWith("/")) return __chosen === id;
  if (!__seen.has(id)) __append(__chosen, id + "\\n");
  __seen.add(id);
  return false;
}`;

export type MutatedTree = {
  readonly mutants: readonly Mutant[];
  /** One copy of the tree for each test runner; the checkout is never changed. */
  readonly folders: readonly string[];
  /** Changes with the sources that were built. */
  readonly key: string;
};

/** The mutants of the composition roots, without building anything. */
export function findMutants(): readonly Mutant[] {
  return Object.entries(COMPOSITION_ROOTS).flatMap(
    ([file, functions]) => withMutants(file, readFileSync(join(ROOT, file), "utf8"), "", functions).mutants,
  );
}

/** Changes with the sources that are built. */
function sourcesKey(): string {
  const sources = globSync(["src/**/*", "scripts/build*", "package.json"], { cwd: ROOT, withFileTypes: true })
    .filter((one) => one.isFile() && !/\.test\.ts$/.test(one.name))
    .map((one) => join(one.parentPath, one.name))
    .sort();
  const hash = createHash("sha256").update(JSON.stringify(COMPOSITION_ROOTS));
  for (const file of sources) hash.update(readFileSync(file));
  return hash.digest("hex").slice(0, 12);
}

/** A folder that is kept while the sources stay the same. */
export function keptFolder(name: string): string {
  return join(PLACE, sourcesKey(), name);
}

/** Copies the tree, puts every mutant behind its switch and builds it once. An existing build of the same sources is reused. */
export function mutatedTree(count: number): MutatedTree {
  const key = sourcesKey();
  const folders = Array.from({ length: count }, (_, at) => join(PLACE, key, String(at)));
  mkdirSync(PLACE, { recursive: true, mode: 0o700 });
  for (const old of readdirSync(PLACE)) if (old !== key) rmSync(join(PLACE, old), { recursive: true, force: true });
  const mutants = findMutants();
  const [first = ""] = folders;
  if (!existsSync(join(first, "built"))) {
    rmSync(first, { recursive: true, force: true });
    copyTree(first);
    for (const [file, functions] of Object.entries(COMPOSITION_ROOTS)) {
      const { text } = withMutants(file, readFileSync(join(ROOT, file), "utf8"), PRELUDE, functions);
      writeFileSync(join(first, file), text);
    }
    writeFileSync(join(first, "mutant"), "");
    const build = ["--disable-warning=ExperimentalWarning", "scripts/build.ts", "--no-types"];
    const built = spawnSync(process.execPath, build, { cwd: first, encoding: "utf8" });
    if (built.status !== 0) throw new Error(`the build of the mutants failed:\n${built.stdout}${built.stderr}`);
    writeFileSync(join(first, "built"), "");
  }
  for (const folder of folders.slice(1))
    if (!existsSync(folder)) cpSync(first, folder, { recursive: true, verbatimSymlinks: true });
  // Tests may have changed since the build.
  for (const folder of folders) cpSync(join(ROOT, "wiring"), join(folder, "wiring"), { recursive: true });
  for (const folder of folders) cpSync(import.meta.dirname, join(folder, "scripts/mutation"), { recursive: true });
  return { mutants, folders, key };
}

/** The files of the checkout, with its packages. */
export function copyTree(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const copied = `git ls-files -z -co --exclude-standard | xargs -0 sh -c 'for f; do [ -e "$f" ] && printf "%s\\0" "$f"; done' _ | tar --null -T - -cf - | tar -xf - -C "$0"`;
  execFileSync("sh", ["-c", copied, folder], { cwd: ROOT });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
}
