import { z } from "zod";
import type { ResponseTypes } from "./response-types.ts";

export const OPERATOR = ["operator"] as const;
export const READ = ["operator", "viewer"] as const;
export const TALK = ["operator", "user"] as const;
export const ALL = ["operator", "user", "viewer"] as const;

/**
 * One of our own types, sent without validation, because events of older versions must stay readable. The OpenAPI
 * description has its schema, and tests check every response against it.
 */
export function typed<N extends keyof ResponseTypes>(name: N): z.ZodType<ResponseTypes[N]> {
  return z.custom().meta({ $ref: `#/components/schemas/${name}` }) as z.ZodType<ResponseTypes[N]>;
}

export function list<S extends z.ZodType>(of: S): z.ZodType<readonly z.output<S>[]> {
  return z.array(of);
}

/** A page of `limit` items; `before` continues after the last item of the previous page. */
export const page = (most = 200) => z.object({ limit: count(most, 50), before: z.coerce.number().optional() });

/** A query parameter from 1 to `most`. */
export const count = (most: number, usual: number) => z.coerce.number().int().min(1).max(most).default(usual);
/** An integer query parameter with the minimum `least`. */
export const integer = (least = 0) => z.coerce.number().int().min(least);

/** A search text; blank text searches for nothing. */
export const searchText = (most: number) =>
  z
    .string()
    .max(most)
    .optional()
    .transform((text) => (text?.trim() === "" ? undefined : text));

export const role = z.enum(ALL);
export const deleted = z.object({ deleted: z.literal(true) });
/** `dryRun`: the response shows what would change, and nothing is written. */
export const dry = z.object({ dryRun: z.stringbool().optional() });

export const user = z.object({
  id: z.string(),
  name: z.string(),
  role,
  zone: z.string().optional(),
  telegram: z.number().optional(),
  slack: z.string().optional(),
  at: z.number(),
});
