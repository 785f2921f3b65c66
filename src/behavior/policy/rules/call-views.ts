import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import type { Access, ToolCall } from "../../../base/words/call.ts";
import type { Facts } from "../../../base/words/facts.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";

const FILE_ACCESS: ReadonlyMap<string, Access> = new Map([
  ["read_file", "read"],
  ["write_file", "write"],
  ["edit_file", "write"],
]);

/**
 * A call's arguments as one name sees them. A file name sees one path at a time, however the call named it: a patch of
 * three files is three writes, and `cat a > b` is a read of a and a write of b.
 */
export function viewsOf(call: ToolCall, name: string): readonly JsonObject[] {
  const access = FILE_ACCESS.get(name);
  const paths = access === undefined ? [] : call.paths.filter((one) => one.access === access);
  if (paths.length === 0) return [call.args];
  return [...new Set(paths.map(({ path }) => path))].map((path) => ({ ...call.args, path }));
}

/** The values of some arguments, as one key; paths as the filesystem resolves them. `undefined` when one is not there. */
export function tupleOf(view: JsonObject, names: readonly string[], facts: Facts): string | undefined {
  const values: Json[] = [];
  for (const name of names) {
    const value = Object.hasOwn(view, name) ? view[name] : undefined;
    if (value === undefined || value === null) return undefined;
    values.push(resolved(value, facts));
  }
  return canonical(values);
}

/** The version of the file that the view is about, now; `undefined` when there is none or it cannot be told. */
export function versionOf(view: JsonObject, facts: Facts): string | undefined {
  const { path } = view;
  return typeof path === "string" ? facts.paths[path]?.version : undefined;
}

function resolved(value: Json, facts: Facts): Json {
  const fact = typeof value === "string" ? facts.paths[value] : undefined;
  return fact === undefined ? value : { path: fact.resolved };
}

function canonical(values: readonly Json[]): string {
  // Most keys are one or two texts: no need to sort what has no keys.
  return values.every((value) => typeof value !== "object") ? JSON.stringify(values) : canonicalJson(values);
}
