import type { z } from "zod";
import { nearest } from "../../../base/kernel/nearest.ts";
import type { Complaint, ConfigPath } from "./config-fault.ts";
import { keysAt } from "./schema-keys.ts";

/** What a file may say, and what is told of a key it may not have; the nearest known key unless something better is known. */
export type Form<T> = {
  readonly schema: z.ZodType<T>;
  unknownKey?(path: ConfigPath, key: string): { readonly message?: string; readonly hint: string } | undefined;
};

/** Everything in which a file's content differs from its form. */
export function schemaComplaints(error: z.ZodError, content: unknown, form: Form<unknown>): readonly Complaint[] {
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
    return [{ path: path.slice(0, -1), at: "value", message: `'${nameOf(path)}' is missing` }];
  }
  if ((issue.code === "custom" || issue.code === "too_small") && typeof found === "object")
    return [complain(path, issue.message)];
  const values = issue.code === "invalid_value" ? issue.values.map(String) : [];
  const meant = typeof found === "string" ? nearest(found, values) : undefined;
  return [complain(path, `${issue.message}, ${describe(found)}`, meant === undefined ? undefined : didYouMean(meant))];
}

/** Of a text-or-map the map's own faults are told when a map was written. */
function isAboutWhole({ code, path }: z.core.$ZodIssue): boolean {
  return path.length === 0 && code !== "unrecognized_keys";
}

function unknownKey(path: ConfigPath, key: string, form: Form<unknown>): Complaint {
  const known = keysAt(form.schema, path);
  const meant = nearest(key, known);
  const usual = meant === undefined ? `known here: ${known.join(", ")}` : didYouMean(meant);
  const { message = `unknown key '${key}'`, hint } = form.unknownKey?.(path, key) ?? { hint: usual };
  return { path: [...path, key], at: "key", message, hint };
}

function complain(path: ConfigPath, message: string, hint?: string): Complaint {
  const text = path.length === 0 ? `the file ${message}` : `'${nameOf(path)}' ${message}`;
  return { path, at: "value", message: text, hint };
}

/** The last name with the positions after it: `files[0]`. */
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

function didYouMean(name: string): string {
  return `did you mean '${name}'?`;
}
