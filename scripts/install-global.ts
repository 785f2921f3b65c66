import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/**
 * `npm run install:global`: packs this checkout and installs it globally, as `npm install -g agent-conduct` does with the
 * published package. `conduct` is on the PATH afterwards.
 */

const OLDEST = 24;
// `npm run` puts the project's own Node first; `conduct` will run with the user's.
const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
const env = { ...process.env, PATH: path.join(delimiter) };

const { stdout = "" } = spawnSync("node", ["--version"], { env, encoding: "utf8" });
const version = (stdout ?? "").trim();
if (!(Number(/^v(\d+)/.exec(version)?.[1]) >= OLDEST)) {
  fail(
    `Conduct needs Node ${OLDEST} or newer on your PATH, and found ${version === "" ? "none" : version}.`,
    `Install it, for example: npm install -g node@${OLDEST}`,
  );
}

const folder = mkdtempSync(join(tmpdir(), "conduct-pack-"));
try {
  console.log("packing Conduct (about 20 seconds) …");
  run("npm", ["pack", "--loglevel=error", "--pack-destination", folder], process.env);
  const [file] = readdirSync(folder);
  if (file === undefined) fail("npm pack made no file.", "Run it by hand: npm pack");
  console.log("installing it …");
  run("npm", ["install", "-g", "--no-audit", "--no-fund", "--loglevel=error", join(folder, file)], env);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log("\n  ✓ conduct is installed\n\n  next   conduct init\n  help   conduct --help\n");

function run(command: string, args: readonly string[], withEnv: NodeJS.ProcessEnv): void {
  const { status, stderr } = spawnSync(command, args, { env: withEnv, encoding: "utf8", maxBuffer: 64 << 20 });
  if (status === 0) return;
  console.error(stderr);
  fail(`${command} ${args[0]} failed; the lines above say why.`, "Correct that, then run it again.");
}

function fail(message: string, fix: string): never {
  console.error(`\n  ✗ ${message}\n    ${fix}\n`);
  process.exit(1);
}
