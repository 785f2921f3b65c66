import { canonicalJson } from "../../base/kernel/canonical-json.ts";
import type { Json, JsonObject } from "../../base/words/json.ts";

/** Where a runtime puts an argument of the common vocabulary; `times` where it counts in another unit. */
export type Carrier = string | { readonly name: string; readonly times: number };

/** The arguments that a runtime's tool can carry, by their common name; `same` when it takes them all as they are called. */
export type Carriers = { readonly [argument: string]: Carrier } | "same";

/** The runtime's own input with the change in it, or the arguments that it has no place for. */
export type Rewritten = { readonly input: JsonObject } | { readonly cannot: readonly string[] };

/** Puts what rules have changed into the runtime's own input; what they left alone stays as the model wrote it. */
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

/** The arguments that are not the same in both. */
export function changedNames(before: JsonObject, after: JsonObject): readonly string[] {
  const valueIn = (args: JsonObject, name: string) =>
    Object.hasOwn(args, name) ? canonicalJson(args[name]) : undefined;
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => valueIn(before, name) !== valueIn(after, name),
  );
}

/** What the model reads when its call was changed in a way that the runtime cannot run: nothing runs at all. */
export function rewriteRefusal(tool: string, runtime: string, cannot: readonly string[]): string {
  const names = cannot.map((name) => `'${name}'`).join(", ");
  return `Denied by conduct: rules change ${names} of this call, and ${runtime} cannot run '${tool}' with that; the call as it was made must not run.\nNext: tell the operator, and do it another way.`;
}

/** `undefined` when there is no place for it; no value when it goes. */
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
