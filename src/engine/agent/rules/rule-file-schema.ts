import { z } from "zod";
import type { Json } from "../../../base/words/json.ts";
import {
  amount,
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

const names = (what: string) => nonEmpty(text()).describe(what);
const nameOrNames = (what: string) =>
  z
    .union([text(), nonEmpty(text())], {
      error: "must be a name or a list of names",
    })
    .describe(what);

/** `effect`, strictest first. */
export const EFFECTS = ["end-turn", "deny", "soft-deny", "ask", "warn", "remind", "shadow"] as const;

export const LEVELS = ["gentle", "standard", "strict"] as const;

const effectAtLevel = (level: string) => optional(oneOf(...EFFECTS, "off"), `The effect at level ${level}.`);

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
    all: optional(conditions("All of these are required.")),
    any: optional(conditions("One of these is enough.")),
    not: optional(
      z.lazy(() => condition),
      "This must not have happened.",
    ),
    same: optional(
      z.union([names("Arguments that must be equal under the same name."), named(text())], {
        error: "must be a list of arguments, or a map from this call's arguments to the earlier call's",
      }),
      "Maps arguments of this call to arguments of the earlier call. All must be equal; paths are resolved first.",
    ),
    fresh: optional(yesOrNo(), "The file at the path in 'same' must not have changed since."),
    within: optional(duration(), "Maximum age of the evidence: 90s, 10m, 1.5h."),
    since: optional(text(), "Evidence from before the last successful call of this name does not count."),
    where: optional(text(), "CEL expression on the earlier call, evaluated when that call was made."),
    counts: optional(
      oneOf("succeeded", "allowed"),
      "Which calls count as evidence: those that succeeded (default), or all that were allowed.",
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
      matching(/^\S+$/, "must be a name without spaces"),
      "Shown in every decision; two rules of one agent cannot share it.",
    ),
    on: optional(nameOrNames("Tools or actions that the rule applies to; * matches anything.")),
    unless: optional(text(), "CEL expression: the rule does not apply if it is true."),
    when: optional(text(), "CEL expression: the rule does not apply if it is false."),
    require: optional(condition, "What must have happened earlier in the session."),
    atMost: optional(
      map({
        count: amount("whole").describe("Maximum number of calls."),
        per: optional(
          nameOrNames("Count calls separately for each combination of these arguments. Default: per session."),
        ),
      }),
    ),
    set: optional(named(json), "Arguments to rewrite before the decision."),
    effect: optional(
      z.union(
        [
          oneOf(...EFFECTS),
          map({
            gentle: effectAtLevel("gentle"),
            standard: oneOf(...EFFECTS, "off"),
            strict: effectAtLevel("strict"),
          }),
        ],
        { error: `must be one of ${EFFECTS.join(", ")}, or a map from levels to effects` },
      ),
      "What happens when the rule is violated, or a map with the effect at each level. Default: deny.",
    ),
    why: optional(text(), "One sentence for people: why the rule exists."),
    say: optional(text(), "The message to the agent; {{args.x}} is replaced by the argument."),
    remember: optional(
      oneOf("session"),
      "With effect: ask. A person may answer always: the same effect on the same files is allowed for the session.",
    ),
    tag: optional(
      nameOrNames("Custom tags that the session gets when the rule objects to a call, whatever its effect."),
    ),
    toolName: optional(text(), "Short form: the tool or action that the rule applies to."),
    requiredPrior: optional(names("Short form: tools or actions that must have succeeded before.")),
    blockMessage: optional(text(), "Short form: the message to the agent when they are missing."),
  }),
  ["on", "toolName"],
);

const pattern = z
  .union([text(), nonEmpty(text())], { error: "must be a regular expression or a list of them" })
  .transform((written) => (typeof written === "string" ? [written] : written));

/** A rule file as an agent uses it: at a level, without some of its rules. */
export const packSchema = map({
  pack: text().describe("A rule file or a pack."),
  level: optional(
    oneOf(...LEVELS),
    "gentle: warns and reminds. standard: the default. strict: denies what standard asks.",
  ),
  off: optional(list(text()), "Rules of the pack that do not apply, by id."),
  shadow: optional(list(text()), "Rules of the pack that only record what they would block, by id."),
  except: optional(
    named(text()),
    "Exemptions: the id of a rule, and a CEL expression on the calls that it leaves alone.",
  ),
  patterns: optional(named(pattern), "Other values for patterns of the pack, by name."),
});

export type PackConfig = z.output<typeof packSchema>;

export const actionSchema = map({
  tool: text(),
  command: optional(text(), "A pattern for the command line; * matches anything."),
  implies: optional(
    names("What a successful call also proves, with the same arguments: actions, or facts of any name."),
  ),
});

export const toolSchema = map({
  name: text(),
  description: optional(text()),
  args: optional(list(text()), "The names of all its arguments."),
  prerequisites: optional(names("What must have succeeded before this tool.")),
});

/** Types, validation and the editors' schema of rule files all come from this. */
export const ruleFileSchema = map({
  tools: optional(
    nonEmpty(toolSchema),
    "The tools that this file uses, in addition to the common vocabulary. Any other name is then an error.",
  ),
  actions: optional(named(actionSchema), "Named kinds of calls, such as test for shell with npm test."),
  patterns: optional(
    named(pattern),
    "Regular expressions by name, for patterns.NAME in expressions. One of a list is enough to match.",
  ),
  rules: optional(nonEmpty(ruleSchema)),
});

export type RuleConfig = z.output<typeof ruleSchema>;
export type RuleActionConfig = z.output<typeof actionSchema>;

/** JSON Schema for editors, written to `docs/schema/rules.schema.json`. */
export function ruleJsonSchema(): { readonly [key: string]: unknown } {
  return {
    title: "rules.yaml",
    description: "Rules for agents in Conduct.",
    ...z.toJSONSchema(ruleFileSchema, { io: "input", target: "draft-7" }),
  };
}
