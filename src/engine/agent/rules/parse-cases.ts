import { nearest } from "../../../base/kernel/nearest.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { RuleSet } from "../../../base/words/rule.ts";
import { type Complaint, type ConfigFault, sortFaults } from "../config/config-fault.ts";
import { ConfigSource } from "../config/config-source.ts";
import { readForm, withoutOffset } from "../config/read-form.ts";
import {
  type CaseCall,
  caseCallSchema,
  caseFileSchema,
  type RuleCase,
  type SessionFile,
  SHORT_CALLS,
  sessionFileSchema,
} from "./case-file-schema.ts";

/** Cases with the line each stands at, or everything that is wrong with the file. */
export type ParsedCases =
  | { readonly cases: readonly (RuleCase & { readonly line: number })[] }
  | { readonly faults: readonly ConfigFault[] };

/** Reads the text of a cases.yaml; every rule it expects must be among the rules. */
export function parseCases(text: string, file: string, { rules }: RuleSet): ParsedCases {
  const source = new ConfigSource(text.replace(/^\uFEFF/, ""), file);
  const locate = (complaint: Complaint) => withoutOffset(source.locate(complaint));
  const read = readForm(source, { schema: caseFileSchema });
  if (read.kind === "broken") return { faults: sortFaults(read.faults) };
  const ids = rules.map(({ id }) => id);
  const cases = read.data?.cases ?? [];
  const complaints = [...read.complaints, ...cases.flatMap((one, at) => unknownRules(one, at, ids))];
  if (complaints.length > 0) return { faults: sortFaults(complaints.map(locate)) };
  return {
    cases: cases.map((one, at) => ({ ...one, line: locate({ path: ["cases", at], at: "value", message: "" }).line })),
  };
}

/** Reads a session for `policy explain`: a list of calls, or a map with `calls`. */
export function parseSession(
  text: string,
  file: string,
): { readonly session: SessionFile } | { readonly faults: readonly ConfigFault[] } {
  const source = new ConfigSource(text.replace(/^\uFEFF/, ""), file);
  const schema = Array.isArray(source.value)
    ? caseCallSchema.array().transform((calls): SessionFile => ({ calls }))
    : sessionFileSchema;
  const read = readForm<SessionFile>(source, { schema });
  if (read.kind === "broken") return { faults: sortFaults(read.faults) };
  if (read.data !== undefined) return { session: read.data };
  return { faults: sortFaults(read.complaints.map((one) => withoutOffset(source.locate(one)))) };
}

/** One call as it is written in a case, from JSON or YAML. */
export function parseCaseCall(
  text: string,
  file: string,
): { readonly call: CaseCall } | { readonly faults: readonly ConfigFault[] } {
  const source = new ConfigSource(text, file);
  // `{tool, args}` alone is what most people would write.
  const { value } = source;
  const bare = typeof value === "object" && value !== null && Object.hasOwn(value, "tool");
  const schema = bare ? caseCallSchema.shape.call.transform((call): CaseCall => ({ call })) : caseCallSchema;
  const read = readForm<CaseCall>(source, { schema });
  if (read.kind === "broken") return { faults: sortFaults(read.faults) };
  if (read.data !== undefined) return { call: read.data };
  return { faults: sortFaults(read.complaints.map((one) => withoutOffset(source.locate(one)))) };
}

/** The tool and the arguments of a call, however it is written. */
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
    if (kind === "allow") return [{ path, at: "value", message: "'allow' names no rule", hint: "write 'allow' alone" }];
    if (ids.includes(rule) || rule.startsWith("builtin:")) return [];
    const meant = nearest(rule, ids);
    const hint = meant === undefined ? `the rules are: ${ids.join(", ")}` : `did you mean '${meant}'?`;
    return [{ path, at: "value", column: kind.length + 2, message: `there is no rule '${rule}'`, hint }];
  });
}
