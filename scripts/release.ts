import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * `npm run release -- VERSION --dry-run`: checks everything that a release needs, and prints the commands that publish it.
 * The script never publishes. `--fast` skips the tests of the package.
 */

const ROOT = join(import.meta.dirname, "..");
type Manifest = {
  readonly version: string;
  readonly private?: boolean;
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
  readonly dependencies?: object;
};

const [version = ""] = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const isFast = process.argv.includes("--fast");
if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) || !process.argv.includes("--dry-run")) {
  console.error(
    "\n  usage: npm run release -- VERSION --dry-run\n  It checks the release and prints the commands that publish it.\n",
  );
  process.exit(2);
}

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
const changelog = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
const problems: string[] = [];

check(
  "version",
  manifest.version === version,
  `package.json says ${manifest.version}`,
  `npm version ${version} --no-git-tag-version`,
);
check(
  "changelog",
  changelog.includes(`## ${version}`),
  `CHANGELOG.md has no section '## ${version}'`,
  "describe the release there",
);
check("clean tree", output("git", ["status", "--porcelain"]) === "", "there are uncommitted changes", "commit them");
check(
  "tag",
  output("git", ["tag", "--list", `v${version}`]) === "",
  `the tag v${version} exists`,
  "choose another version",
);
const { access, provenance } = manifest.publishConfig ?? {};
const isReady = manifest.private !== true && access === "public" && provenance === true;
const upgrade = readFileSync(join(ROOT, "src/apps/cli/commands/lifecycle/upgrade.ts"), "utf8");
const asksRegistry = upgrade.includes("const IS_PUBLISHED = true");
check("upgrade", asksRegistry, "conduct upgrade says that nothing is published", "set IS_PUBLISHED in upgrade.ts");
check("settings", isReady, "package.json cannot be published with provenance", "set publishConfig, remove private");
check(
  "dependencies",
  Object.keys(manifest.dependencies ?? {}).length === 0,
  "the package has dependencies",
  "bundle them",
);
if (problems.length === 0 && !isFast) {
  const { status } = spawnSync("npm", ["run", "-s", "test:package"], { cwd: ROOT, stdio: "inherit" });
  check("package", status === 0, "npm run test:package failed", "see above");
}

if (problems.length > 0) {
  console.error(`\n  ${problems.length} problem${problems.length === 1 ? "" : "s"}; nothing was published.\n`);
  process.exit(1);
}
console.log(`
  Ready. Nothing was published. To publish ${version}:

    git tag v${version} && git push origin v${version}
    npm publish${version.includes("-") ? " --tag next" : ""}

  npm signs the provenance only in a CI job with an OIDC token; elsewhere add --no-provenance.
`);

function check(what: string, holds: boolean, problem: string, fix: string): void {
  console.log(holds ? `  ✓ ${what}` : `  ✗ ${what.padEnd(12)} ${problem}\n    do: ${fix}`);
  if (!holds) problems.push(what);
}

function output(command: string, args: readonly string[]): string {
  const { status, stdout } = spawnSync(command, args, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed`);
  return stdout.trim();
}
