import { setImmediate as breathe } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openSteadyClaude } from "./steady.ts";

/**
 * Many turns of the Claude Agent SDK, each a message, a call and an answer, and what this process holds afterwards:
 *   node --expose-gc compat/claude/soak.ts [--turns 30] [--one-query] [--without]
 * Each turn is a query of its own that resumes the conversation, so that its process, hooks and server have to go with it;
 * `--one-query` runs them all in one, and `--without` without Conduct.
 */
const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "30" },
    "one-query": { type: "boolean", default: false },
    without: { type: "boolean", default: false },
  },
});
const { gc } = globalThis;
if (gc === undefined) throw new Error("run it with node --expose-gc");
const turns = Number(values.turns);
const every = Math.max(1, Math.floor(turns / 6));

async function held(turn: number) {
  for (let i = 0; i < 3; i += 1) {
    gc?.();
    await breathe();
  }
  const { heapUsed, rss } = process.memoryUsage();
  const mb = (bytes: number) => Math.round(bytes / 104_857.6) / 10;
  return { turn, heapMb: mb(heapUsed), rssMb: mb(rss), handles: process.getActiveResourcesInfo().length };
}

const under = values.without ? "nothing" : "conduct";
const steady = await openSteadyClaude({ calls: 1, under, queries: values["one-query"] ? "one" : "each" });
const measured = [];
for (let turn = 1; turn <= turns; turn += 1) {
  await steady.turn();
  if (turn % every === 0) measured.push(await held(turn));
}
await steady.close();
console.log({ under, turns, queries: values["one-query"] ? 1 : turns });
console.table([...measured, { ...(await held(turns)), turn: "closed" }]);
