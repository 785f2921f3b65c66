import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chart } from "./chart.ts";
import { issueTable, TABLE_NAMES } from "./issue-table.ts";
import { type BenchmarkDocument, machineLine } from "./report.ts";
import { table } from "./show.ts";

const DOCS = join(import.meta.dirname, "../docs");
const RESULTS = "benchmarks.json";
const CHARTS = "images/benchmarks";

/** What the page needs of a run, by benchmark: the last run of each counts. */
type Results = { readonly [name: string]: BenchmarkDocument };

/** Adds the documents to docs/benchmarks.json, and writes docs/benchmarks.md and its charts from it. */
export async function writePage(documents: readonly BenchmarkDocument[], docs = DOCS): Promise<void> {
  const file = join(docs, RESULTS);
  const before: Results = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const results = { ...before, ...Object.fromEntries(documents.map((one) => [one.name, shortened(one)])) };
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
  const template = readFileSync(join(import.meta.dirname, "page-template.md"), "utf8");
  writeFileSync(join(docs, "benchmarks.md"), pageOf(template, Object.values(results)));
  mkdirSync(join(docs, CHARTS), { recursive: true });
  for (const { curves } of Object.values(results))
    for (const curve of curves) writeFileSync(join(docs, CHARTS, `${curve.of}.svg`), chart(curve));
}

/** Only the budgets, the figures of the table and the curves: the rest is for the terminal. */
function shortened(document: BenchmarkDocument): BenchmarkDocument {
  const figures = document.figures.filter(({ name }) => name.startsWith("issue 20: "));
  return { ...document, about: [], comparisons: [], figures };
}

/** Fills in the template: `<!-- table -->`, `<!-- charts -->` and `<!-- runs -->`. */
export function pageOf(template: string, documents: readonly BenchmarkDocument[]): string {
  const curves = documents.flatMap((one) => one.curves);
  const charts = curves.map(({ name, of }) => `![${name}](${CHARTS}/${of}.svg)`);
  const missing = TABLE_NAMES.filter((name) => !documents.some((one) => one.name === name));
  const not = missing.length === 0 ? "" : `\n\nNot measured yet: ${missing.join(", ")}.`;
  return template
    .replace("<!-- table -->", () => `${issueTable(documents)}${not}`)
    .replace("<!-- charts -->", () => charts.join("\n\n"))
    .replace("<!-- runs -->", () => runsTable(documents));
}

/** When and under which load each benchmark ran: other processes make times longer, p99 most. */
function runsTable(documents: readonly BenchmarkDocument[]): string {
  const [newest] = documents.toSorted((a, b) => (a.machine.at < b.machine.at ? 1 : -1));
  if (newest === undefined) return "";
  const rows = documents.map(({ name, machine, load, seconds, quick, budgets }) => [
    `\`npm run bench -- ${name}${quick ? " --quick" : ""}\``,
    machine.at.slice(0, 16).replace("T", " "),
    String(load),
    `${Math.round(seconds)} s`,
    `${budgets.filter(({ met }) => met).length} of ${budgets.length}`,
  ]);
  const head = ["command", "ran at (UTC)", "load", "took", "budgets met"];
  return `Last run on ${machineLine(newest.machine)}.\n\n${table(head, rows)}`;
}
