import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { packageFolder } from "../../../../edge/host/node/package-files.ts";
import type { ConsolePlace } from "./serve-console.ts";

const SOURCES = ["index.html", "vite.config.ts", "public/**/*", "src/**/*"];
/** Files outside console/ that the console bundles; other imports are types only. */
const SHARED = [
  "src/apps/gateway/client.ts",
  "src/apps/shared/diff-lines.ts",
  "src/behavior/contract/directive-check.ts",
  "src/base/kernel/{duration,json}.ts",
  "src/base/kernel/capability-meaning.ts",
  "docs/schema/rules.schema.json",
];
/** Older builds are deleted after this time, because running processes may still serve them. */
const OLD_MS = 24 * 3_600_000;

export type ConsoleBuild =
  | { readonly kind: "ready"; readonly folder: string; readonly built: boolean }
  /** `folder`: an older build to serve instead. */
  | { readonly kind: "failed"; readonly message: string; readonly fix: string; readonly folder?: string };

/**
 * Returns the console's folder for the current sources, and builds it if missing. Each folder is named after its
 * source hash, so running gateways and concurrent builds do not interfere.
 */
export async function readyConsole({
  root = packageFolder(),
  building = () => undefined,
  build = runVite,
}: {
  readonly root?: string;
  /** Called before a build starts. */
  readonly building?: () => void;
  /** Returns why the build failed, or undefined if it succeeded. */
  readonly build?: (root: string, out: string) => Promise<string | undefined>;
} = {}): Promise<ConsoleBuild> {
  if (!existsSync(join(root, "console", "index.html"))) {
    const shipped = join(root, "dist", "console");
    if (existsSync(join(shipped, "index.html"))) return { kind: "ready", folder: shipped, built: false };
    return { kind: "failed", message: "the console is missing in this package", fix: "reinstall Conduct" };
  }
  const place = join(root, ".cache", "console");
  const hash = await hashSources(root);
  const folder = join(place, hash);
  if (existsSync(join(folder, "index.html"))) return { kind: "ready", folder, built: false };
  building();
  const draft = join(place, `.${hash}-${process.pid}-${process.hrtime.bigint()}`);
  await mkdir(place, { recursive: true });
  const failure = await build(root, draft);
  if (failure !== undefined) {
    await rm(draft, { recursive: true, force: true });
    const older = await newestBuild(place);
    const fix = "npm install, then: npm run build:console";
    return { kind: "failed", message: failure, fix, folder: older };
  }
  // If another process was faster, use its build.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  await dropOld(place, hash);
  return { kind: "ready", folder, built: true };
}

/** Builds at most once per process. After a failure it only checks whether another process has built the console. */
export function consolePlaces(report: (line: string) => void): () => Promise<ConsolePlace> {
  let tried = false;
  return async () => {
    const again = { build: async () => "the build failed when the gateway started" };
    const building = () => report("building the console (once; takes a few seconds) …");
    const found = await readyConsole(tried ? again : { building });
    if (found.kind === "ready") return { folder: found.folder };
    if (!tried) report(`${found.message}\n${found.fix}; the API is available anyway`);
    tried = true;
    return found.folder === undefined ? { missing: found.message } : { folder: found.folder };
  };
}

/** Equal sources give equal hashes on every machine. */
export async function hashSources(root: string): Promise<string> {
  const own = join(root, "console");
  const found = globSync(SOURCES, { cwd: own, withFileTypes: true })
    // Tests do not change the served files.
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  const files = [...found, ...globSync(SHARED, { cwd: root }).map((file) => join(root, file))].sort();
  const hash = createHash("sha256");
  for (const file of files) {
    const text = await readFile(file);
    hash.update(`${relative(root, file).replaceAll("\\", "/")}\0${text.length}\0`).update(text);
  }
  return hash.digest("hex").slice(0, 16);
}

/** Returns why the build failed, or undefined. Runs in its own process, so that the bundler's memory is freed. */
function runVite(root: string, out: string): Promise<string | undefined> {
  const vite = resolve(root, "node_modules/vite/bin/vite.js");
  if (!existsSync(vite)) return Promise.resolve("vite, which builds the console, is not installed");
  return new Promise((done) => {
    const child = spawn(process.execPath, [vite, "build", join(root, "console"), "--logLevel", "error"], {
      cwd: root,
      env: { ...process.env, CONDUCT_CONSOLE_OUT: out, NODE_ENV: "production" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += String(text)));
    child.once("error", (error) => done(error.message));
    child.once("close", (code) => {
      const why = said.trim().split("\n").slice(0, 6).join("\n");
      done(code === 0 ? undefined : `building the console failed: ${why || `exit code ${code}`}`);
    });
  });
}

async function newestBuild(place: string): Promise<string | undefined> {
  const found = await builds(place);
  return found.sort((a, b) => b.at - a.at)[0]?.folder;
}

async function dropOld(place: string, keep: string): Promise<void> {
  const now = (await stat(join(place, keep)).catch(() => undefined))?.mtimeMs ?? 0;
  for (const { folder, at } of await builds(place)) {
    if (folder !== join(place, keep) && now - at > OLD_MS) await rm(folder, { recursive: true, force: true });
  }
}

async function builds(place: string): Promise<{ readonly folder: string; readonly at: number }[]> {
  const names = await readdir(place).catch(() => []);
  const found = names
    .filter((name) => !name.startsWith("."))
    .map(async (name) => {
      const about = await stat(join(place, name, "index.html")).catch(() => undefined);
      return about === undefined ? [] : [{ folder: join(place, name), at: about.mtimeMs }];
    });
  return (await Promise.all(found)).flat();
}
