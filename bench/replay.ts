import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { replayInParallel } from "../src/apps/learning/replay/replay-parallel.ts";
import { type ReplayReport, replayerOf, sessionsOf } from "../src/apps/learning/replay/replay-sessions.ts";
import { bindAgents, knownAgents } from "../src/edge/host/daemon/daemon-agents.ts";
import { loadRules } from "../src/edge/host/opening/load-rules.ts";
import type { StorePlace } from "../src/edge/stores/sql/open-database.ts";
import { openSqlStore } from "../src/edge/stores/sql/open-sql-store.ts";
import { openHistories } from "../src/edge/stores/sql/readers/open-histories.ts";
import { ReplayAgents, type RuleChange } from "../src/engine/replay/replay-agents.ts";
import { CALLS, CONFIG, fillStore, playSessions } from "./replay-store.ts";
import { type Benchmark, main, progress, type Report } from "./report.ts";

const SESSIONS = 10_000;
const QUICK_SESSIONS = 500;

export const replay: Benchmark = {
  name: "replay",
  about: [
    `Recorded sessions of ${CALLS} calls each, in SQLite, against changed rules: read, decided on again by the engine's own code, compared.`,
    "The sessions are those of a coding agent under packs/coding, really played and copied under other names; 50 of them lie mixed in the file.",
    "Beside the wall clock stands the time on the processor, of all threads together: on a machine that does other things too, it is what holds.",
    "`unchanged` replays the agent as it is and must find no difference; `other rules` replaces its rules by packs/ops.",
  ],
  run,
};

async function run(report: Report): Promise<void> {
  // Like the command line.
  enableCompileCache(new URL("../node_modules/.cache/conduct", import.meta.url).pathname);
  const folder = mkdtempSync(join(tmpdir(), "conduct-bench-replay-"));
  const place = { kind: "sqlite", file: join(folder, "conduct.db") } as const;
  const search = { home: folder, workspace: folder };
  writeFileSync(join(folder, "conduct.yaml"), CONFIG);
  const store = await openSqlStore(place);
  try {
    const sessions = report.quick ? QUICK_SESSIONS : SESSIONS;
    const events = await fillStore(
      store,
      place.file,
      await playSessions(folder),
      sessions,
      progress("filling the store"),
    );
    const measure = async (
      workers: number,
      change?: RuleChange,
    ): Promise<ReplayReport & { readonly seconds: number; readonly cpu: number }> => {
      const [started, used] = [performance.now(), process.cpuUsage()];
      const tick = progress("replaying");
      const found = await replayInParallel(store.events, {
        place,
        search,
        workers,
        ...(change === undefined ? {} : { change }),
        onProgress: ({ done, of }) => tick(done, of),
      });
      const { user, system } = process.cpuUsage(used);
      return { ...found, seconds: (performance.now() - started) / 1_000, cpu: user + system };
    };
    const rules = await loadRules("packs/ops", folder);
    if (!("parsed" in rules) || !("ruleSet" in rules.parsed)) throw new Error("packs/ops cannot be read");
    const change: RuleChange = { how: "replace", ruleSet: rules.parsed.ruleSet };
    const cores = availableParallelism();
    const load = loadavg()[0] ?? 0;
    const all = await measure(cores);
    if (all.changed + all.cannotTell > 0) throw new Error(`the unchanged replay found ${all.changed} differences`);
    const other = await measure(cores, change);
    const { reading, alone } = await inOneThread(place, folder, change, await sessionsOf(store.events, {}));
    const figuresOf = (name: string, { seconds, cpu, calls }: typeof all) =>
      [
        { name, value: seconds * 1e6, unit: "time" },
        { name: `${name}: time on the processor`, value: cpu, unit: "time" },
        { name: `${name}: calls a second`, value: Math.round(calls / seconds), unit: "count" },
      ] as const;
    report.figures(`${sessions} sessions`, [
      { name: "events", value: events, unit: "count" },
      { name: "calls", value: all.calls, unit: "count" },
      { name: "load of the machine before it began", value: Math.round(load), unit: "count" },
      ...figuresOf(`unchanged, ${cores} cores`, all),
      ...figuresOf(`other rules, ${cores} cores`, other),
      { name: "reading and parsing, 1 thread: time on the processor", value: reading, unit: "time" },
      { name: "other rules, 1 thread: time on the processor", value: alone, unit: "time" },
      { name: "decisions that change under other rules", value: other.changed, unit: "count" },
      { name: "that cannot be told", value: other.cannotTell, unit: "count" },
    ]);
    const limit = (10e6 * sessions) / SESSIONS;
    const what = `issue 8: ${sessions} sessions of ${CALLS} calls from SQLite`;
    report.budget(`${what}, unchanged`, limit, all.seconds * 1e6, "time");
    report.budget(`${what}, against other rules`, limit, other.seconds * 1e6, "time");
    const replayed = `issue 20: replay of ${sessions.toLocaleString("en-US")} sessions of ${CALLS} calls, other rules`;
    report.budget(replayed, limit / 2, other.seconds * 1e6, "time");
    report.budget("issue 20: replay, processor time against reading and parsing", 2, alone / reading, "ratio");
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const AT_ONCE = 10;

/** The processor time of a worker's loop: reading and parsing alone, and with the replay. */
async function inOneThread(place: StorePlace, folder: string, change: RuleChange, ids: readonly string[]) {
  const bound = await bindAgents(folder, folder);
  if (bound.kind === "broken") throw new Error(bound.message);
  const replaying = replayerOf(new ReplayAgents(knownAgents(bound), change), {});
  const histories = await openHistories(place);
  const timed = async (work: (found: Awaited<ReturnType<typeof histories.histories>>) => unknown) => {
    const used = process.cpuUsage();
    for (let at = 0; at < ids.length; at += AT_ONCE) work(await histories.histories(ids.slice(at, at + AT_ONCE)));
    const { user, system } = process.cpuUsage(used);
    return user + system;
  };
  return { reading: await timed((found) => found.length), alone: await timed(replaying) };
}

if (import.meta.main) await main(replay);
