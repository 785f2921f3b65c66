import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { CoverageColumn } from "../src/base/words/hosting/capability.ts";
import { COMPAT, installedVersion, missingFolders, type Runtime, unlisted } from "./compat-runtimes.ts";
import { columnOf, mergeCoverage, type TestResult } from "./coverage.ts";
import { renderCoverage } from "./coverage-page.ts";

/**
 * `npm run compat [-- NAME…]`: installs missing runtimes, runs the conformance kit against them, and writes the
 * results to docs/coverage.json and docs/coverage.md. With names, only the columns of those runtimes are updated.
 */

const root = resolve(import.meta.dirname, "..");
const MAP = join(root, "docs/coverage.json");
const PAGE = join(root, "docs/coverage.md");
const folder = mkdtempSync(join(tmpdir(), "conduct-compat-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

// The name is computed, so that type-checking this script needs none of the runtimes' types.
const { RUNTIMES }: { readonly RUNTIMES: readonly Runtime[] } = await import(
  pathToFileURL(join(COMPAT, "drivers.ts")).href
);
const chosen = choose(process.argv.slice(2));
install(chosen);
tell("types of the adapters against the runtimes' own");
checkTypes(chosen);
tell(`the conformance kit on ${chosen.map(({ name }) => name).join(", ")}`);
const { passed, results } = runKit(chosen);
await writeMap(chosen, results);
if (!passed) fail("something that an adapter claims does not hold; see above and docs/coverage.md");

function choose(names: readonly string[]): readonly Runtime[] {
  const known = RUNTIMES.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) fail(`no runtime '${unknown.join("', '")}'; there are: ${known.join(", ")}`);
  const forgotten = unlisted(RUNTIMES);
  if (forgotten.length > 0) fail(`compat/drivers.ts does not list ${forgotten.join(", ")}: add them`);
  return names.length === 0 ? RUNTIMES : RUNTIMES.filter(({ name }) => names.includes(name));
}

function install(runtimes: readonly Runtime[]): void {
  const missing = [...new Set(runtimes.flatMap(missingFolders))];
  for (const [at, name] of missing.entries()) {
    tell(`installing ${name}, ${at + 1} of ${missing.length} (up to 850 MB, up to a minute)…`);
    installFolder(name, 3);
  }
}

/**
 * Retries, because the registry may fail temporarily. Not `npm ci`, which needs platform packages that the registry
 * lacks.
 */
function installFolder(name: string, tries: number): void {
  const status = run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], join(COMPAT, name));
  if (status === 0) return;
  if (tries <= 1) fail(`${name} could not be installed; see npm's output above`);
  installFolder(name, tries - 1);
}

/** Ignores errors in folders of runtimes that were not selected and may not be installed. */
function checkTypes(runtimes: readonly Runtime[]): void {
  const asked = new Set(runtimes.flatMap(({ name, folders }) => [name, ...folders]));
  const tsc = join(root, "node_modules/.bin/tsc");
  const { stdout } = spawnSync(tsc, ["--noEmit", "--pretty", "false", "-p", COMPAT], { cwd: root, encoding: "utf8" });
  const errors = stdout.split(/\n(?=\S)/).filter((error) => {
    const [, folder] = /^compat\/([^/]+)\//.exec(error) ?? [];
    return error.includes("error TS") && (folder === undefined || asked.has(folder));
  });
  for (const error of errors) console.error(error);
  if (errors.length > 0) fail("the types do not fit");
}

/** Runs each runtime's own tests, and those that compare all runtimes. */
function runKit(runtimes: readonly Runtime[]): { readonly passed: boolean; readonly results: readonly TestResult[] } {
  const report = join(folder, "results.json");
  const names = runtimes.map(({ name }) => name);
  const status = run(
    process.execPath,
    [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      `--config=${join(COMPAT, "vitest.config.ts")}`,
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      ...names.map((name) => join(COMPAT, name, "/")),
      join(COMPAT, "same-decisions.test.ts"),
      join(COMPAT, "told.test.ts"),
    ],
    root,
    { CONDUCT_COMPAT: names.join(",") },
  );
  if (!existsSync(report)) fail("the tests could not be run; nothing was written to docs/coverage.json");
  const files: readonly { readonly assertionResults: readonly TestResult[] }[] = JSON.parse(
    readFileSync(report, "utf8"),
  ).testResults;
  return { passed: status === 0, results: files.flatMap(({ assertionResults }) => assertionResults) };
}

async function writeMap(runtimes: readonly Runtime[], results: readonly TestResult[]): Promise<void> {
  const columns: CoverageColumn[] = [];
  for (const runtime of runtimes) {
    const about = {
      runtime: runtime.name,
      package: runtime.package,
      version: installedVersion(runtime),
      setUp: runtime.setUp,
      run: new Date().toISOString().slice(0, 10),
    };
    for (const driver of await runtime.load()) columns.push(columnOf(driver, about, results));
  }
  const before = existsSync(MAP) ? JSON.parse(readFileSync(MAP, "utf8")) : undefined;
  const map = mergeCoverage(before, columns);
  writeFileSync(MAP, `${JSON.stringify(map, null, 2)}\n`);
  writeFileSync(PAGE, renderCoverage(map));
  tell(`docs/coverage.md tells what was proven (${columns.map(({ driver }) => driver).join(", ")})`);
}

function run(command: string, args: readonly string[], cwd = root, env: NodeJS.ProcessEnv = {}): number | null {
  return spawnSync(command, args, { cwd, stdio: "inherit", env: { ...process.env, ...env } }).status;
}

function tell(message: string): void {
  console.log(`compat: ${message}`);
}

function fail(message: string): never {
  console.error(`compat: ${message}`);
  process.exit(1);
}
