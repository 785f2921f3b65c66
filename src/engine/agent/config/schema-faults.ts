import type { z } from "zod";
import { asObject } from "../../../base/kernel/json.ts";
import { didYouMean } from "../../../base/kernel/nearest.ts";
import { type Complaint, type ConfigFault, type ConfigPath, type ConfigSource, sortFaults } from "./config-source.ts";

/** A file's schema, and an optional better hint for an unknown key than the nearest known one. */
export type Form<T> = {
  readonly schema: z.ZodType<T>;
  unknownKey?(path: ConfigPath, key: string): { readonly message?: string; readonly hint: string } | undefined;
};

function fromIssue(
  issue: z.core.$ZodIssue,
  above: ConfigPath,
  content: unknown,
  form: Form<unknown>,
): readonly Complaint[] {
  const path: ConfigPath = [...above, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
  if (issue.code === "unrecognized_keys") {
    // The message lists the known keys, see `map`.
    return issue.keys.map((key) => unknownKey(path, key, issue.message.split(" "), form));
  }
  if (issue.code === "invalid_key") {
    const [first] = issue.issues;
    return [{ path, at: "key", message: `'${path.at(-1)}' ${first?.message ?? "is not a valid name"}` }];
  }
  if (issue.code === "invalid_union") {
    const [branch] = issue.errors
      .filter((errors) => !errors.some(({ code, path }) => code === "invalid_type" && path.length === 0))
      .sort((a, b) => strangeKeys(a) - strangeKeys(b));
    if (branch?.every((error) => !isAboutWhole(error)))
      return branch.flatMap((error) => fromIssue(error, path, content, form));
  }
  const found = valueAt(content, path);
  if (found === undefined) {
    return [{ path: path.slice(0, -1), message: `'${nameOf(path)}' is missing` }];
  }
  if ((issue.code === "custom" || issue.code === "too_small") && typeof found === "object")
    return [complain(path, issue.message)];
  const branches = issue.code === "invalid_union" ? issue.errors.flat() : [issue];
  const values = branches.flatMap((one) =>
    one.code === "invalid_value" && (one === issue || one.path.length === 0) ? one.values.map(String) : [],
  );
  const hint = typeof found === "string" ? didYouMean(found, values, "") : "";
  return [complain(path, `${issue.message}, ${describe(found)}`, hint || undefined)];
}

/** Of several maps, the one that knows most of the written keys was meant. */
function strangeKeys(errors: readonly z.core.$ZodIssue[]): number {
  return errors.reduce(
    (sum, error) => sum + (error.code === "unrecognized_keys" && error.path.length === 0 ? error.keys.length : 0),
    0,
  );
}

/** In a union of text and map, a written map gets the faults of the map. */
function isAboutWhole({ code, path }: z.core.$ZodIssue): boolean {
  return path.length === 0 && code !== "unrecognized_keys";
}

function unknownKey(path: ConfigPath, key: string, known: readonly string[], form: Form<unknown>): Complaint {
  const usual = didYouMean(key, known, `known keys: ${known.join(", ")}`);
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

/** The faults of invalid YAML; else `data` when the content fits the schema, `complaints` when it does not. */
type ReadForm<T> =
  | { readonly faults: readonly ConfigFault[] }
  | { readonly data?: T; readonly complaints: readonly Complaint[] };

/** For invalid YAML, faults before the first syntax error are reported too. */
export function readForm<T>(source: ConfigSource, form: Form<T>): ReadForm<T> {
  if (source.value === undefined) return { faults: sortFaults(source.faults) };
  const read = form.schema.safeParse(source.value);
  const complaints = read.success ? [] : read.error.issues.flatMap((issue) => fromIssue(issue, [], source.value, form));
  if (source.faults.length === 0) return { data: read.data, complaints };
  // Content before the first syntax error is reliable, but a missing key may follow after it.
  const sure = complaints.filter(
    (one) => !/ is (missing|empty)$/.test(one.message) && source.offsetOf(one) < source.reliableTo,
  );
  return { faults: sortFaults([...source.faults, ...sure.map((one) => source.locate(one))]) };
}

/** The valid keys of an invalid map, so that they are checked in the same run. */
export function validKeys(shape: Readonly<Record<string, z.ZodType>>, value: unknown): object {
  const valid = Object.entries(asObject(value)).flatMap(([key, item]) => {
    const read = Object.hasOwn(shape, key) ? shape[key]?.safeParse(item) : undefined;
    return read?.success === true ? [[key, read.data]] : [];
  });
  return Object.fromEntries(valid);
}
