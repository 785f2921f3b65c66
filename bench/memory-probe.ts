import { loadTokenizer } from "../src/behavior/results/token-counter.ts";
import { openConductFromEnv } from "../src/edge/host/opening/open-conduct.ts";
import { progress } from "./report.ts";
import { benchAgent, benchCall, benchResult, Driver, instantFilesystem } from "./workload.ts";

// Run by memory.ts as `node --expose-gc memory-probe.ts WHAT MARK…`; prints the bytes in use at each mark.

const [what = "", ...marks] = process.argv.slice(2);
const last = Number(marks.at(-1));
const tick = progress(`memory, ${what}`);
const conduct = openConductFromEnv({
  agents: [benchAgent()],
  workspace: "/w",
  journal: false,
  ports: { filesystem: instantFilesystem },
});
/** Keeps the measured objects reachable until the end. */
const held: unknown[] = [];

await loadTokenizer();
// One session runs first, so that code is compiled and caches are filled before counting.
const warm = await new Driver(conduct.session({ agent: "bench" })).upTo(2_000);
warm.session.notice({ kind: "ended" });

const before = await inUse();
const used: number[] = [];
const session = what === "session" ? new Driver(conduct.session({ agent: "bench" })) : undefined;
for (const mark of marks.map(Number)) {
  switch (what) {
    case "session":
      await session?.upTo(mark, (done) => tick(done, last));
      break;
    case "keep-all":
      for (let i = held.length; i < mark; i++) held.push({ call: benchCall(i), result: benchResult(i) });
      break;
    case "idle":
      for (let i = 0; i < mark; i++) held.push(conduct.session({ agent: "bench" }));
      break;
    case "used":
      for (let i = 0; i < mark; i++) {
        held.push((await new Driver(conduct.session({ agent: "bench" })).upTo(10)).session);
        tick(i, mark);
      }
      break;
    default:
      throw new Error(`nothing is called '${what}'`);
  }
  used.push((await inUse()) - before);
}
console.log(used.join(" "));
held.push(session);

/** Collects twice with a pause, to free objects held only by a finaliser or a pending timer. */
async function inUse(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error("needs --expose-gc");
  globalThis.gc();
  await new Promise((resolve) => setTimeout(resolve, 20));
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
