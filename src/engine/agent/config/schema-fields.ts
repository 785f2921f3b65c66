import { z } from "zod";
import { parseDuration } from "../../../base/kernel/duration.ts";
import { isObject } from "../../../base/kernel/json.ts";
import { isReservedHeading } from "../../../behavior/prompt/reserved-headings.ts";

/** Error messages complete the sentence `'limits.time' …`. */
export const text = () => z.string({ error: "must be a string" }).regex(/\S/, { error: "must not be empty" });

export const matching = (pattern: RegExp, error: string) =>
  z.string({ error: "must be a string" }).regex(pattern, { error });

/** The headings of Conduct's own sections are reserved. */
export const heading = () =>
  text().refine((given) => !isReservedHeading(given), {
    error: "must not be a heading that Conduct uses itself, such as Identity, Soul or Safety",
  });

export const optional = <T extends z.ZodType>(schema: T, about?: string) =>
  about === undefined ? schema.exactOptional() : schema.exactOptional().describe(about);

export const list = <T extends z.ZodType>(item: T) => z.array(item, { error: "must be a list" });

export const nonEmpty = <T extends z.ZodType>(item: T) => list(item).min(1, { error: "must not be empty" });

/** A map with these keys and no others. The message about an unknown key lists the known ones, for the hint. */
export const map = <T extends z.ZodRawShape>(shape: T) =>
  z.strictObject(shape, {
    error: ({ code }) => (code === "unrecognized_keys" ? Object.keys(shape).join(" ") : "must be a map"),
  });

/** A map with arbitrary names. */
export const named = <T extends z.ZodType>(value: T) => z.record(text(), value, { error: "must be a map" });

export const yesOrNo = () => z.boolean({ error: "must be true or false" });

export const oneOf = <const T extends readonly string[]>(...values: T) =>
  z.enum(values, { error: `must be ${values.map((value) => `'${value}'`).join(" or ")}` });

/** `90s`, `2m`, `1.5h` in the file, milliseconds afterwards. */
export const duration = () => {
  const error = "must be a duration above 0, such as 90s, 2m or 1.5h";
  return z
    .string({ error })
    .regex(/^\s*\d+(\.\d+)?\s*(ms|s|m|h|d)\s*$/, { error, abort: true })
    .transform((written) => parseDuration(written) ?? 0)
    .refine((ms) => ms > 0, { error });
};

/** A number above 0. YAML reads `400_000` as a string, so both are accepted. */
export const amount = (kind: "whole" | "any") => {
  const error = kind === "whole" ? "must be a whole number above 0" : "must be a number above 0";
  const number = z.number({ error }).positive({ error });
  const digits = z.string({ error }).regex(kind === "whole" ? /^\d+(_\d+)+$/ : /^\d+(_\d+)+(\.\d+)?$/, { error });
  return z
    .union([kind === "whole" ? number.int({ error }) : number, digits], { error })
    .transform((written) => (typeof written === "string" ? Number(written.replaceAll("_", "")) : written))
    .refine((value) => value > 0 && Number.isFinite(value), { error });
};

export const price = () => {
  const error = "must be an amount of US dollars, 0 or more";
  return z.number({ error }).nonnegative({ error });
};

/** A share of a whole: above 0, at most 1. */
export const share = () => {
  const error = "must be a number above 0 and at most 1, such as 0.3";
  return z.number({ error }).positive({ error }).max(1, { error });
};

export const number = () => z.number({ error: "must be a number" });

/** An id. */
export const idText = () => matching(ID, "must be a name of at most 100 letters, digits and . _ : / -, without spaces");

export const ID = /^[\p{L}\p{N}][\p{L}\p{N}._:/-]{0,99}$/u;

export const modelName = () =>
  z
    .string({ error: MODEL_FORM })
    .regex(MODEL, { error: MODEL_FORM })
    .describe("provider/model, such as anthropic/claude-sonnet-4-5.");

/** The model's name may contain slashes. */
export const MODEL = /^[^\s/]+\/\S+$/;
export const MODEL_FORM = "must be provider/model, such as anthropic/claude-sonnet-4-5";

/** Exactly one of the keys, as in `- readBeforeWrite: {…}`; the JSON Schema says so too. */
export function exactlyOne<T extends z.ZodObject>(schema: T, kinds: readonly string[]) {
  const names = kinds.map((kind) => `'${kind}'`).join(", ");
  return schema
    .refine((value) => kinds.filter((kind) => Object.hasOwn(value, kind)).length === 1, {
      error: `must have exactly one of ${names}`,
      // A misspelt kind is one fault, not two.
      when: ({ value, issues }) => isObject(value) && !issues.some(({ code }) => code === "unrecognized_keys"),
    })
    .meta({ oneOf: kinds.map((kind) => ({ required: [kind] })) });
}
