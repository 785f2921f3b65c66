import { existsSync } from "node:fs";
import { type Benchmark, main, type Report } from "./report.ts";

export const adapters: Benchmark = {
  name: "adapters",
  about: [
    "A turn of ten calls, each a read of a small file, in the real runtime: with Conduct (two policies of its own, journal in SQLite)",
    "and without it, in turns. The model is a process on loopback that answers at once, so that nothing hides what is added.",
    "The SDK's hooks are answered across a process: what they cost without Conduct is measured beside it.",
  ],
  run,
};

const CALLS = 10;

/** As `compat/steady.ts` has it. That folder's packages are installed by `npm run compat`, and are no part of this project's types. */
type Steady = { turn(): Promise<void>; close(): Promise<void>; renew?(): void };
type Under = "conduct" | "nothing" | "hooks";
type Open = (options: { calls: number; under: Under; queries?: "one" }) => Promise<Steady>;

type Measured = {
  readonly name: string;
  readonly file: string;
  readonly open: string;
  readonly batches: number;
  /** What it is held against, and its name. */
  readonly against: readonly (readonly [Under, string])[];
  /** What has to be installed for it. */
  readonly needs: string;
};

const MEASURED: readonly Measured[] = [
  {
    name: "pi-agent-core",
    file: "pi/steady.ts",
    open: "openSteadyPi",
    batches: 30,
    against: [["nothing", "without"]],
    needs: "../node_modules/@earendil-works/pi-agent-core",
  },
  {
    name: "Claude Agent SDK",
    file: "claude/steady.ts",
    open: "openSteadyClaude",
    batches: 10,
    against: [
      ["nothing", "without"],
      ["hooks", "hooks that do nothing"],
    ],
    needs: "claude/node_modules/@anthropic-ai/claude-agent-sdk",
  },
];

async function run(report: Report): Promise<void> {
  for (const { name, file, open, batches, against, needs } of MEASURED) {
    if (!existsSync(compat(needs))) {
      report.say(`\n${name} is left out: it is not installed. npm run compat -- ${file.split("/")[0]} installs it.`);
      continue;
    }
    const opener = (await import(compat(file).href))[open] as Open;
    for (const [under, reference] of against) await measure(report, { name, batches, under, reference }, opener);
  }
}

type Row = { readonly name: string; readonly batches: number; readonly under: Under; readonly reference: string };

async function measure(report: Report, { name, batches, under, reference }: Row, open: Open): Promise<void> {
  const ours = await open({ calls: CALLS, under: "conduct", queries: "one" });
  const bare = await open({ calls: CALLS, under, queries: "one" });
  try {
    const side = (steady: Steady) => ({ prepare: () => steady.renew?.(), run: () => steady.turn() });
    const row = { name: `a turn of ${CALLS} calls`, ours: side(ours), reference: side(bare), batches, perBatch: 1 };
    const [turn] = await report.group(name, { ours: "with Conduct", reference }, [row]);
    const added = ((turn?.ours.spread.median ?? 0) - (turn?.reference.spread.median ?? 0)) / CALLS;
    report.figures(`${name}, against: ${reference}`, [
      { name: "added to a call, by the medians", value: added, unit: "time" },
    ]);
  } finally {
    await Promise.all([ours.close(), bare.close()]);
  }
}

function compat(path: string): URL {
  return new URL(`../compat/${path}`, import.meta.url);
}

await main(adapters);
