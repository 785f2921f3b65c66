import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Benchmark, main, type Report } from "./report.ts";

export const packageBench: Benchmark = {
  name: "package",
  about: [
    "The packed tarball, installed into an empty project outside the checkout: its size, an import of `agent-conduct`, and the start of 12 commands",
    "on an empty home, each against a Node that runs an empty file. The first start fills Node's compile cache and is not measured.",
    "Budgets compare the fastest quarter of the starts on both sides, which other work on the machine disturbs least.",
  ],
  run,
};

const ROOT = join(import.meta.dirname, "..");
/** Twelve commands that people type first. On an empty home some of them fail with a message, which counts as an answer. */
const COMMANDS = [
  ...["--help", "--version", "status", "watch --once", "why", "approvals"],
  ...["rules list", "behavior list", "config check", "policy check", "doctor", "replay"],
];
const START = "issue 17: any CLI command on an empty home, against bare Node";

async function run(report: Report): Promise<void> {
  const world = mkdtempSync(join(tmpdir(), "conduct-bench-package-"));
  try {
    const archive = installInto(world);
    const modules = join(world, "node_modules");
    const [packed, installed] = [statSync(archive).size, sizeOf(modules)];
    const packages = globSync("{*,@*/*}/package.json", { cwd: modules }).length;
    report.figures("the package", [
      { name: "packed", value: packed, unit: "bytes" },
      { name: "installed", value: installed, unit: "bytes" },
      { name: "packages", value: packages, unit: "count" },
    ]);
    report.budget("installed size", 30_000_000, installed, "bytes");
    report.budget("installed packages", 60, packages, "count");
    await measureImport(report, world);
    await measureStarts(report, world);
  } finally {
    rmSync(world, { recursive: true, force: true });
  }
}

/** Returns the tarball. */
function installInto(world: string): string {
  writeFileSync(join(world, "package.json"), `{ "private": true, "type": "module" }\n`);
  writeFileSync(join(world, "empty.mjs"), "");
  npm(["pack", "--loglevel=error", "--pack-destination", world], ROOT);
  const archive = join(world, readdirSync(world).find((name) => name.endsWith(".tgz")) ?? "");
  npm(["install", "--no-audit", "--no-fund", "--loglevel=error", "--omit=dev", archive], world);
  return archive;
}

async function measureImport(report: Report, world: string): Promise<void> {
  writeFileSync(join(world, "import.mjs"), `import "agent-conduct";\n`);
  const print = "console.log(performance.now(), process.memoryUsage.rss());\n";
  writeFileSync(join(world, "used.mjs"), `import "agent-conduct";\n${print}`);
  writeFileSync(join(world, "bare.mjs"), print);
  const start = (file: string) => () => void node(world, [file]);
  const [imported] = await report.group("a whole process", { ours: "import", reference: "bare Node" }, [
    { name: 'import "agent-conduct"', ours: start("import.mjs"), reference: start("empty.mjs"), perBatch: 1 },
  ]);
  const [used, bare] = [memoryOf(world, "used.mjs"), memoryOf(world, "bare.mjs")];
  report.figures("memory (rss)", [
    { name: "after the import", value: used, unit: "bytes" },
    { name: "bare Node", value: bare, unit: "bytes" },
  ]);
  const took = imported === undefined ? Number.NaN : imported.ours.spread.low - imported.reference.spread.low;
  report.budget("import, without Node's own start", 150_000, took, "time");
  report.budget("memory of the import, without Node's own", 40_000_000, used - bare, "bytes");
}

/** The smallest of five. */
function memoryOf(world: string, file: string): number {
  const all = Array.from({ length: 5 }, () => Number(node(world, [file]).split(" ")[1]));
  return Math.min(...all);
}

async function measureStarts(report: Report, world: string): Promise<void> {
  const conduct = "node_modules/agent-conduct/dist/conduct.mjs";
  const rows = COMMANDS.map((name) => {
    const ours = () => void node(world, [conduct, ...name.split(" ")], "any");
    ours();
    return { name, ours, reference: () => void node(world, ["empty.mjs"]), perBatch: 1 };
  });
  const measured = await report.group("a command", { ours: "conduct", reference: "bare Node" }, rows);
  for (const { name, ours, reference } of measured) {
    report.budget(`${START}: ${name}`, 1.6, ours.spread.low / reference.spread.low, "ratio");
  }
}

/** Runs Node in the project, with a home of its own and nothing of this environment. Returns its output. */
function node(world: string, args: readonly string[], exit: 0 | "any" = 0): string {
  const env = { PATH: "/usr/bin:/bin", HOME: join(world, "home"), CONDUCT_KEYS: join(world, "keys") };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: world, env, encoding: "utf8" });
  if (status === null || (exit === 0 && status !== 0))
    throw new Error(`${args.join(" ")}: ${status} ${stdout}${stderr}`);
  return stdout;
}

function npm(args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync("npm", args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${args[0]} failed: ${stderr}`);
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

await main(packageBench);
