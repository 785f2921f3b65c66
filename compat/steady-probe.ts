import { renameSync, writeFileSync } from "node:fs";
import { setImmediate as breathe } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Loaded into a Node process by `--import`: on SIGPWR it collects its garbage, and writes what is left to `CONDUCT_PROBES/PID`. */
setFlagsFromString("--expose-gc");
const gc: () => void = runInNewContext("gc");
const folder = process.env.CONDUCT_PROBES;

if (folder !== undefined) process.on("SIGPWR", () => void tell(`${folder}/${process.pid}`));

async function tell(file: string): Promise<void> {
  for (let i = 0; i < 3; i += 1) {
    gc();
    await breathe();
  }
  const handles = process.getActiveResourcesInfo().length;
  writeFileSync(`${file}.draft`, JSON.stringify({ heap: process.memoryUsage().heapUsed, handles }));
  renameSync(`${file}.draft`, file);
}
