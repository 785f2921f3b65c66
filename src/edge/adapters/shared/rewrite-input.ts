import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";

/** The runtime's name of an argument; `times` converts to another unit. */
type Carrier = string | { readonly name: string; readonly times: number };

/** The arguments of a runtime's tool by their common name; `same` when all names are the same. */
export type Carriers = { readonly [argument: string]: Carrier } | "same";

/** The changed native input, or the arguments that the runtime does not have. */
export type Rewritten = { readonly input: JsonObject } | { readonly cannot: readonly string[] };

/** Applies the changes of rules to the native input; everything else stays as the model wrote it. */
export function rewriteInput(native: JsonObject, before: JsonObject, after: JsonObject, carriers: Carriers): Rewritten {
  const cannot: string[] = [];
  const entries = new Map(Object.entries(native));
  for (const name of changedNames(before, after)) {
    const carried = carry(name, Object.hasOwn(after, name) ? after[name] : undefined, carriers);
    if (carried === undefined) cannot.push(name);
    else if (carried.value === undefined) entries.delete(carried.name);
    else entries.set(carried.name, carried.value);
  }
  return cannot.length > 0 ? { cannot } : { input: Object.fromEntries(entries) };
}

/** Makes `args` equal to `wanted` in place, for runtimes that run the object that they passed to the hook. */
export function replaceArgs(args: object, wanted: JsonObject): void {
  for (const name of Object.keys(args)) if (!Object.hasOwn(wanted, name)) Reflect.deleteProperty(args, name);
  Object.assign(args, wanted);
}

export function changedNames(before: JsonObject, after: JsonObject): readonly string[] {
  const valueIn = (args: JsonObject, name: string) =>
    Object.hasOwn(args, name) ? canonicalJson(args[name]) : undefined;
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => valueIn(before, name) !== valueIn(after, name),
  );
}

/** The refusal for the model when the runtime cannot run the rewritten call. */
export function rewriteRefusal(tool: string, runtime: string, cannot: readonly string[]): string {
  const names = cannot.map((name) => `'${name}'`).join(", ");
  return `Denied by conduct: rules change ${names} of this call, and ${runtime} cannot run '${tool}' with that; the call as it was made must not run.\nNext: tell the operator, and do it another way.`;
}

/** `undefined` if the runtime does not have the argument; no `value` if it is removed. */
function carry(
  name: string,
  value: Json | undefined,
  carriers: Carriers,
): { readonly name: string; readonly value: Json | undefined } | undefined {
  if (carriers === "same") return { name, value };
  const carrier = Object.hasOwn(carriers, name) ? carriers[name] : undefined;
  if (carrier === undefined) return undefined;
  if (typeof carrier === "string") return { name: carrier, value };
  if (value === undefined) return { name: carrier.name, value };
  return typeof value === "number" ? { name: carrier.name, value: value * carrier.times } : undefined;
}
