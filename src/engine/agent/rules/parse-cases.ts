import type { z } from "zod";
import { didYouMean } from "../../../base/kernel/nearest.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { RuleSet } from "../../../base/words/rule.ts";
import { type Complaint, type ConfigFault, sortFaults } from "../config/config-fault.ts";
import { ConfigSource } from "../config/config-source.ts";
import { readForm } from "../config/schema-faults.ts";
import {
  type CaseCall,
  caseCallSchema,
  caseFileSchema,
  type RuleCase,
  type SessionFile,
  SHORT_CALLS,
  sessionFileSchema,
} from "./case-file-schema.ts";

/** Cases with their lines, or all faults. */
export type ParsedCases =
  | { readonly cases: readonly (RuleCase & { readonly line: number })[] }
  | { readonly faults: readonly ConfigFault[] };

/** Parses cases.yaml; every rule that it expects must exist. */
export function parseCases(text: string, file: string, { rules }: RuleSet): ParsedCases {
  const source = new ConfigSource(text, file);
  const { locate } = source;
  const read = readForm(source, { schema: caseFileSchema });
  if ("faults" in read) return read;
  const ids = rules.map(({ id }) => id);
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
    if (kind === "allow") return [{ path, message: "'allow' names no rule", hint: "write 'allow' alone" }];
    if (ids.includes(rule) || rule.startsWith("builtin:")) return [];
    const hint = didYouMean(rule, ids, `the rules are: ${ids.join(", ")}`);
    return [{ path, column: kind.length + 2, message: `there is no rule '${rule}'`, hint }];
  });
}
