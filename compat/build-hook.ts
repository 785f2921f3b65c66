import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Before the tests: the hooks' bundle, as the daemon of a person makes it. */
export default function buildHook(): void {
  const script = join(import.meta.dirname, "../scripts/build-hook.ts");
  const { status, stderr } = spawnSync(process.execPath, [script, "--if-stale"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the hooks' bundle cannot be made: ${stderr}`);
}
