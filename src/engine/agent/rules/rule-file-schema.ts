import { z } from "zod";
import type { Json } from "../../../base/words/json.ts";
import { amount, duration, exactlyOne, list, map, named, oneOf, text, yesOrNo } from "../config/config-fields.ts";

const names = (what: string) => list(text()).min(1, { error: "must not be empty" }).describe(what);
const nameOrNames = (what: string) =>
  z
    .union([text(), list(text()).min(1, { error: "must not be empty" })], {
      error: "must be a name or a list of names",
    })
    .describe(what);

/** `effect`, strictest first. */
export const EFFECTS = ["end-turn", "deny", "soft-deny", "ask", "warn", "remind", "shadow"] as const;

/** What must have been before, as it is written: a name alone, or a map. */
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
const conditions = (what: string) =>
  list(z.lazy(() => condition))
    .min(1, { error: "must not be empty" })
    .describe(what);

const conditionMap = exactlyOne(
  map({
    call: text().exactOptional().describe("A tool, an action, or a fact that an action implies."),
    all: conditions("Every one of these.").exactOptional(),
    any: conditions("One of these is enough.").exactOptional(),
    not: z
      .lazy(() => condition)
      .exactOptional()
      .describe("This must not have been."),
    same: z
      .union([names("Arguments that must be equal under the same name."), named(text())], {
        error: "must be a list of arguments, or a map from this call's to the earlier call's",
      })
      .exactOptional()
      .describe("Left this call's argument, right the earlier call's; all must be equal, paths resolved."),
    fresh: yesOrNo().exactOptional().describe("The file that the path in 'same' names has not changed since."),
    within: duration().exactOptional().describe("How old the evidence may be: 90s, 10m, 1.5h."),
    since: text().exactOptional().describe("Evidence older than the last ok call of this name does not count."),
    where: text().exactOptional().describe("CEL over the earlier call, decided when it was made."),
    counts: oneOf("succeeded", "allowed")
      .exactOptional()
      .describe("What proves: a call that succeeded (unless told), or one that was let through."),
  }),
  CONDITION_KINDS,
);

const condition: z.ZodType<ConditionConfig> = z.lazy(() =>
  z.union([text(), conditionMap], { error: "must be a name, or a map with one of 'call', 'all', 'any', 'not'" }),
);

const json: z.ZodType<Json> = z.json({ error: "must be plain data" });

/** One rule: our own form with `on`, or the short one with `toolName`. */
export const ruleSchema = exactlyOne(
  map({
    id: z
      .string({ error: "must be a text" })
      .regex(/^[^\s]+$/, { error: "must be a name without spaces" })
      .exactOptional()
      .describe("Shown in every decision; two rules of one agent cannot share it."),
    on: nameOrNames("Tools or actions it is about; * stands for anything.").exactOptional(),
    unless: text().exactOptional().describe("CEL: where this is true the rule does not apply."),
    when: text().exactOptional().describe("CEL: where this is false the rule does not apply."),
    require: condition.exactOptional().describe("What must have been before, in this session."),
    atMost: map({
      count: amount("whole").describe("So many calls at most."),
      per: nameOrNames("For each combination of these arguments; in the whole session when left out.").exactOptional(),
    }).exactOptional(),
    set: named(json).exactOptional().describe("Arguments that are rewritten before anything is decided."),
    effect: oneOf(...EFFECTS)
      .exactOptional()
      .describe("What happens when the rule is not satisfied; deny unless told."),
    say: text().exactOptional().describe("What the agent is told; {{args.x}} is filled in."),
    toolName: text().exactOptional().describe("Short form: this tool or action …"),
    requiredPrior: names("… needs these before it …").exactOptional(),
    blockMessage: text().exactOptional().describe("… and this is said when they are missing."),
  }),
  ["on", "toolName"],
);

export const actionSchema = map({
  tool: text(),
  command: text().exactOptional().describe("A pattern over the command line; * stands for anything."),
  implies: names("What else it establishes, with the same arguments: actions, or facts of any name.").exactOptional(),
});

export const toolSchema = map({
  name: text(),
  description: text().exactOptional(),
  args: list(text()).exactOptional().describe("The names of all its arguments."),
  prerequisites: names("What must have succeeded before it.").exactOptional(),
});

/** The one source of what a rule file may say: types, checks and the editors' schema all come from it. */
export const ruleFileSchema = map({
  tools: list(toolSchema)
    .min(1, { error: "must not be empty" })
    .exactOptional()
    .describe("The tools this file is written for, besides the common vocabulary; any other name is then a fault."),
  actions: named(actionSchema).exactOptional().describe("Names for kinds of calls: test is shell with npm test."),
  rules: list(ruleSchema).min(1, { error: "must not be empty" }).exactOptional(),
});

export type RuleConfig = z.output<typeof ruleSchema>;
export type RuleActionConfig = z.output<typeof actionSchema>;
