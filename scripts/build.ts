import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { build } from "tsdown";
import { type HookManifest, isHookBundleStale } from "../src/apps/daemon/hook-bundle.ts";

const PACKAGE = join(import.meta.dirname, "..");
const DIST = join(PACKAGE, "dist");
const MANIFEST = "hook.json";
/** A hook that began before a build may still load what that replaced. */
const LEFT_MS = 60_000;

/**
 * `node scripts/build.ts [--if-stale]`: bundles what a runtime waits for at every call into `dist`, which loads nothing but Node's own
 * modules. Everything else runs from source; so does the hook where this was never run, only slower. The daemon sees to it that it is run.
 */
export async function buildHook(out: string = DIST): Promise<readonly string[]> {
  const draft = `${out}.${process.pid}`;
  const texts = new Map<string, string>();
  try {
    const bundles = await build({
      entry: { hook: join(PACKAGE, "src/apps/cli/commands/hook/codex.ts") },
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
      // By their content: a hook that is starting while another bundle is put in place still finds the parts of its own.
      outputOptions: { entryFileNames: "[name]-[hash].mjs", chunkFileNames: "[name]-[hash].mjs" },
    });
    const chunks = bundles.flatMap((bundle) => bundle.chunks).filter((chunk) => chunk.type === "chunk");
    const entry = chunks.find(({ isEntry }) => isEntry)?.fileName;
    if (entry === undefined) throw new Error("the bundler has made no hook");
    const inputs = [...new Set(chunks.flatMap(({ moduleIds }) => moduleIds))].sort();
    const made = Object.fromEntries(inputs.map((id) => [relative(PACKAGE, id), textOf(id, texts)]));
    await writeFile(join(draft, MANIFEST), JSON.stringify({ entry, made } satisfies HookManifest));
    await mkdir(out, { recursive: true });
    // What names the others last, and at once: nobody ever takes one bundle for another.
    const names = [...chunks.map(({ fileName }) => fileName), MANIFEST];
    for (const name of names) await rename(join(draft, name), join(out, name));
    await removeOthers(out, names);
    return names;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Read here, so that what is kept is what was bundled, whoever writes to the file meanwhile. */
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
  console.log((await buildHook()).map((name) => `dist/${name}`).join("\n"));
}
