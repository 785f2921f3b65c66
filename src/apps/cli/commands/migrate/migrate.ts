import { nodeClock } from "../../../../edge/host/node/node-clock.ts";
import { nodeIds } from "../../../../edge/host/node/node-ids.ts";
import { migrateSpec010, type Spec010Report } from "../../../gateway/migrate/spec010.ts";
import { openSpec010, SPEC010_TABLES, type Spec010Source } from "../../../gateway/migrate/spec010-source.ts";
import { plural, printableLine } from "../../../shared/printable.ts";
import type { MigrateArgs } from "../../declared/setup-commands.ts";
import { asTyped } from "../../line/invocation.ts";
import { badArgument, done, type Outcome } from "../../line/outcome.ts";
import { tellProgress } from "../../line/progress.ts";
import type { Paint, Terminal } from "../../line/terminal.ts";
import { withHomeStores } from "../../stores/with-contract.ts";

const FROM = { from: { description: "The database URL" } };

/** `conduct migrate spec010` */
export async function migrate(args: MigrateArgs, terminal: Terminal, env = process.env): Promise<Outcome> {
  const { from = env.CONDUCT_MIGRATE_FROM } = args;
  const dryRun = args["dry-run"] === true;
  if (!from) return badArgument("no database given", "add --from=postgres://user:password@host/db");
  return withHomeStores(env, async (stores, home) => {
    const source = await openSpec010(from);
    try {
      if (source.tables.size === 0) {
        const fix = "name another database, or its schema with ?options=-c%20search_path%3D…";
        return badArgument(`the database has none of the tables ${SPEC010_TABLES.join(", ")}`, fix, "NOT_SPEC010");
      }
      const rows = [...source.tables.values()].reduce((sum, count) => sum + count, 0);
      const [tell, over] = tellProgress(terminal, "importing", "rows");
      let seen = 0;
      const onRow = () => tell({ done: ++seen, of: dryRun ? rows : rows * 2 });
      const world = { target: stores, home, clock: nodeClock(), ids: nodeIds(), dryRun, onRow };
      const report = await migrateSpec010(source, world);
      over();
      const result = { dryRun, tables: Object.fromEntries(source.tables), ...report };
      const next = dryRun
        ? [{ command: "conduct migrate spec010 --from=FROM", description: "Import the data", params: FROM }]
        : [{ command: "conduct status", description: "Show what is here now" }];
      return done(result, asTyped(render(report, source, dryRun, terminal.paint), terminal.invocation), next);
    } finally {
      await source.close();
    }
  });
}

function render(report: Spec010Report, { tables }: Spec010Source, dryRun: boolean, paint: Paint): string {
  const { agents, instructions, notes, users, problems, notCarried, originals } = report;
  const would = dryRun ? "would be written" : "written";
  const ok = paint("green", "✓");
  const missing = SPEC010_TABLES.filter((table) => !tables.has(table));
  const lines = [
    `${ok} agents: ${plural(agents.rows, "row")}; ${agents.written} ${would}, ${agents.same} unchanged, ${agents.left} skipped`,
    `${ok} instructions: ${plural(instructions.rows, "row")}, ${instructions.inactive} switched off, ${instructions.merged} merged into others of the same user and agent; ${instructions.written} ${would}, ${instructions.same} unchanged, ${instructions.left} skipped because they changed here`,
    `${ok} notes: ${plural(notes.rows, "row")}; ${plural(notes.written, "note")} ${would}, ${notes.same} here already`,
    `${ok} users: ${users.rows}; ${users.written} ${would}, ${users.same} here already. Each signs in with a link: conduct gateway login --user=ID`,
    ...missing.map((table) => `${paint("amber", "!")} there is no table ${table}`),
    ...[...problems, ...notCarried].map((problem) => `${paint("amber", "!")} ${printableLine(problem)}`),
    originals && `the original rows: ${originals}`,
    dryRun && "Nothing was written.",
  ];
  return `\n${lines.map((line) => (line ? `  ${line}\n` : "")).join("")}\n`;
}
