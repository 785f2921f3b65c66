import type { z } from "zod";
import { didYouMean } from "../../../base/kernel/nearest.ts";
import type { Complaint, ConfigFault, ConfigPath } from "./config-fault.ts";
import type { ConfigSource, Located } from "./config-source.ts";

/** A file's schema, and an optional better hint for an unknown key than the nearest known one. */
export type Form<T> = {
  readonly schema: z.ZodType<T>;
  unknownKey?(path: ConfigPath, key: string): { readonly message?: string; readonly hint: string } | undefined;
};

/** All differences between the content and its schema. */
function schemaComplaints(error: z.ZodError, content: unknown, form: Form<unknown>): readonly Complaint[] {
  return error.issues.flatMap((issue) => fromIssue(issue, [], content, form));
}

function fromIssue(
  issue: z.core.$ZodIssue,
  above: ConfigPath,
  content: unknown,
  form: Form<unknown>,
): readonly Complaint[] {
  const path: ConfigPath = [...above, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(path, key, form));
  if (issue.code === "invalid_key") {
    const [first] = issue.issues;
    return [{ path, at: "key", message: `'${path.at(-1)}' ${first?.message ?? "is no name"}` }];
  }
  if (issue.code === "invalid_union") {
    const branch = issue.errors.find((errors) => errors.every((error) => !isAboutWhole(error)));
    if (branch !== undefined) return branch.flatMap((error) => fromIssue(error, path, content, form));
  }
  const found = valueAt(content, path);
  if (found === undefined) {
    return [{ path: path.slice(0, -1), message: `'${nameOf(path)}' is missing` }];
  }
  if ((issue.code === "custom" || issue.code === "too_small") && typeof found === "object")
    return [complain(path, issue.message)];
  const values = issue.code === "invalid_value" ? issue.values.map(String) : [];
  const hint = typeof found === "string" ? didYouMean(found, values, "") : "";
  return [complain(path, `${issue.message}, ${describe(found)}`, hint || undefined)];
}

/** In a union of text and map, a written map gets the faults of the map. */
function isAboutWhole({ code, path }: z.core.$ZodIssue): boolean {
  return path.length === 0 && code !== "unrecognized_keys";
}

function unknownKey(path: ConfigPath, key: string, form: Form<unknown>): Complaint {
  const known = keysAt(form.schema, path);
  const usual = didYouMean(key, known, `known here: ${known.join(", ")}`);
  const { message = `unknown key '${key}'`, hint } = form.unknownKey?.(path, key) ?? { hint: usual };
  return { path: [...path, key], at: "key", message, hint };
}

function complain(path: ConfigPath, message: string, hint?: string): Complaint {
  const text = path.length === 0 ? `the file ${message}` : `'${nameOf(path)}' ${message}`;
  return { path, message: text, hint };
}

/** The last name with its indexes: `files[0]`. */
function nameOf(path: ConfigPath): string {
  const at = path.findLastIndex((part) => typeof part === "string");
  return `${path[at] ?? ""}${path
    .slice(at + 1)
    .map((part) => `[${part}]`)
    .join("")}`;
}

function valueAt(content: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, part) ? Reflect.get(value, part) : undefined,
    content,
  );
}

function describe(found: unknown): string {
  if (found === null) return "and is empty";
  if (Array.isArray(found)) return "not a list";
  if (typeof found === "object") return "not a map";
  const shown = typeof found === "number" ? String(found) : JSON.stringify(found);
  return `not ${shown.length > 40 ? `${shown.slice(0, 40)}…` : shown}`;
}

type Schema = z.core.$ZodType;

/** The keys that the schema knows at a path; empty where any name is allowed. */
export function keysAt(schema: Schema, path: ConfigPath): readonly string[] {
  return [...new Set(schemasAt(schema, path).flatMap(keysOf))];
}

function schemasAt(schema: Schema, path: ConfigPath): readonly Schema[] {
  const [part, ...rest] = path;
  const open = unwrap(schema);
  return part === undefined ? open : open.flatMap((one) => below(one, part)).flatMap((one) => schemasAt(one, rest));
}

function below(schema: Schema, part: string | number): readonly Schema[] {
  const { def } = known(schema);
  if (def.type === "object") {
    const field = def.shape[part];
    return field === undefined ? [] : [field];
  }
  if (def.type === "record") return [def.valueType];
  return def.type === "array" ? [def.element] : [];
}

/** Looks through optional, nullable, lazy and union types. */
function unwrap(schema: Schema): readonly Schema[] {
  const { def } = known(schema);
  if (def.type === "optional" || def.type === "nullable") return unwrap(def.innerType);
  if (def.type === "lazy") return unwrap(def.getter());
  if (def.type === "union") return def.options.flatMap(unwrap);
  return def.type === "pipe" ? unwrap(def.in) : [schema];
}

function keysOf(schema: Schema): readonly string[] {
  const { def } = known(schema);
  return def.type === "object" ? Object.keys(def.shape) : [];
}

function known(schema: Schema): { readonly def: z.core.$ZodTypes["_zod"]["def"] } {
  return (schema as z.core.$ZodTypes)._zod;
}

/** `broken`: the text is not valid YAML. `read`: `data` when it fits the schema, `complaints` when it does not. */
type ReadForm<T> =
  | { readonly kind: "broken"; readonly faults: readonly ConfigFault[] }
  | { readonly kind: "read"; readonly data?: T; readonly complaints: readonly Complaint[] };

/** For invalid YAML, faults before the first syntax error are reported too. */
export function readForm<T>(source: ConfigSource, form: Form<T>): ReadForm<T> {
  if (!source.readable) return { kind: "broken", faults: source.faults };
  const read = form.schema.safeParse(source.value);
  const complaints = read.success ? [] : schemaComplaints(read.error, source.value, form);
  if (source.faults.length === 0) return { kind: "read", data: read.data, complaints };
  // Content before the first syntax error is reliable, but a missing key may follow after it.
  const found = complaints
    .filter(({ message }) => !/ is (missing|empty)$/.test(message))
    .map((one) => source.locate(one));
  const sure = found.filter(({ offset }) => offset < source.reliableTo);
  return { kind: "broken", faults: [...source.faults, ...sure.map(withoutOffset)] };
}

export function withoutOffset({ offset: _, ...fault }: Located): ConfigFault {
  return fault;
}
