import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { build } from "tsdown";

const PACKAGE = join(import.meta.dirname, "..");
const DIST = join(PACKAGE, "dist");

/**
 * `node scripts/build.ts [--if-stale]`: bundles what a runtime waits for at every call into `dist/hook.mjs`, which loads nothing but
 * Node's own modules. Everything else runs from source; so does the hook where this was never run, only slower. `conduct.mjs` takes
 * the bundle while it is newer than what it was made of, which stands in `hook.json`.
 */
export async function buildHook(out: string = DIST): Promise<readonly string[]> {
  const draft = `${out}.${process.pid}`;
  try {
    const bundles = await build({
      entry: { hook: join(PACKAGE, "src/apps/cli/hook-codex.ts") },
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
      fixedExtension: true,
      outputOptions: { chunkFileNames: "[name].mjs" },
    });
    const chunks = bundles.flatMap((bundle) => bundle.chunks).filter((chunk) => chunk.type === "chunk");
    const inputs = chunks.flatMap(({ moduleIds }) => moduleIds.map((id) => relative(PACKAGE, id)));
    await writeFile(join(draft, "hook.json"), JSON.stringify(inputs.sort()));
    await mkdir(out, { recursive: true });
    // The entry last: all that it needs is there by then.
    const names = [...chunks.map(({ fileName }) => fileName), "hook.json"];
    const ordered = [...names.filter((name) => name !== "hook.mjs"), "hook.mjs"];
    for (const name of ordered) await rename(join(draft, name), join(out, name));
    return ordered;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Is there none, or is anything that it was made of newer? */
async function isStale(): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(join(DIST, "hook.mjs"));
    const inputs = JSON.parse(await readFile(join(DIST, "hook.json"), "utf8")) as readonly string[];
    const times = await Promise.all(inputs.map(async (file) => (await stat(join(PACKAGE, file))).mtimeMs));
    return times.some((time) => time > mtimeMs);
  } catch {
    return true;
  }
}

if (import.meta.main && (!process.argv.includes("--if-stale") || (await isStale()))) {
  console.log((await buildHook()).map((name) => `dist/${name}`).join("\n"));
}
