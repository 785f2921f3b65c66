import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { build } from "tsdown";
import { type HookManifest, isHookBundleStale } from "../src/apps/daemon/hook-bundle.ts";

const PACKAGE = join(import.meta.dirname, "..");
const OUT = join(PACKAGE, ".cache/hook");
const MANIFEST = "hook.json";
/** A hook started before a build may still load the replaced files. */
const LEFT_MS = 60_000;

/**
 * `node scripts/build-hook.ts [--if-stale]`: bundles the hook of a checkout, which a runtime waits for on every call. The
 * bundle loads only Node's own modules. The daemon runs this; until then the hook runs from source, only slower.
 */
export async function buildHook(out: string = OUT): Promise<readonly string[]> {
  const draft = `${out}.${process.pid}`;
  const texts = new Map<string, string>();
  try {
    const bundles = await build({
      entry: { hook: join(PACKAGE, "src/apps/cli/commands/hook/run-hook.ts") },
      outDir: draft,
      format: "esm",
      platform: "node",
      target: "node24",
      minify: true,
      dts: false,
      clean: false,
      config: false,
      report: false,
      logLevel: "warn",
      plugins: [{ name: "texts", load: (id: string) => loadText(id, texts) }],
      // Named by content hash, so that a hook that starts during a build still finds its own chunks.
      outputOptions: { entryFileNames: "[name]-[hash].mjs", chunkFileNames: "[name]-[hash].mjs" },
    });
    const chunks = bundles.flatMap((bundle) => bundle.chunks).filter((chunk) => chunk.type === "chunk");
    const entry = chunks.find(({ isEntry }) => isEntry)?.fileName;
    if (entry === undefined) throw new Error("the bundler has made no hook");
    const inputs = [...new Set(chunks.flatMap(({ moduleIds }) => moduleIds))].sort();
    const made = Object.fromEntries(inputs.map((id) => [relative(PACKAGE, id), textOf(id, texts)]));
    await writeFile(join(draft, MANIFEST), JSON.stringify({ entry, made } satisfies HookManifest));
    await mkdir(out, { recursive: true });
    // The manifest is renamed last, so that no hook mixes two bundles.
    const names = [...chunks.map(({ fileName }) => fileName), MANIFEST];
    for (const name of names) await rename(join(draft, name), join(out, name));
    await removeOthers(out, names);
    return names;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Reads the file here, so that the stored text is the bundled one, even if the file changes meanwhile. */
async function loadText(id: string, texts: Map<string, string>) {
  if (!id.endsWith(".ts")) return undefined;
  const code = await readFile(id, "utf8");
  texts.set(id, code);
  return { code, moduleType: "ts" as const };
}

function textOf(id: string, texts: ReadonlyMap<string, string>): string {
  const text = texts.get(id);
  if (text === undefined) throw new Error(`${id} is in the bundle, and nobody knows what it said`);
  return text;
}

async function removeOthers(out: string, kept: readonly string[]): Promise<void> {
  for (const name of await readdir(out)) {
    const path = join(out, name);
    if (kept.includes(name) || !name.endsWith(".mjs")) continue;
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > LEFT_MS) await rm(path, { force: true });
  }
}

if (import.meta.main && (!process.argv.includes("--if-stale") || isHookBundleStale(PACKAGE))) {
  console.log((await buildHook()).map((name) => `.cache/hook/${name}`).join("\n"));
}
