import type { z } from "zod";
import type { ConfigPath } from "./config-fault.ts";

type Schema = z.core.$ZodType;

/** The keys that a schema knows at a place, for "did you mean". Empty where any name may stand. */
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

/** What may stand there once optional, null and either-or are looked through. */
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
