import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** `npm run compat [-- NAME…]`: installs the real runtimes where they are missing, and runs the kit against them. */

const root = resolve(import.meta.dirname, "..");
const compat = join(root, "compat");
const names = process.argv.slice(2);
const known = readdirSync(compat, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(compat, entry.name, "driver.ts")))
  .map((entry) => entry.name);

const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) fail(`no runtime '${unknown.join("', '")}' in compat/; there are: ${known.join(", ")}`);
const chosen = names.length === 0 ? known : names;
for (const name of chosen) if (!installed(name)) install(name, 3);
run("types of the adapters against the runtimes' own", join(root, "node_modules/.bin/tsc"), ["--noEmit", "-p", compat]);
const only = names.map((name) => `${name}/`);
const vitest = join(root, "node_modules/vitest/vitest.mjs");
run("the conformance kit", process.execPath, [vitest, "run", "--config", join(compat, "vitest.config.ts"), ...only]);

/** Are the versions there that the runtime's package.json names? One without a package.json runs on what the checkout has. */
function installed(name: string): boolean {
  const folder = join(compat, name);
  if (!existsSync(join(folder, "package.json"))) return true;
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return Object.entries(dependencies).every(([dependency, version]) => {
    const manifest = join(folder, "node_modules", dependency, "package.json");
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === version;
  });
}

/** The registry may hiccup: what fails once is tried again. Not `npm ci`: it wants platform packages that the registry lacks. */
function install(name: string, tries: number): void {
  console.log(`compat: installing ${name} (up to 850 MB, up to a minute)…`);
  const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: join(compat, name),
    stdio: "inherit",
  });
  if (status === 0) return;
  if (tries <= 1) fail(`${name} could not be installed; see npm's output above`);
  install(name, tries - 1);
}

function run(what: string, command: string, args: readonly string[]): void {
  console.log(`compat: ${what}`);
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) fail(`${what} failed`);
}

function fail(message: string): never {
  console.error(`compat: ${message}`);
  process.exit(1);
}
