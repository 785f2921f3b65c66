import { z } from "zod";
import type { Json } from "../../../base/words/json.ts";
import {
  amount,
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

const names = (what: string) => nonEmpty(text()).describe(what);
const nameOrNames = (what: string) =>
  z
    .union([text(), nonEmpty(text())], {
      error: "must be a name or a list of names",
    })
    .describe(what);

/** `effect`, strictest first. */
export const EFFECTS = ["end-turn", "deny", "soft-deny", "ask", "warn", "remind", "shadow"] as const;

/** A requirement as written: a name alone, or a map. */
export type ConditionConfig = string | ConditionMap;
export type ConditionMap = {
  readonly all?: readonly ConditionConfig[];
  readonly any?: readonly ConditionConfig[];
  readonly not?: ConditionConfig;
  readonly call?: string;
  readonly same?: readonly string[] | { readonly [mine: string]: string };
  readonly fresh?: boolean;
  readonly within?: number;
  readonly since?: string;
  readonly where?: string;
  readonly counts?: "succeeded" | "allowed";
};

const CONDITION_KINDS = ["call", "all", "any", "not"] as const;
const conditions = (what: string) => nonEmpty(z.lazy(() => condition)).describe(what);

const conditionMap = exactlyOne(
  map({
    call: optional(text(), "A tool, an action, or a fact that an action implies."),
    all: optional(conditions("Every one of these.")),
    any: optional(conditions("One of these is enough.")),
    not: optional(
      z.lazy(() => condition),
      "This must not have been.",
    ),
    same: optional(
      z.union([names("Arguments that must be equal under the same name."), named(text())], {
        error: "must be a list of arguments, or a map from this call's to the earlier call's",
      }),
      "Left this call's argument, right the earlier call's; all must be equal, paths resolved.",
    ),
    fresh: optional(yesOrNo(), "The file that the path in 'same' names has not changed since."),
    within: optional(duration(), "How old the evidence may be: 90s, 10m, 1.5h."),
    since: optional(text(), "Evidence older than the last ok call of this name does not count."),
    where: optional(text(), "CEL over the earlier call, decided when it was made."),
    counts: optional(
      oneOf("succeeded", "allowed"),
      "What proves: a call that succeeded (unless told), or one that was let through.",
    ),
  }),
  CONDITION_KINDS,
);

const condition: z.ZodType<ConditionConfig> = z.lazy(() =>
  z.union([text(), conditionMap], { error: "must be a name, or a map with one of 'call', 'all', 'any', 'not'" }),
);

const json: z.ZodType<Json> = z.json({ error: "must be plain data" });

/** One rule: the long form with `on`, or the short form with `toolName`. */
export const ruleSchema = exactlyOne(
  map({
    id: optional(
      z.string({ error: "must be a text" }).regex(/^[^\s]+$/, { error: "must be a name without spaces" }),
      "Shown in every decision; two rules of one agent cannot share it.",
    ),
    on: optional(nameOrNames("Tools or actions it is about; * stands for anything.")),
    unless: optional(text(), "CEL: where this is true the rule does not apply."),
    when: optional(text(), "CEL: where this is false the rule does not apply."),
    require: optional(condition, "What must have been before, in this session."),
    atMost: optional(
      map({
        count: amount("whole").describe("So many calls at most."),
        per: optional(nameOrNames("For each combination of these arguments; in the whole session when left out.")),
      }),
    ),
    set: optional(named(json), "Arguments that are rewritten before anything is decided."),
    effect: optional(oneOf(...EFFECTS), "What happens when the rule is not satisfied; deny unless told."),
    say: optional(text(), "What the agent is told; {{args.x}} is filled in."),
    toolName: optional(text(), "Short form: this tool or action …"),
    requiredPrior: optional(names("… needs these before it …")),
    blockMessage: optional(text(), "… and this is said when they are missing."),
  }),
  ["on", "toolName"],
);

export const actionSchema = map({
  tool: text(),
  command: optional(text(), "A pattern over the command line; * stands for anything."),
  implies: optional(names("What else it establishes, with the same arguments: actions, or facts of any name.")),
});

export const toolSchema = map({
  name: text(),
  description: optional(text()),
  args: optional(list(text()), "The names of all its arguments."),
  prerequisites: optional(names("What must have succeeded before it.")),
});

/** Types, validation and the editors' schema of rule files all come from this. */
export const ruleFileSchema = map({
  tools: optional(
    nonEmpty(toolSchema),
    "The tools this file is written for, besides the common vocabulary; any other name is then a fault.",
  ),
  actions: optional(named(actionSchema), "Names for kinds of calls: test is shell with npm test."),
  rules: optional(nonEmpty(ruleSchema)),
});

export type RuleConfig = z.output<typeof ruleSchema>;
export type RuleActionConfig = z.output<typeof actionSchema>;

/** JSON Schema for editors, written to `docs/schema/rules.schema.json`. */
export function ruleJsonSchema(): { readonly [key: string]: unknown } {
  return {
    title: "rules.yaml",
    description: "Rules that bind agents, for Conduct.",
    ...z.toJSONSchema(ruleFileSchema, { io: "input", target: "draft-7" }),
  };
}
