import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { loadTokenizer } from "../src/behavior/results/token-counter.ts";
import { machine, machineLine, progress } from "./report.ts";
import { show, table } from "./show.ts";
import { type Domain, domainsIn, readDomain } from "./sopbench-data.ts";
import { type Replayed, Stage } from "./sopbench-replay.ts";
import type { Counts } from "./sopbench-rules.ts";
import { type Score, scoreOf } from "./sopbench-score.ts";

const COMMAND = "bench:sopbench";
const DATA = fileURLToPath(new URL("../../shared/data/sopbench", import.meta.url));
const WARM_UP = 500;
const GOAL = 0.99;
/** Maximum number of tools listed. */
const TOP = 5;

const SHOWS =
  "What it shows: how exactly the language expresses real procedures (1 is exactly). It does not show that the procedures are safe.";

const BASELINES = [
  { name: "flat list of required tools, any call recorded", precision: 0.819, recall: 0.963 },
  { name: "AND/OR over names, allowed calls recorded", precision: 0.898, recall: 0.99 },
] as const;

const MEANING: Readonly<Record<Counts, string>> = {
  allowed: "counts: allowed. An earlier call counts when it was itself let through, as the labels have it.",
  succeeded:
    "counts: succeeded. An earlier call must also have worked: its result is no error's text, not false, and no list that begins with false. The labels do not ask for that, so this is stricter than they are.",
};

export type Table = {
  readonly counts: Counts;
  readonly meaning: string;
  readonly domains: readonly Score[];
  readonly all: Score;
};

type Goal = { readonly goal: string; readonly measured: string; readonly met: boolean };

/**
 * `npm run bench:sopbench [-- --json --data DIR]`: decides recorded runs again with our rules, and compares the
 * decisions with the labels.
 */
export async function run(args: readonly string[], print: (text: string) => void = console.log): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { json: { type: "boolean" }, data: { type: "string" } } });
  const { json = false } = values;
  const data = resolve(values.data ?? DATA);
  const say = json ? () => {} : print;
  const names = domainsIn(data);
  if (names.length === 0) {
    const skipped = `no recordings in ${data}: nothing was measured. --data DIR says where they are.`;
    print(json ? envelope({ skipped }) : skipped);
    return;
  }
  say(machineLine(machine()));
  say(`\n## sopbench\n\nRecorded runs of other people's agents (SOPBench), in ${data}: ${names.join(", ")}.`);
  say("Each procedure is translated into rules by one function, and every call goes through onCall and onResult.");
  say("A denial should be a call that the label says was out of order. Times are of onCall + onResult, per call.");
  const domains = names.map((name) => readDomain(data, name));
  const tables = [await measure(domains, "allowed", say), await measure(domains, "succeeded", say)];
  const goals = goalsOf(tables[0]?.all);
  say("");
  for (const { goal, measured, met } of goals) say(`goal ${met ? "met" : "NOT MET"}: ${goal}: ${measured}`);
  say(`\n${SHOWS}`);
  say(`\nBaselines per call, precision / recall, on all five domains of SOPBench:`);
  for (const { name, precision, recall } of BASELINES) say(`  ${precision.toFixed(3)} / ${recall.toFixed(3)}  ${name}`);
  if (json) print(envelope({ machine: machine(), data, shows: SHOWS, baselines: BASELINES, goals, tables }));
}

async function measure(domains: readonly Domain[], counts: Counts, say: (text: string) => void): Promise<Table> {
  const replayed: Replayed[][] = [];
  for (const domain of domains) replayed.push(await replayAll(domain, counts));
  const scores = domains.map(({ name }, i) => scoreOf(name, replayed[i] ?? []));
  const result = { counts, meaning: MEANING[counts], domains: scores, all: scoreOf("all", replayed.flat()) };
  say(`\n${result.meaning}\n\n${showScores([...scores, result.all])}`);
  for (const line of showTrouble(result.all)) say(line);
  return result;
}

async function replayAll(domain: Domain, counts: Counts): Promise<Replayed[]> {
  const stage = new Stage(domain, counts);
  await loadTokenizer();
  for (const run of domain.runs.slice(0, WARM_UP)) await stage.replay(run);
  const tick = progress(`${domain.name}, counts: ${counts}`);
  const done: Replayed[] = [];
  for (const run of domain.runs) {
    done.push(await stage.replay(run));
    tick(done.length, domain.runs.length);
  }
  return done;
}

function showScores(scores: readonly Score[]): string {
  const head = ["domain", "runs", "calls", "per call: precision", "recall", "per run: precision", "recall"];
  const rows = scores.map(({ name, runs, calls, perCall, perRun, ...score }) => [
    name,
    show(runs, "count"),
    show(calls, "count"),
    share(perCall.precision),
    share(perCall.recall),
    share(perRun.precision),
    share(perRun.recall),
    `${score.deniedInSuccessful} in ${show(score.successfulRuns, "count")}`,
    show(score.microseconds.p50, "time"),
    show(score.microseconds.p99, "time"),
  ]);
  return table([...head, "denials in successful runs", "per call, p50", "p99"], rows);
}

/** Returns the disagreements of engine and labels, and denials with other causes; empty if there are none. */
function showTrouble({ disagreements, deniedBeyond }: Score): readonly string[] {
  const sum = (of: "count" | "afterFailure") => disagreements.reduce((all, one) => all + one[of], 0);
  const lines = disagreements.slice(0, TOP).map(({ tool, kind, count, example }) => {
    const what = kind === "wrong" ? "denied, though in order" : "let through, though out of order";
    return `  ${count} x ${tool} ${what}, as in ${example}`;
  });
  if (lines.length > 0) {
    const after = `${sum("afterFailure")} of them after a call that was in order and did not work`;
    lines.unshift(`\n${sum("count")} calls are decided otherwise than they are labelled, ${after}. By tool:`);
  }
  if (disagreements.length > TOP) lines.push(`  and ${disagreements.length - TOP} more tools (--json lists all)`);
  if (deniedBeyond > 0) lines.push(`${deniedBeyond} calls were denied that no rule of a procedure applies to.`);
  return lines;
}

function goalsOf(all: Score | undefined): readonly Goal[] {
  if (all === undefined) return [];
  const { precision, recall } = all.perCall;
  return [
    {
      goal: `counts: allowed, precision and recall per call at least ${GOAL}`,
      measured: `${share(precision)} / ${share(recall)}`,
      met: precision >= GOAL && recall >= GOAL,
    },
    {
      goal: "counts: allowed, no denials in successful runs",
      measured: `${all.deniedInSuccessful}`,
      met: all.deniedInSuccessful === 0,
    },
  ];
}

/** Truncated instead of rounded, so that only an exact match shows 1. */
function share(value: number): string {
  return (Math.floor(value * 10_000) / 10_000).toFixed(4);
}

function envelope(result: unknown): string {
  return JSON.stringify({ ok: true, command: COMMAND, result, next_actions: [] }, undefined, 2);
}

if (import.meta.main) {
  const args = process.argv.slice(2);
  try {
    await run(args);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const fix = "npm run bench:sopbench [-- --json --data DIR]";
    const fault = { ok: false, command: COMMAND, error: { code: "BENCH_FAILED", message }, fix, next_actions: [] };
    if (args.includes("--json")) console.log(JSON.stringify(fault));
    else console.error(`${COMMAND}: ${message}\n${fix}`);
    process.exitCode = 1;
  }
}
