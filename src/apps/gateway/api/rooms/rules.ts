import { z } from "zod";
import { describeRule } from "../../../../engine/agent/rules/describe-rule.ts";
import { parseCases } from "../../../../engine/agent/rules/parse-cases.ts";
import { parseRules } from "../../../../engine/agent/rules/parse-rules.ts";
import { checkCase } from "../../../policy/policy-expect.ts";
import { runCalls } from "../../../policy/policy-run.ts";
import type { RouteHandlers, RouteTable } from "../route.ts";
import { anything } from "../shapes.ts";

const OPERATOR = ["operator"] as const;
const text = z.string().max(200_000);
const fault = z.object({
  line: z.number(),
  column: z.number(),
  message: z.string(),
  hint: z.string().optional(),
});
/** A rule file has as many cases as a person would write. */
const MOST_CASES = 200;

export const ruleRoutes = {
  "POST /api/rules/check": {
    summary: "Every fault of a rule file with its place, or what each rule does",
    tag: "rules",
    roles: ["operator", "viewer"],
    body: z.object({ text }),
    response: z.object({
      faults: z.array(fault),
      warnings: z.array(fault),
      rules: z.array(z.object({ id: z.string(), effect: z.string(), does: z.string(), line: z.number().optional() })),
    }),
  },
  "POST /api/rules/test": {
    summary: "Run cases against a rule file, on the real engine",
    tag: "rules",
    roles: OPERATOR,
    body: z.object({ text, cases: text }),
    response: z.object({
      faults: z.array(fault),
      caseFaults: z.array(fault),
      passed: z.number(),
      failures: z.array(anything),
    }),
  },
} satisfies RouteTable;

export function ruleHandlers(): RouteHandlers<typeof ruleRoutes> {
  return {
    async "POST /api/rules/check"({ body }) {
      const parsed = parseRules(body.text, "rules.yaml");
      if ("faults" in parsed) return { faults: places(parsed.faults), warnings: [], rules: [] };
      const rules = parsed.ruleSet.rules.map((rule) => ({
        id: rule.id,
        effect: rule.effect,
        does: describeRule(rule),
        ...(rule.place === undefined ? {} : { line: rule.place.line }),
      }));
      return { faults: [], warnings: places(parsed.warnings), rules };
    },
    async "POST /api/rules/test"({ body }) {
      const nothing = { faults: [], caseFaults: [], passed: 0, failures: [] };
      const parsed = parseRules(body.text, "rules.yaml");
      if ("faults" in parsed) return { ...nothing, faults: places(parsed.faults) };
      const read = parseCases(body.cases, "cases.yaml", parsed.ruleSet);
      if ("faults" in read) return { ...nothing, caseFaults: places(read.faults) };
      const failures: Record<string, unknown>[] = [];
      const cases = read.cases.slice(0, MOST_CASES);
      for (const one of cases) {
        const failure = checkCase(one, await runCalls(parsed.ruleSet, one));
        if (failure !== undefined) failures.push({ ...failure });
      }
      return { ...nothing, passed: cases.length - failures.length, failures };
    },
  };
}

function places(
  faults: readonly {
    readonly line: number;
    readonly column: number;
    readonly message: string;
    readonly hint?: string;
  }[],
) {
  return faults.map(({ line, column, message, hint }) => ({
    line,
    column,
    message,
    ...(hint === undefined ? {} : { hint }),
  }));
}
