import { isObject } from "../../base/kernel/json.ts";
import type { CallEffect } from "../../base/words/call.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { sqlEffects } from "./programs/sql-effects.ts";
import { type TextChange, weakenedBy } from "./weakened-tests.ts";

/** Effects of calls that are no command lines: edits that weaken tests, and SQL for a database tool. */
export function toolEffects(tool: string, args: JsonObject): readonly CallEffect[] {
  if (tool === "write_file" || tool === "edit_file") return editEffects(args);
  const sql = sqlOf(tool, args);
  if (sql === undefined) return NONE;
  return sqlEffects(sql, true).map(({ name, args: found }) => ({ name, args: found, proven: true }));
}

const NONE: readonly CallEffect[] = [];
const MAX_TEXT = 200_000;
const DATABASE_TOOL =
  /sql|postgres|mongo|maria|oracle|bigquery|snowflake|redshift|clickhouse|duckdb|database|(?:^|[/_-])db(?:$|[/_-])/i;

function sqlOf(tool: string, { sql, query, statement }: JsonObject): string | undefined {
  const asked = query ?? statement;
  const text = sql ?? (asked !== undefined && DATABASE_TOOL.test(tool) ? asked : undefined);
  return typeof text === "string" && text.length < MAX_TEXT ? text : undefined;
}

/** An edit shows what it replaces; a written file only what it will be. */
function editEffects(args: JsonObject): readonly CallEffect[] {
  const path = typeof args.path === "string" ? args.path : "";
  const changes = changesOf(args);
  return changes.flatMap(({ before, after, file = path }) => {
    if (before.length + after.length > MAX_TEXT) return [];
    const how = weakenedBy(file, { before, after });
    const whole = typeof args.content === "string" ? { whole: true } : {};
    return how === undefined ? [] : [{ name: "tests.weaken", args: { path: file, how, ...whole }, proven: false }];
  });
}

type Change = TextChange & { readonly file?: string };

function changesOf({ old, new: fresh, edits, content, patch }: JsonObject): readonly Change[] {
  if (typeof content === "string") return [{ before: "", after: content }];
  if (typeof patch === "string" && patch.length < MAX_TEXT) return patchChanges(patch);
  const pairs = Array.isArray(edits) ? edits.filter(isObject) : [{ old, new: fresh }];
  return pairs.flatMap((pair) =>
    typeof pair.old === "string" ? [{ before: pair.old, after: typeof pair.new === "string" ? pair.new : "" }] : [],
  );
}

/** The removed and added lines of each file of a patch. */
function patchChanges(patch: string): readonly Change[] {
  return patch.split(/^(?=\*\*\* (?:Update|Add) File: |\+\+\+ )/m).flatMap((part) => {
    const [, file] = /^(?:\*\*\* (?:Update|Add) File: |\+\+\+ (?:b\/)?)(\S+)/.exec(part) ?? [];
    if (file === undefined) return [];
    const lines = (sign: string) =>
      part.split("\n").filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3)));
    return [{ file, before: lines("-").join("\n"), after: lines("+").join("\n") }];
  });
}
