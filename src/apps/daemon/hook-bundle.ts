import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../edge/host/daemon/daemon-place.ts";

/** How often it is looked whether somebody has changed what the hooks are made of: a pull, a person at work. */
const LOOK_MS = 60_000;

/** Which file of `dist` is the bundle, and the very texts that it was made of. `conduct.mjs` takes it only while they still stand there. */
export type HookManifest = { readonly entry: string; readonly made: { readonly [file: string]: string } };

/** Is there no bundle, or does anything that it was made of say something else by now? */
export function isHookBundleStale(folder: string = packageFolder()): boolean {
  try {
    const { entry, made }: HookManifest = JSON.parse(readFileSync(join(folder, "dist", "hook.json"), "utf8"));
    const changed = Object.entries(made).some(([file, text]) => readFileSync(join(folder, file), "utf8") !== text);
    return changed || !existsSync(join(folder, "dist", entry));
  } catch {
    return true;
  }
}

/** Has the bundle that hooks run from made, now and whenever it is old, in a checkout that can make one. Nobody waits for it. */
export function keepHookBundle(log: (line: string) => void): void {
  const folder = packageFolder();
  const script = join(folder, "scripts", "build.ts");
  if (!existsSync(script) || !existsSync(join(folder, "node_modules", "tsdown"))) return;
  const timer = setInterval(look, LOOK_MS).unref();
  /** Without the bundle hooks are slower, and decide the same: what cannot be made is not tried again and again. */
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
      if (code !== 0) giveUp(`the bundle could not be made (exit ${code})`);
    });
    child.unref();
  }
  look();
}
