import { z } from "zod";
import type { Json } from "../../../base/words/json.ts";
import {
  duration,
  exactlyOne,
  list,
  map,
  named,
  nonEmpty,
  oneOf,
  optional,
  text,
  yesOrNo,
} from "../config/schema-fields.ts";
import { EFFECTS } from "./rule-file-schema.ts";

const json: z.ZodType<Json> = z.json({ error: "must be plain data" });
const files = named(z.union([z.string(), z.null()], { error: "must be a text, or null where there is no file" }));
const EXPECTED = ["allow", ...EFFECTS];

const expectation = z.string({ error: "must be a text" }).regex(new RegExp(`^(${EXPECTED.join("|")})( \\S+)?$`), {
  error: `must be one of ${EXPECTED.join(", ")}, and but for allow the rule, such as 'deny read-before-write'`,
});

/** The tools that a case may write in short: `shell: npm test`, `read_file: a.txt`. */
export const SHORT_CALLS = { shell: "command", read_file: "path", write_file: "path", edit_file: "path" } as const;

/** One call of a case: what happens before it, the call, what is expected, what becomes of it. */
export const caseCallSchema = exactlyOne(
  map({
    message: optional(text(), "A person says this first: a new turn begins."),
    after: optional(duration(), "Time that passes first: 10m."),
    files: optional(files, "Files that somebody else has changed, made or removed (null) by then."),
    call: optional(map({ tool: text(), args: optional(named(json)) })),
    shell: optional(text(), "Short for a call of shell with this command."),
    read_file: optional(text(), "Short for a call of read_file with this path."),
    write_file: optional(text(), "Short for a call of write_file with this path."),
    edit_file: optional(text(), "Short for a call of edit_file with this path."),
    step: optional(text(), "Calls of one model response share a step."),
    expect: optional(expectation, "What must be decided; without it the call must be let through."),
    input: optional(named(json), "The arguments as rules must have rewritten them."),
    answer: optional(oneOf("yes", "no"), "What a person says when asked; yes makes the call."),
    outcome: optional(oneOf("ok", "failed", "unknown", "cancelled"), "How it ends; ok unless told."),
    writes: optional(files, "Files that the call changes, makes or removes (null)."),
  }),
  ["call", ...Object.keys(SHORT_CALLS)],
);

const session = map({
  user: optional(text()),
  channel: optional(text()),
  elevated: optional(yesOrNo()),
});

export const caseSchema = map({
  name: text(),
  files: optional(files, "Files that are there from the start, and what is in them."),
  session: optional(session),
  calls: nonEmpty(caseCallSchema),
});

/** What `cases.yaml` beside a rule file may say. */
export const caseFileSchema = map({ cases: nonEmpty(caseSchema) });

/** A session to explain a call in: a case without a name, or only its calls. */
export const sessionFileSchema = map({
  name: optional(text()),
  files: optional(files),
  session: optional(session),
  calls: list(caseCallSchema),
});

export type CaseCall = z.output<typeof caseCallSchema>;
export type RuleCase = z.output<typeof caseSchema>;
export type SessionFile = z.output<typeof sessionFileSchema>;

/** JSON Schema for editors, written to `docs/schema/cases.schema.json`. */
export function caseJsonSchema(): { readonly [key: string]: unknown } {
  return {
    title: "cases.yaml",
    description: "Cases that rules are tested with: calls in, decisions out.",
    ...z.toJSONSchema(caseFileSchema, { io: "input", target: "draft-7" }),
  };
}
