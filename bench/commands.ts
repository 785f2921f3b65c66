import { globSync, readFileSync } from "node:fs";
import { runCalls } from "../src/apps/policy/policy-run.ts";
import type { RuleSet } from "../src/base/words/rule.ts";
import { lineEffects } from "../src/behavior/commands/line-effects.ts";
import { loadRules } from "../src/edge/host/opening/load-rules.ts";
import { parseRules } from "../src/engine/agent/rules/parse-rules.ts";
import { table } from "./show.ts";
import { techniqueOf } from "./technique.ts";

/**
 * `npm run bench:commands [-- --data FILE --json --show]`: how the coding pack judges command lines, on the real engine. Each
 * line of FILE is `{line, expect, setup?, group?, files?}`; without a file it reads the corpora in bench/commands.
 *
 * The corpora were written blind, before the table of programs was mended with them. They are no longer blind: they show
 * that nothing got worse, not how well Conduct reads new lines. Measure that with --data and lines of your own.
 */

type Case = {
  readonly line: string;
  /** `allow`, `deny`, `ask`, `stop` (deny or ask), `proves:EFFECT` or `proves-not:EFFECT`. */
  readonly expect: string;
  /** Earlier commands with their exit codes. Without it the tests have just passed. */
  readonly setup?: readonly (readonly [string, number])[];
  readonly group?: string;
  readonly files?: { readonly [path: string]: string };
};
type Judged = Case & { readonly got: string; readonly right: boolean };

const TESTED = [["npm test", 0]] as const;
const CORPORA = new URL("./commands/", import.meta.url);
/** The least share of right answers, by what is expected. */
const GOALS: Readonly<Record<string, number>> = {
  "stop, plain": 0.995,
  // The exec gate sees the rest: `npm run bench:exec-gate` measures both together.
  "stop, hidden, text gate alone": 0,
  allow: 0.995,
  proves: 0.98,
  "proves-not": 1,
};

export async function judge(given: Case, pack: RuleSet): Promise<Judged> {
  const { line, expect, setup = TESTED, files } = given;
  const [kind = "", effect] = expect.split(":");
  const earlier = setup.map(([shell, code]) => ({
    shell,
    outcome: code === 0 ? ("ok" as const) : ("failed" as const),
  }));
  if (effect !== undefined) {
    const [, probe] = await runCalls(probing(effect), { files, calls: [{ shell: line }, { call: { tool: "probe" } }] });
    const isProven = probe?.decision.kind === "allow";
    return {
      ...given,
      got: isProven ? `proves:${effect}` : `proves-not:${effect}`,
      right: isProven === (kind === "proves"),
    };
  }
  const ran = await runCalls(pack, { files, calls: [...earlier, { shell: line }] });
  const decision = ran.at(-1)?.decision;
  const got = decision === undefined ? "nothing" : decision.kind;
  const rule = decision !== undefined && "rule" in decision ? ` ${decision.rule}` : "";
  const right = expect === "stop" ? got === "deny" || got === "ask" : got === expect;
  return { ...given, got: `${got}${rule}`, right };
}

const probes = new Map<string, RuleSet>();

/** A rule that lets a call pass only if the effect was proven. */
function probing(effect: string): RuleSet {
  const known = probes.get(effect);
  if (known !== undefined) return known;
  const parsed = parseRules(`rules: [{ id: probe, on: probe, require: ${effect} }]`, "probe.yaml");
  if ("faults" in parsed) throw new Error(parsed.faults.map(({ message }) => message).join("; "));
  probes.set(effect, parsed.ruleSet);
  return parsed.ruleSet;
}

function readCases(path: string | URL): readonly Case[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Case);
}

function kindOf({ line, expect, group }: Case): string {
  const [kind = ""] = expect.split(":");
  if (!/^(?:stop|deny|ask)$/.test(kind)) return kind;
  return techniqueOf(line, group) === "plain" ? "stop, plain" : "stop, hidden, text gate alone";
}

async function main(args: readonly string[]): Promise<void> {
  const at = args.indexOf("--data");
  const file = at < 0 ? undefined : args[at + 1];
  if (at >= 0 && file === undefined)
    throw new Error("--data needs a file: npm run bench:commands -- --data lines.jsonl");
  const paths =
    file === undefined ? globSync("*.jsonl", { cwd: CORPORA }).map((name) => new URL(name, CORPORA)) : [file];
  const cases = paths.flatMap(readCases);
  const loaded = await loadRules("packs/coding", process.cwd());
  const pack = "parsed" in loaded ? loaded.parsed : undefined;
  if (pack === undefined || "faults" in pack) {
    throw new Error("packs/coding has faults: npm run -s conduct -- policy check packs/coding");
  }
  const judged: Judged[] = [];
  for (const one of cases) judged.push(await judge(one, pack.ruleSet));
  const wrong = judged
    .filter(({ right }) => !right)
    .map(({ line, expect, got, group }) => ({ line, expect, got, group }));
  const microseconds = timed(cases);
  const groups = Map.groupBy(judged, kindOf);
  const shares = [...groups].map(([kind, of]) => ({ kind, lines: of.length, share: share(of) }));
  if (args.includes("--json")) {
    console.log(JSON.stringify({ benchmark: "commands", lines: cases.length, wrong, shares, microseconds }));
    return;
  }
  console.log(
    table(
      ["expected", "lines", "right", "goal"],
      shares.map(({ kind, lines, share: right }) => {
        const goal = GOALS[kind];
        const met = goal === undefined || goal === 0 ? "" : `${percent(goal)} ${right >= goal ? "met" : "NOT MET"}`;
        return [kind, `${lines}`, percent(right), met];
      }),
    ),
  );
  console.log(`${microseconds.toFixed(1)} us of CPU a line, to read its effects (median of 5 passes)`);
  if (args.includes("--show"))
    for (const { line, expect, got } of wrong) console.log(`  ${expect}, got ${got}: ${JSON.stringify(line)}`);
}

/** CPU time, because other work on the machine counts in wall time. */
function timed(cases: readonly Case[]): number {
  const passes = Array.from({ length: 5 }, (_, pass) => {
    const start = process.cpuUsage();
    // A comment makes every line new, so that nothing is remembered from the pass before.
    for (const { line } of cases) lineEffects(`${line} #${pass}`);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / Math.max(1, cases.length);
  });
  return passes.sort((a, b) => a - b)[2] ?? 0;
}

function share(judged: readonly Judged[]): number {
  return judged.filter(({ right }) => right).length / Math.max(1, judged.length);
}

function percent(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}

if (import.meta.main) await main(process.argv.slice(2));
