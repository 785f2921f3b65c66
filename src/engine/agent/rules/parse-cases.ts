import { z } from "zod";
import { didYouMean } from "../../../base/kernel/nearest.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { RuleSet } from "../../../base/words/rule.ts";
import { type Complaint, type ConfigFault, ConfigSource, sortFaults } from "../config/config-source.ts";
import { readForm } from "../config/schema-faults.ts";
import {
  duration,
  exactlyOne,
  list,
  map,
  matching,
  named,
  nonEmpty,
  oneOf,
  optional,
  text,
  yesOrNo,
} from "../config/schema-fields.ts";
import { EFFECTS, LEVELS } from "./rule-file-schema.ts";

const json: z.ZodType<Json> = z.json({ error: "must be plain data" });
const files = named(z.union([z.string(), z.null()], { error: "must be a string, or null for a missing file" }));
const EXPECTED = ["allow", ...EFFECTS];

const expectation = matching(
  new RegExp(`^(${EXPECTED.join("|")})( \\S+)?$`),
  `must be one of ${EXPECTED.join(", ")}, followed by the rule's id (except for allow), such as 'deny read-before-write'`,
);

/** The tools that a case may write in short: `shell: npm test`, `read_file: a.txt`. */
const SHORT_CALLS = { shell: "command", read_file: "path", write_file: "path", edit_file: "path" } as const;

/** One call of a case: what happens before it, the call, what is expected, what becomes of it. */
const caseCallSchema = exactlyOne(
  map({
    message: optional(text(), "A message from a person before the call; it starts a new turn."),
    after: optional(duration(), "Time that passes before the call: 10m."),
    files: optional(files, "Files that somebody else created, changed or removed (null) before the call."),
    call: optional(map({ tool: text(), args: optional(named(json)) })),
    shell: optional(text(), "Short for a call of shell with this command."),
    read_file: optional(text(), "Short for a call of read_file with this path."),
    write_file: optional(text(), "Short for a call of write_file with this path."),
    edit_file: optional(text(), "Short for a call of edit_file with this path."),
    step: optional(text(), "Calls of one model response share a step."),
    expect: optional(expectation, "The expected decision. Default: allow."),
    input: optional(named(json), "The expected arguments after rules rewrote them."),
    answer: optional(oneOf("yes", "no"), "A person's answer to the approval question; with yes the call runs."),
    outcome: optional(oneOf("ok", "failed", "unknown", "cancelled"), "The call's outcome. Default: ok."),
    writes: optional(files, "Files that the call creates, changes or removes (null)."),
  }),
  ["call", ...Object.keys(SHORT_CALLS)],
);

const session = map({
  user: optional(text()),
  channel: optional(text()),
  elevated: optional(yesOrNo()),
});

const caseSchema = map({
  name: text(),
  files: optional(files, "Files that exist at the start, with their content."),
  session: optional(session),
  repo: optional(named(json), "Facts about the repository that its files do not show: uncommitted: [src/a.ts]."),
  level: optional(oneOf(...LEVELS), "The level at which the rules are used. Default: standard."),
  calls: nonEmpty(caseCallSchema),
});

/** What `cases.yaml` beside a rule file may say. */
const caseFileSchema = map({ cases: nonEmpty(caseSchema) });

/** A session to explain a call in: a case without a name, or only its calls. */
const sessionFileSchema = map({ ...caseSchema.shape, name: optional(text()), calls: list(caseCallSchema) });

export type CaseCall = z.output<typeof caseCallSchema>;
export type RuleCase = z.output<typeof caseSchema>;
export type SessionFile = z.output<typeof sessionFileSchema>;

/** JSON Schema for editors, written to `docs/schema/cases.schema.json`. */
export function caseJsonSchema(): { readonly [key: string]: unknown } {
  return {
    title: "cases.yaml",
    description: "Test cases for rules: calls and the expected decisions.",
    ...z.toJSONSchema(caseFileSchema, { io: "input", target: "draft-7" }),
  };
}

/** Cases with their lines, or all faults. */
type ParsedCases =
  | { readonly cases: readonly (RuleCase & { readonly line: number })[] }
  | { readonly faults: readonly ConfigFault[] };

/** Parses cases.yaml; every rule that it expects must exist. */
export function parseCases(text: string, file: string, { rules, off = [] }: RuleSet): ParsedCases {
  const source = new ConfigSource(text, file);
  const { locate } = source;
  const read = readForm(source, { schema: caseFileSchema });
  if ("faults" in read) return read;
  const ids = [...rules, ...off].map(({ id }) => id);
  const cases = read.data?.cases ?? [];
  const complaints = [...read.complaints, ...cases.flatMap((one, at) => unknownRules(one, at, ids))];
  if (complaints.length > 0) return { faults: sortFaults(complaints.map(locate)) };
  return {
    cases: cases.map((one, at) => ({ ...one, line: locate({ path: ["cases", at], message: "" }).line })),
  };
}

type Read<T> = T | { readonly faults: readonly ConfigFault[] };

/** Parses a session for `policy explain`: a list of calls, or a map with `calls`. */
export function parseSession(text: string, file: string): Read<{ readonly session: SessionFile }> {
  const source = new ConfigSource(text, file);
  const calls = caseCallSchema.array().transform((calls): SessionFile => ({ calls }));
  const read = readAll<SessionFile>(source, Array.isArray(source.value) ? calls : sessionFileSchema);
  return "faults" in read ? read : { session: read.data };
}

/** Parses one call of a case, from JSON or YAML. */
export function parseCaseCall(text: string, file: string): Read<{ readonly call: CaseCall }> {
  const source = new ConfigSource(text, file);
  // Most people write `{tool, args}` alone.
  const { value } = source;
  const bare = typeof value === "object" && value !== null && Object.hasOwn(value, "tool");
  const schema = bare ? caseCallSchema.shape.call.transform((call): CaseCall => ({ call })) : caseCallSchema;
  const read = readAll<CaseCall>(source, schema);
  return "faults" in read ? read : { call: read.data };
}

function readAll<T>(source: ConfigSource, schema: z.ZodType<T>): Read<{ readonly data: T }> {
  const read = readForm(source, { schema });
  if ("faults" in read) return read;
  if (read.data !== undefined) return { data: read.data };
  return { faults: sortFaults(read.complaints.map(source.locate)) };
}

export function toolCallOf(call: CaseCall): { readonly tool: string; readonly args: JsonObject } {
  for (const tool of ["shell", "read_file", "write_file", "edit_file"] as const) {
    const value = call[tool];
    if (value !== undefined) return { tool, args: { [SHORT_CALLS[tool]]: value } };
  }
  return { tool: call.call?.tool ?? "", args: call.call?.args ?? {} };
}

function unknownRules({ calls }: RuleCase, at: number, ids: readonly string[]): readonly Complaint[] {
  return calls.flatMap(({ expect }, call): readonly Complaint[] => {
    const [kind = "", rule] = (expect ?? "allow").split(" ");
    const path = ["cases", at, "calls", call, "expect"];
    if (rule === undefined) return [];
    if (kind === "allow") return [{ path, message: "'allow' takes no rule id", hint: "write only 'allow'" }];
    if (ids.includes(rule) || rule.startsWith("builtin:")) return [];
    const hint = didYouMean(rule, ids, `known rules: ${ids.join(", ")}`);
    return [{ path, column: kind.length + 2, message: `there is no rule '${rule}'`, hint }];
  });
}
