import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");
const PROGRAM = join(ROOT, "dist/conduct.mjs");

/** Names the folder of the installed package for the processes of the tests. */
export const PACKAGE_VARIABLE = "CONDUCT_COMPAT_PACKAGE";

/** Before all tests: builds the package and installs it as `npm install -g` leaves it. */
export default function installPackage(): () => void {
  if (isStale()) build();
  const prefix = mkdtempSync(join(tmpdir(), "conduct-package-"));
  const folder = join(prefix, "lib/node_modules/agent-conduct");
  mkdirSync(folder, { recursive: true });
  const { files }: { readonly files: readonly string[] } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  for (const file of ["package.json", ...files.map((name) => name.replace(/^\//, ""))]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file), { recursive: true, filter: (path) => !path.endsWith(".map") });
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  process.env[PACKAGE_VARIABLE] = folder;
  return () => rmSync(prefix, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

function isStale(): boolean {
  if (!existsSync(PROGRAM)) return true;
  const built = statSync(PROGRAM).mtimeMs;
  return globSync(["src/**/*", "package.json"], { cwd: ROOT }).some(
    (file) => statSync(join(ROOT, file)).mtimeMs > built,
  );
}

function build(): void {
  const script = [join(ROOT, "scripts/build.ts"), "--no-types"];
  const { status, stderr } = spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", ...script], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the package cannot be built: ${stderr}`);
}
