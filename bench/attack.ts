import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { errorText } from "../src/base/kernel/error-text.ts";
import type { Attack, AttackOutcome } from "./attack/attack.ts";
import { openWorld } from "./attack/world.ts";

type Row = AttackOutcome & { readonly id: string; readonly title: string; readonly name: string };

const CASES = fileURLToPath(new URL("./attack/cases/", import.meta.url));
const DOCUMENT = fileURLToPath(new URL("../docs/security.md", import.meta.url));
const [BEGIN, END] = ["<!-- attacks: begin -->", "<!-- attacks: end -->"];

/**
 * `npm run bench:attack [-- ID… --json --write]`: tries every known attack on the shipped programs. Exits with 1 if
 * one succeeds. `--write` updates docs/security.md.
 */
async function main(args: readonly string[]): Promise<void> {
  const wanted = args.filter((arg) => !arg.startsWith("--"));
  const attacks = (await loadAttacks()).filter(
    ({ id }) => wanted.length === 0 || wanted.some((one) => id.startsWith(one)),
  );
  if (attacks.length === 0) {
    const ids = (await loadAttacks()).map(({ id }) => id);
    console.error(`No attack is called ${wanted.join(", ")}. Choose from: ${ids.join(", ")}`);
    process.exitCode = 2;
    return;
  }
  const json = args.includes("--json");
  const rows: Row[] = [];
  for (const { id, title, cases } of attacks) {
    if (!json) console.log(`\n${id}  ${title}`);
    for (const { name, run } of cases) {
      const row = { id, title, name, ...(await attempt(run)) };
      rows.push(row);
      if (!json)
        console.log(
          `  ${row.held === row.tried ? "held  " : "BROKEN"} ${row.held} of ${row.tried}  ${name}\n         ${row.note}`,
        );
    }
  }
  const broken = rows.filter(({ held, tried }) => held !== tried);
  if (json) console.log(JSON.stringify({ ok: broken.length === 0, rows }));
  else console.log(`\n${rows.length - broken.length} passed, ${broken.length} failed`);
  if (args.includes("--write")) writeTable(rows);
  if (broken.length > 0) process.exitCode = 1;
}

async function loadAttacks(): Promise<readonly Attack[]> {
  const files = readdirSync(CASES)
    .filter((file) => file.endsWith(".ts"))
    .sort();
  const modules = await Promise.all(
    files.map(async (file) => (await import(join(CASES, file))) as { readonly attack: Attack }),
  );
  return modules.map(({ attack }) => attack);
}

/** A case that throws proves nothing, so it counts as broken. */
async function attempt(run: Attack["cases"][number]["run"]): Promise<AttackOutcome> {
  const world = openWorld();
  try {
    return await run(world);
  } catch (error) {
    return { tried: 1, held: 0, note: `The case itself failed: ${errorText(error)}` };
  } finally {
    await world.close();
  }
}

/** Rows of attacks that were not run stay unchanged. */
function writeTable(rows: readonly Row[]): void {
  const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  const text = readFileSync(DOCUMENT, "utf8");
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${DOCUMENT} lacks the markers ${BEGIN} and ${END}`);
  const ran = new Set(rows.map(({ id }) => id));
  const others = text
    .slice(from, to)
    .split("\n")
    .filter((line) => /^\| \d/.test(line) && !ran.has(line.split(" ")[1] ?? ""));
  const fresh = rows.map(
    ({ id, name, tried, held, note }) => `| ${id} | ${cell(name)} | ${held} of ${tried} | ${cell(note)} |`,
  );
  const lines = [...others, ...fresh].sort((a, b) => a.slice(0, 5).localeCompare(b.slice(0, 5)));
  const table = ["| attack | tried | held | outcome |", "|---|---|---|---|", ...lines].join("\n");
  writeFileSync(DOCUMENT, `${text.slice(0, from)}${BEGIN}\n${table}\n${text.slice(to)}`);
}

await main(process.argv.slice(2));
