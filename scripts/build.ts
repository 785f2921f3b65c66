import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build, type InlineConfig } from "tsdown";
import { missingInBun } from "./bun-imports.ts";

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
  hook: "apps/cli/commands/hook/run-hook.ts",
  "hook-alone": "apps/cli/commands/hook/alone.ts",
  "replay-worker": "apps/learning/replay/replay-worker.ts",
  "review-worker": "apps/learning/review/review-worker.ts",
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
const PI_SCOPE = "@earendil-works/";
const PI = `${PI_SCOPE}pi-ai`;
const optional = Object.keys(stated.peerDependencies).filter((name) => !name.startsWith(PI_SCOPE));
const external = [
  ...[...optional, "openclaw"].map((name) => new RegExp(`^${name}(/|$)`)),
  new RegExp(`^${PI}/(providers/all|api/)`),
];
/** Libraries that an import of the package must not load: most of the parsing, and only some agents need them. */
const LAZY = ["yaml", "unbash", "re2js", "@marcbachmann/cel-js"];
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

/**
 * Each file takes 0.3 ms to load, so the modules that the quick commands share are one file: those of every command,
 * those of the commands on the contract, and those of the commands on decisions. OpenCode's Bun loads them too, and has no `node:sqlite`.
 */
const COMMAND = "apps/cli/commands";
const QUICK = [
  ...["line/run-command-line", "stores/with-store", "stores/config-text"].map((name) => `apps/cli/${name}`),
  ...[`${COMMAND}/status/status`, `${COMMAND}/policy/check`],
];
const CONTRACT = [
  ...["rules/list", "rules/rules-here", "behavior/show"].map((name) => `${COMMAND}/${name}`),
  "apps/cli/declared/contract-commands",
  "edge/stores/sql/readers/sqlite-governance-reader",
  ...["search-words", "sql/dialects/sqlite-errors"].map((name) => `edge/stores/${name}`),
];
const DECISIONS = [
  ...["why/why", "replay/replay"].map((name) => `${COMMAND}/${name}`),
  ...["engine/journal/section-writer", "engine/journal/event-json", "engine/moments/gather"],
  "behavior/session/snapshot/snapshot-delta",
];
/** Small files that programs without a store use, too. */
const ALONE = ["base/kernel/optional-package", "edge/stores/seal/seal", "edge/stores/sql/dialects/sqlite-file"];
/** The store with its query builder: 24 files otherwise, and each command on sessions loads them all. */
const STORE = ["sql-store", "dialects/sqlite-dialect", "dialects/sqlite-writer"].map(
  (name) => `edge/stores/sql/${name}`,
);
const CHUNKS = Object.entries({
  quick: QUICK,
  contract: CONTRACT,
  decisions: DECISIONS,
  ...Object.fromEntries(ALONE.map((name) => [basename(name), [name]])),
  store: STORE,
}).map(([name, modules]) => ({
  name,
  test: (id: string) => modules.some((module) => id === join(SRC, `${module}.ts`)),
}));

/** Modules that load much; their functions load them at the first call. */
const LATE = [
  "node:crypto",
  "node:fs/promises",
  "node:child_process",
  "node:readline",
  "node:timers/promises",
  "node:net",
];

/** Every module of the bundle, for the licence file. */
const bundled = new Set<string>();
const SEEN = { name: "packages", moduleParsed: ({ id }: { readonly id: string }) => void bundled.add(id) };

if (import.meta.main && process.argv.includes("--types")) {
  await declareTypes();
} else if (import.meta.main) {
  rmSync(DIST, { recursive: true, force: true });
  mkdirSync(DIST, { recursive: true });
  await bundlePrograms();
  const missing = missingInBun(DIST);
  if (missing.length > 0)
    throw new Error(`OpenCode runs its plugin in Bun, which does not have: ${missing.join("; ")}`);
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
  const deps = { alwaysBundle: [/^[^.]/], neverBundle: [/^node:/, ...external] };
  const shared: InlineConfig = { ...common, deps, dts: false, minify: "dce-only", sourcemap: true };
  const plugins = [SEEN, await splitLibraries(shared)];
  // A runtime waits for the hook at every call, so it is one bundle of its own.
  for (const entry of [{ hook }, { ...PUBLIC, ...others }])
    await build({
      ...shared,
      entry,
      plugins,
      outputOptions: { codeSplitting: { groups: CHUNKS }, comments: false },
      checks: { ineffectiveDynamicImport: false },
    });
  const facades = readFacades();
  for (const name of globSync("**/*.mjs", { cwd: DIST }).filter((name) => !name.startsWith("library-"))) {
    const code = readFileSync(join(DIST, name), "utf8");
    writeFileSync(join(DIST, name), asAscii(withoutFacades(withLightBuiltins(code), facades)));
  }
  // Maps of the token tables are larger than the tables and help nobody.
  for (const map of globSync("{o200k,cl100k}*.map", { cwd: DIST })) {
    rmSync(join(DIST, map));
    const table = join(DIST, map.replace(/\.map$/, ""));
    writeFileSync(table, readFileSync(table, "utf8").replace(/\/\/# sourceMappingURL=.*\s*$/, ""));
  }
}

/**
 * An `import` of a Node module reads each of its exports: with `node:fs` that loads the streams (5 ms), with
 * `node:crypto` every algorithm (7 ms). `getBuiltinModule` reads the named ones. Lines stay lines, for the source maps.
 */
function withLightBuiltins(code: string): string {
  return code.replaceAll(/^import \{ (.*) \} from "(node:.*)";$/gm, (_, list: string, id: string) => {
    const names = list.split(", ").map((one) => one.split(" as "));
    const isLate = ([name = ""]: readonly string[]) => LATE.includes(id) && /^[a-z]/.test(name);
    const now = names.filter((one) => !isLate(one)).map((one) => one.join(": "));
    const load = `process.getBuiltinModule("${id}")`;
    const late = names.filter(isLate).map(([name = "", as = name]) => {
      const real = `${load}.${name}`;
      return `const ${as} = new Proxy(() => {}, { apply: (_, self, args) => Reflect.apply(${real}, self, args), get: (_, key) => ${real}[key] });`;
    });
    return [...(now.length === 0 ? [] : [`const { ${now.join(", ")} } = ${load};`]), ...late].join(" ");
  });
}

/** Files that only pass on names of another one, as a bundler makes them for a module that is part of a larger file. */
type Facades = ReadonlyMap<string, { readonly from: string; readonly names: readonly (readonly [string, string])[] }>;

function readFacades(): Facades {
  const found = globSync("*.mjs", { cwd: DIST }).flatMap((file) => {
    const match = /^export \{ (.*) \} from "\.\/(.*)";\s*$/.exec(readFileSync(join(DIST, file), "utf8"));
    const names = match?.[1]?.split(", ").map((one) => one.split(" as "));
    return names === undefined
      ? []
      : [
          [
            file,
            { from: match?.[2] ?? "", names: names.map(([local = "", as = local]) => [local, as] as const) },
          ] as const,
        ];
  });
  return new Map(found);
}

/** Each file takes 0.3 ms to load, so an `import()` of a facade asks the real file. */
function withoutFacades(code: string, facades: Facades): string {
  return code.replaceAll(/import\("\.\/([^"]+)"\)/g, (whole, file: string) => {
    const facade = facades.get(file);
    if (facade === undefined) return whole;
    const names = facade.names.map(([local, as]) => `${as}: library.${local}`);
    return `import("./${facade.from}").then((library) => ({ ${names.join(", ")} }))`;
  });
}

/** Node reads a file of ASCII only as one byte a character, which halves the work of loading it. */
function asAscii(code: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return code.replaceAll(/[^\0-\x7F]/g, escaped);
}

/**
 * Bundles each of `LAZY` into a file of its own, and returns a plugin that replaces it by functions and classes that load
 * that file when they are first called. The file has no imports, so that loading it synchronously cannot meet an
 * `import()` that is still under way.
 */
async function splitLibraries(options: InlineConfig) {
  const stubs = new Map<string, string>();
  for (const name of LAZY) {
    const all = Object.entries((await import(name)) as object);
    const names = all.flatMap(([key, value]) => (typeof value === "function" && key !== "default" ? [key] : []));
    const file = `library-${basename(name)}`;
    const entry = {
      name: "library",
      resolveId: (id: string) => (id === file ? `\0${file}` : undefined),
      load: (id: string) => (id === `\0${file}` ? `export { ${names} } from "${name}";` : undefined),
    };
    await build({ ...options, minify: true, sourcemap: false, entry: { [file]: file }, plugins: [SEEN, entry] });
    const exports = names.map((key) => `export const ${key} = /* @__PURE__ */ lazy((library) => library.${key});`);
    stubs.set(
      name,
      `import { createRequire } from "node:module";
let library;
const load = () => (library ??= createRequire(import.meta.url)("./${file}.mjs"));
const lazy = (pick) => new Proxy(function () {}, {
  apply: (_, self, args) => Reflect.apply(pick(load()), self, args),
  construct: (_, args) => new (pick(load()))(...args),
  get: (_, key) => pick(load())[key],
});
${exports.join("\n")}`,
    );
  }
  return {
    name: "lazy-libraries",
    resolveId: (id: string) => (stubs.has(id) ? { id: `\0lazy:${id}`, moduleSideEffects: false } : undefined),
    load: (id: string) => stubs.get(id.replace("\0lazy:", "")),
  };
}

async function declareTypes(): Promise<void> {
  await build({
    ...common,
    entry: { ...PUBLIC },
    deps: { neverBundle: [/^[^./]/] },
    dts: { emitDtsOnly: true, tsgo: true, sourcemap: false },
  });
  for (const name of globSync("*.d.mts", { cwd: DIST })) {
    const path = join(DIST, name);
    const text = withoutUnused(readFileSync(path, "utf8"));
    const needed = [...text.matchAll(/(?:from |import\()"([^."][^"]*)"/g)].map(([, from = ""]) => from);
    const foreign = needed.filter(
      (from) => !from.startsWith("node:") && !(/^pi/.test(name) && from.startsWith(PI_SCOPE)),
    );
    if (foreign.length > 0) throw new Error(`${name} needs the types of ${foreign}, which users do not have`);
    const usesNode = /\bNodeJS\.|\bBuffer\b|from "node:/.test(text);
    writeFileSync(path, usesNode ? `/// <reference types="node" />\n${text}` : text);
  }
}

/** Declarations have no side effects, but the bundler keeps the imports of the code they come from. */
function withoutUnused(text: string): string {
  return text.replaceAll(/^import (?:\{ (.*) \} from )?"[^"]+";\n/gm, (line, names: string | undefined) => {
    const used = (names ?? "").split(", ").map(
      (one) =>
        one
          .split(" as ")
          .at(-1)
          ?.replace(/^type /, "") ?? "",
    );
    return used.some((one) => one !== "" && text.split(new RegExp(`\\b${one.replace("$", "\\$")}\\b`)).length > 2)
      ? line
      : "";
  });
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
