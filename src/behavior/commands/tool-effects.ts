import { isObject } from "../../base/kernel/json.ts";
import type { CallEffect } from "../../base/words/call.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { sqlEffects } from "./programs/sql-effects.ts";

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
  const text = sql ?? (DATABASE_TOOL.test(tool) ? (query ?? statement) : undefined);
  return typeof text === "string" && text.length < MAX_TEXT ? text : undefined;
}

const TEST_FILE =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|cypress)\/|[._-](?:test|spec)s?\.[a-z]+$|(?:^|\/)test_[^/]*\.py$|_test\.(?:go|py|rb|dart|exs)$|(?:Test|Tests|Spec)\.(?:java|kt|cs|php|swift|scala)$/;

/** Signs in a test file, by what they do to the tests. */
const SKIPS =
  /\b(?:describe|it|test|context|suite)\s*\.\s*(?:skip|fixme)\b|\bx(?:it|describe|test|context)\s*\(|@(?:pytest\.mark\.(?:skip|xfail)|unittest\.(?:skip|expectedFailure)|Disabled\b|Ignore\b)|\bpytest\.skip\(|#\[ignore|\bt\.(?:Skip(?:Now|f)?|skip|todo)\(|\[(?:Fact|Theory)\(Skip\b|\bmarkTest(?:Skipped|Incomplete)\(|\bskip\s*:\s*true\b/g;
const ONLYS = /\b(?:describe|it|test|context|suite)\s*\.\s*only\b|\bf(?:it|describe)\s*\(/g;
const EMPTY =
  /\bexpect\(\s*(?:true|1)\s*\)\s*\.\s*(?:toBe|toEqual)\(\s*(?:true|1)\s*\)|\bassert(?:True\(|\s+)\s*(?:True|1 == 1)\b|\bassert!\(\s*true\s*\)|\bassert\.(?:ok|equal)\(\s*true\s*[,)]/g;
const ASSERTIONS =
  /\b(?:expect|assert\w*|should|verify|require\.\w+)\s*(?:\.\w+\s*)?[!(]|\bassert\s+\w|\bt\.(?:Error|Fatal)f?\(|\bEXPECT_\w+\(/g;

/** An edit shows what it replaces; a written file only what it will be. */
function editEffects(args: JsonObject): readonly CallEffect[] {
  const path = typeof args.path === "string" ? args.path : "";
  const changes = changesOf(args);
  return changes.flatMap(({ before, after, file = path }) => {
    if (before.length + after.length > MAX_TEXT) return [];
    const more = (sign: RegExp) => count(after, sign) > count(before, sign);
    const how = /(?:^|\/)package\.json$/.test(file)
      ? weakenedCommand(before, after, more)
      : !TEST_FILE.test(file)
        ? undefined
        : more(SKIPS)
          ? "skips tests"
          : more(ONLYS)
            ? "runs only some tests"
            : more(EMPTY)
              ? "adds a check that always passes"
              : count(before, ASSERTIONS) > 0 && count(after, ASSERTIONS) === 0
                ? "removes checks"
                : undefined;
    const whole = typeof args.content === "string" ? { whole: true } : {};
    return how === undefined ? [] : [{ name: "tests.weaken", args: { path: file, how, ...whole }, proven: false }];
  });
}

/** A script of package.json that passes without running anything, such as `"test": "true"`. */
const HOLLOW = /"test[\w:-]*"\s*:\s*"(?:true|:|exit 0|echo [^"&|;]*|\s*)"/g;

function weakenedCommand(before: string, after: string, more: (sign: RegExp) => boolean): string | undefined {
  if (more(HOLLOW)) return "makes the test command pass without tests";
  const script = /"test"\s*:/;
  return script.test(before) && !script.test(after) ? "removes the test command" : undefined;
}

type Change = { readonly before: string; readonly after: string; readonly file?: string };

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

function count(text: string, sign: RegExp): number {
  return text.match(sign)?.length ?? 0;
}
