import schema from "../../../../docs/schema/rules.schema.json";
import { placeAt } from "./yaml-place.ts";

type Schema = {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
};

export type Suggestion = {
  readonly label: string;
  readonly apply?: string;
  readonly info?: string;
  readonly kind: string;
};
export type Suggestions = { readonly from: number; readonly options: readonly Suggestion[] };

/** Where a tool or an action is meant. */
const NAMES = new Set([
  "on",
  "call",
  "tool",
  "since",
  "toolName",
  "requiredPrior",
  "prerequisites",
  "all",
  "any",
  "not",
  "require",
]);
const RULES: Schema & { readonly definitions: { readonly [name: string]: Schema } } = schema;

/** What may be written at this place of a rule file: keys and values of the schema, and names of tools and actions. */
export function suggest(text: string, position: number, known: readonly string[]): Suggestions | undefined {
  const place = placeAt(text, position);
  if (place === undefined) return undefined;
  const { path, at, beside, from } = place;
  const found = schemasAt(path);
  const keys = Object.entries(
    Object.assign({}, ...found.map(({ properties }) => properties ?? {})) as Record<string, Schema>,
  )
    .filter(([name]) => !beside.includes(name))
    .map(([label, one]) => ({ label, apply: `${label}: `, info: descriptionOf(one), kind: "property" }));
  if (at === "key" && path.at(-1) !== "[]") return { from, options: keys };
  const values = found.flatMap((one) => (one.type === "boolean" ? ["true", "false"] : (one.enum ?? [])));
  const last = path.findLast((part) => part !== "[]") ?? "";
  const names = NAMES.has(last) ? [...new Set([...known, ...actionsOf(text)])] : [];
  const options = [
    ...values.map((label) => ({ label, kind: "enum" })),
    ...names.map((label) => ({ label, kind: "variable", info: "a tool or action" })),
    ...(at === "key" ? keys : []),
  ];
  return options.length === 0 ? undefined : { from, options };
}

/** Every schema that the path may lead to. */
function schemasAt(path: readonly string[]): readonly Schema[] {
  let found = open(RULES);
  for (const part of path) found = found.flatMap((one) => open(part === "[]" ? one.items : below(one, part)));
  return found;
}

function below({ properties, additionalProperties }: Schema, key: string): Schema | undefined {
  const own = properties?.[key];
  if (own !== undefined) return own;
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/** References followed, alternatives side by side. */
function open(one: Schema | undefined): readonly Schema[] {
  if (one === undefined) return [];
  if (one.$ref !== undefined) return open(RULES.definitions[one.$ref.split("/").at(-1) ?? ""]);
  return [one, ...(one.allOf ?? []).flatMap(open), ...(one.anyOf ?? []).flatMap(open)];
}

function descriptionOf(one: Schema): string {
  return one.description ?? "";
}

/** Actions that the text itself names. */
function actionsOf(text: string): readonly string[] {
  const block = /^actions:[ \t]*\n((?:[ \t]+.*\n?|\s*\n)*)/m.exec(text)?.[1] ?? "";
  return [...block.matchAll(/^ {1,4}([\w.-]+):/gm)].map(([, name = ""]) => name);
}
