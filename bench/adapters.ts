import { existsSync } from "node:fs";
import { loadavg } from "node:os";
import { type Benchmark, main, type Report } from "./report.ts";
import { showSpread, table } from "./show.ts";
import { pairedRatios, type Spread, spreadOf } from "./statistics.ts";

export const adapters: Benchmark = {
  name: "adapters",
  about: [
    "A turn of ten calls, each a read of a small file, in the real runtime: with Conduct and without it, in turns. The model is on",
    "loopback and answers at once, so that nothing hides what is added. Of the command lines, Conduct is the daemon in a process of its",
    "own with the coding pack, reached as `conduct init` sets it up. `node bench/adapters.ts NAME…` measures some of them.",
    "A call: from one model request to the next. For ACP it is a prompt with one permission request, for MCP a call of `echo`.",
    "The Claude Agent SDK's hooks are answered across a process: what they cost without Conduct is measured beside it.",
  ],
  run,
};

const CALLS = 10;

/**
 * Copied from `compat/steady.ts`. `npm run compat` installs that folder's packages, which are not part of this
 * project's types.
 */
type Steady = { turn(): Promise<number>; close(): Promise<void>; renew?(): unknown };
type Under = "conduct" | "nothing" | "hooks";
type Open = (options: { calls: number; under: Under; queries?: "one" }) => Promise<Steady>;

type Measured = {
  /** Folder in `compat/` that contains its `steady.ts`. */
  readonly name: string;
  readonly title: string;
  readonly batches: number;
  /** The budget for the ratio. */
  readonly most?: number;
  /** References for the comparison, with their names. */
  readonly against?: readonly (readonly [Under, string])[];
  /** Required packages. */
  readonly needs: string;
};

const MEASURED: readonly Measured[] = [
  {
    name: "pi",
    title: "pi-agent-core",
    batches: 30,
    needs: "../node_modules/@earendil-works/pi-agent-core",
  },
  {
    name: "pi-extension",
    title: "Pi",
    batches: 30,
    needs: "pi-extension/node_modules/@earendil-works/pi-coding-agent",
  },
  {
    name: "claude",
    title: "Claude Agent SDK",
    batches: 10,
    against: [
      ["nothing", "without"],
      ["hooks", "hooks that do nothing"],
    ],
    needs: "claude/node_modules/@anthropic-ai/claude-agent-sdk",
  },
  {
    name: "claude-code",
    title: "Claude Code",
    batches: 10,
    needs: "claude/node_modules/@anthropic-ai/claude-agent-sdk",
  },
  {
    name: "codex",
    title: "Codex",
    batches: 10,
    needs: "codex/node_modules/@openai/codex",
    most: 1.5,
  },
  {
    name: "opencode",
    title: "OpenCode",
    batches: 15,
    needs: "opencode/node_modules/opencode-ai",
  },
  {
    name: "openclaw",
    title: "OpenClaw",
    batches: 15,
    needs: "openclaw/node_modules/openclaw",
  },
  { name: "acp", title: "ACP", batches: 30, needs: "acp/node_modules/@agentclientprotocol/sdk", most: 2 },
  { name: "mcp", title: "MCP", batches: 30, needs: "mcp/node_modules/.bin" },
];

async function run(report: Report): Promise<void> {
  const wanted = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
  const unknown = wanted.find((name) => !MEASURED.some((one) => one.name === name));
  const known = MEASURED.map(({ name }) => name).join(", ");
  if (unknown !== undefined) throw new Error(`there is no adapter '${unknown}' here; there are ${known}`);
  const rows: string[][] = [];
  for (const measured of MEASURED.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const { name, title, needs, against = [["nothing", "without"]] } = measured;
    if (!existsSync(compat(needs))) {
      report.say(`\n${title} is left out: it is not installed. npm run compat -- ${name} installs it.`);
      continue;
    }
    const { openSteady }: { readonly openSteady: Open } = await import(compat(`${name}/steady.ts`).href);
    for (const [under, reference] of against) rows.push(await measure(report, measured, under, reference, openSteady));
  }
  report.say(`\n${table(["a call", "with Conduct", "without", "ratio", "added"], rows)}`);
  report.say(`(the machine's load at the end: ${loadavg()[0]?.toFixed(1)})`);
}

/** Times each turn's calls in milliseconds, including the warm-up. Returns the table row of all turns. */
async function measure(
  report: Report,
  { title, batches, most }: Measured,
  under: Under,
  reference: string,
  open: Open,
): Promise<string[]> {
  const ours = await open({ calls: CALLS, under: "conduct", queries: "one" });
  const bare = await open({ calls: CALLS, under, queries: "one" });
  try {
    const spent: { readonly ours: number[]; readonly bare: number[] } = { ours: [], bare: [] };
    const side = (steady: Steady, times: number[]) => ({
      prepare: () => steady.renew?.(),
      async run() {
        times.push(((await steady.turn()) * 1_000) / CALLS);
      },
    });
    const name = `a turn of ${CALLS} calls`;
    const sides = { ours: side(ours, spent.ours), reference: side(bare, spent.bare) };
    const [turn] = await report.group(title, { ours: "with Conduct", reference }, [
      { name, ...sides, batches, perBatch: 1 },
    ]);
    if (most !== undefined)
      report.budget(`issue 20: ${title}, against ${reference}`, most, turn?.ratio.median ?? Number.NaN, "ratio");
    const kept = report.quick ? Math.min(6, batches) : batches;
    const [times, bareTimes] = [spent.ours.slice(-kept), spent.bare.slice(-kept)];
    const added = spreadOf(times.map((time, at) => time - (bareTimes[at] ?? Number.NaN)));
    report.figures(`${title}, against: ${reference}`, figuresOf(spreadOf(times), spreadOf(bareTimes), added));
    return [
      under === "nothing" ? title : `${title}, against ${reference}`,
      showSpread(spreadOf(times), "time"),
      showSpread(spreadOf(bareTimes), "time"),
      showSpread(spreadOf(pairedRatios(times, bareTimes)), "ratio"),
      showSpread(added, "time"),
    ];
  } finally {
    await Promise.all([ours.close(), bare.close()]);
  }
}

function figuresOf(ours: Spread, bare: Spread, added: Spread) {
  return [
    { name: "a call with Conduct, median", value: ours.median, unit: "time" as const },
    { name: "a call without, median", value: bare.median, unit: "time" as const },
    { name: "added to a call, median of the pairs", value: added.median, unit: "time" as const },
  ];
}

function compat(path: string): URL {
  return new URL(`../compat/${path}`, import.meta.url);
}

await main(adapters);
