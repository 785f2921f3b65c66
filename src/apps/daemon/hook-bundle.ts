import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../edge/host/node/package-files.ts";

/** How often the bundle's sources are checked for changes, for example after a pull. */
const LOOK_MS = 60_000;
/** Where a checkout keeps the bundle. The installed package ships its own. */
const HOOK = ".cache/hook";

/**
 * The bundle's file in `dist` and the source texts it was built from. `conduct.mjs` uses it only while the sources are
 * unchanged.
 */
export type HookManifest = { readonly entry: string; readonly made: { readonly [file: string]: string } };

export function isHookBundleStale(folder: string = packageFolder()): boolean {
  try {
    const { entry, made }: HookManifest = JSON.parse(readFileSync(join(folder, HOOK, "hook.json"), "utf8"));
    const changed = Object.entries(made).some(([file, text]) => readFileSync(join(folder, file), "utf8") !== text);
    return changed || !existsSync(join(folder, HOOK, entry));
  } catch {
    return true;
  }
}

/** Builds the hooks' bundle in the background, now and whenever it is stale, in a checkout that can build one. */
export function keepHookBundle(log: (line: string) => void): void {
  const folder = packageFolder();
  const script = join(folder, "scripts", "build-hook.ts");
  if (!existsSync(script) || !existsSync(join(folder, "node_modules", "tsdown"))) return;
  const timer = setInterval(look, LOOK_MS).unref();
  /** Hooks without the bundle are slower but decide the same, so a failed build is not retried. */
  const giveUp = (why: string): void => {
    clearInterval(timer);
    log(`hooks run from source: ${why}`);
  };
  function look(): void {
    if (!isHookBundleStale(folder)) return;
    const { NODE_OPTIONS: _, ...env } = process.env;
    const args = ["--disable-warning=ExperimentalWarning", script, "--if-stale"];
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: "ignore" });
    child.on("error", (error) => giveUp(error.message));
    child.on("exit", (code) => {
      if (code !== 0) giveUp(`the bundle could not be built (exit ${code})`);
    });
    child.unref();
  }
  look();
}
