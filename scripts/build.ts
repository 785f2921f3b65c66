import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build } from "tsdown";

/**
 * `npm run build`: bundles the package into `dist`, with declarations and the console. Libraries are bundled too, so
 * the installed package needs no other one; the optional ones (`peerDependencies`) are loaded from the user's project.
 */

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");
const SRC = join(ROOT, "src");

type Package = {
  readonly exports: Readonly<Record<string, string | { readonly "conduct-source"?: string }>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
};
const stated = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Package;

/** The public entry points: `dist` name by source file. */
export const PUBLIC: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(stated.exports).flatMap(([path, target]) =>
    typeof target === "string" || target["conduct-source"] === undefined
      ? []
      : [[path === "." ? "index" : path.slice(2), join(ROOT, target["conduct-source"])] as const],
  ),
);

/** Programs and plugins that are started by their path; see `programFile`. */
const PROGRAMS: Readonly<Record<string, string>> = {
  cli: "apps/cli/line/run-command-line.ts",
  hook: "apps/cli/commands/hook/codex.ts",
  "hook-alone": "apps/cli/commands/hook/alone.ts",
  "replay-worker": "apps/learning/replay/replay-worker.ts",
  "opencode-plugin": "edge/adapters/opencode/plugin.ts",
  "pi-plugin": "edge/adapters/pi-extension/extension.ts",
  "openclaw-load": "edge/adapters/openclaw/load.ts",
  "openclaw-plugin/index": "edge/adapters/openclaw/plugin/index.ts",
  "kit-mcp-server": "testing/kit/mcp-server.ts",
};

/** Files that are copied as they are. */
const COPIES: Readonly<Record<string, string>> = {
  "conduct.mjs": "apps/cli/conduct.mjs",
  "network-bridge.mjs": "edge/host/sandbox/network-bridge.mjs",
  etc: "edge/host/sandbox/etc",
  "openclaw-plugin/openclaw.plugin.json": "edge/adapters/openclaw/plugin/openclaw.plugin.json",
};

/** Of pi-ai, only the providers of real models are left to the user's installation: the demo model runs without it. */
const PI = "@earendil-works/pi-ai";
const optional = Object.keys(stated.peerDependencies).filter((name) => name !== PI);
const external = [
  ...[...optional, "openclaw"].map((name) => new RegExp(`^${name}(/|$)`)),
  new RegExp(`^${PI}/(providers/all|api/)`),
];
const common = {
  outDir: DIST,
  format: "esm",
  platform: "node",
  target: "node24",
  clean: false,
  config: false,
  cwd: ROOT,
  report: false,
  logLevel: "warn",
} as const;

/** Every module of the bundle, for the licence file. */
const bundled = new Set<string>();

if (import.meta.main && process.argv.includes("--types")) {
  await declareTypes();
} else if (import.meta.main) {
  rmSync(DIST, { recursive: true, force: true });
  mkdirSync(DIST, { recursive: true });
  await bundlePrograms();
  for (const [name, source] of Object.entries(COPIES)) {
    mkdirSync(dirname(join(DIST, name)), { recursive: true });
    cpSync(join(SRC, source), join(DIST, name), { recursive: true });
  }
  if (!process.argv.includes("--no-types")) await declareTypes();
  buildConsole();
  writeFileSync(join(DIST, "THIRD-PARTY-LICENSES.txt"), licences());
}

async function bundlePrograms(): Promise<void> {
  const programs = Object.entries(PROGRAMS).map(([name, source]) => [name, join(SRC, source)]);
  const { hook, ...others } = Object.fromEntries(programs) as Record<string, string>;
  if (hook === undefined) throw new Error("the hook is missing in PROGRAMS");
  const shared = { ...common, dts: false, minify: "dce-only", sourcemap: true } as const;
  const plugins = [{ name: "packages", moduleParsed: ({ id }: { readonly id: string }) => void bundled.add(id) }];
  // A runtime waits for the hook at every call, so it is one bundle of its own.
  for (const entry of [{ hook }, { ...PUBLIC, ...others }]) {
    await build({ ...shared, entry, plugins, deps: { alwaysBundle: [/^[^.]/], neverBundle: [/^node:/, ...external] } });
  }
  // Maps of the token tables are larger than the tables and help nobody.
  for (const map of globSync("{o200k,cl100k}*.map", { cwd: DIST })) rmSync(join(DIST, map));
}

async function declareTypes(): Promise<void> {
  // Types of packages are not copied: users of such a subpath have the package. Only zod's are, for the client's routes.
  const zod = {
    name: "zod-types",
    resolveId: (id: string) => (id === "zod" ? join(ROOT, "node_modules/zod/index.d.ts") : undefined),
  };
  await build({
    ...common,
    entry: { ...PUBLIC },
    plugins: [zod],
    deps: { alwaysBundle: [/^zod$/], neverBundle: [/^(?!zod$)[^./]/] },
    dts: { emitDtsOnly: true, tsgo: true, sourcemap: false },
  });
  for (const name of globSync("*.d.mts", { cwd: DIST })) {
    const path = join(DIST, name);
    // Declarations have no side effects, but the bundler keeps the imports of the code they come from.
    const text = readFileSync(path, "utf8").replaceAll(/^import "[^"]+";\n/gm, "");
    const usesNode = /\bNodeJS\.|\bBuffer\b|from "node:/.test(text);
    writeFileSync(path, usesNode ? `/// <reference types="node" />\n${text}` : text);
  }
}

function buildConsole(): void {
  const env = { ...process.env, CONDUCT_CONSOLE_OUT: join(DIST, "console"), NODE_ENV: "production" };
  const vite = join(ROOT, "node_modules/vite/bin/vite.js");
  const { status } = spawnSync(process.execPath, [vite, "build", join(ROOT, "console"), "--logLevel", "warn"], {
    cwd: ROOT,
    env,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("the console could not be built");
}

/** The licences of the bundled packages. */
function licences(): string {
  const folders = new Set<string>();
  for (const id of bundled) {
    const at = id.lastIndexOf("/node_modules/");
    if (at < 0) continue;
    const [first = "", second = ""] = id.slice(at + "/node_modules/".length).split("/");
    folders.add(`${id.slice(0, at)}/node_modules/${first.startsWith("@") ? `${first}/${second}` : first}`);
  }
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(basename(entry)));
    const text = file !== undefined && existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8") : "";
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return `Conduct contains these packages.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`;
}
