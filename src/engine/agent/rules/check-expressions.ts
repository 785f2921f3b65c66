import { compilePredicate } from "../../../behavior/policy/rules/predicate.ts";
import type { ConfigPath } from "../config-fault.ts";
import type { BuiltRule } from "./build-rule.ts";
import { targetsOf, undeclared } from "./check-arguments.ts";
import type { Finding } from "./check-names.ts";
import type { RuleNames } from "./rule-names.ts";

/** Expressions that do not compile; with declared tools, also those that look at an argument no call can have. */
export function checkExpressions(rules: readonly BuiltRule[], names: RuleNames): readonly Finding[] {
  return rules.flatMap((built) =>
    expressionsOf(built, names).flatMap(({ source, path, tools }): readonly Finding[] => {
      const compiled = compilePredicate(source);
      if (!("fault" in compiled)) {
        return compiled.args.flatMap((argument) =>
          undeclared({ argument, path, at: "value" }, tools, names, built.draft, "warning"),
        );
      }
      const { message, column, hint } = compiled.fault;
      const complaint = {
        path,
        at: "value" as const,
        message: `'${String(path.at(-1))}' cannot be used: ${message}`,
        column,
        hint,
      };
      return [{ draft: built.draft, complaint, level: "fault" }];
    }),
  );
}

/** `tools` are those whose calls it looks at. */
type Expression = { readonly source: string; readonly path: ConfigPath; readonly tools: readonly string[] };

function expressionsOf(built: BuiltRule, names: RuleNames): readonly Expression[] {
  const { value: rule, path, leaves } = built;
  const tools = targetsOf(built, names);
  return [
    ...(rule.unless === undefined ? [] : [{ source: rule.unless, path: [...path, "unless"], tools }]),
    ...(rule.when === undefined ? [] : [{ source: rule.when, path: [...path, "when"], tools }]),
    ...leaves.flatMap(({ value: { where, call }, path: at }) =>
      where === undefined ? [] : [{ source: where, path: [...at, "where"], tools: names.toolsOf(call) }],
    ),
  ];
}
