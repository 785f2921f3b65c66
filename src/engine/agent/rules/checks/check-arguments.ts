import { didYouMean } from "../../../../base/kernel/nearest.ts";
import type { Complaint, ConfigPath } from "../../config/config-fault.ts";
import type { BuiltRule, PlacedLeaf } from "../build-rule.ts";
import type { RuleDraft } from "../draft-rules.ts";
import type { Finding, RuleNames } from "./check-names.ts";

type Use = { readonly argument: string; readonly path: ConfigPath; readonly at?: "key" };

/** Undeclared arguments, and `fresh` without a file. */
export function checkArguments(rules: readonly BuiltRule[], names: RuleNames): readonly Finding[] {
  return rules.flatMap((built) => {
    const { value: rule, draft, path, leaves } = built;
    const targets = targetsOf(built, names);
    const own: readonly Use[] = [
      ...leaves.flatMap((leaf) =>
        leaf.value.same.map(({ mine }, at) => ({
          argument: mine,
          path: leaf.pairs[at] ?? leaf.path,
          at: "key" as const,
        })),
      ),
      ...(rule.atMost?.per ?? []).map((argument, at) => ({ argument, path: [...path, "atMost", "per", at] })),
      ...Object.keys(rule.set ?? {}).map((argument) => ({
        argument,
        path: [...path, "set", argument],
        at: "key" as const,
      })),
    ];
    return [
      ...own.flatMap((use) => undeclared(use, targets, names, draft, "fault")),
      ...saidArguments(built).flatMap((use) => undeclared(use, targets, names, draft, "warning")),
      ...leaves.flatMap((leaf) => theirArguments(leaf, names, draft)),
      ...leaves.flatMap((leaf) => freshness(leaf, names, draft)),
    ];
  });
}

/** Known tools whose calls the rule applies to. */
export function targetsOf({ value: { on } }: BuiltRule, names: RuleNames): readonly string[] {
  return [...new Set(on.flatMap((pattern) => names.matching(pattern)).flatMap((name) => names.toolsOf(name)))];
}

/** A command pattern needs a tool with a `command` argument. */
export function checkCommands(drafts: readonly RuleDraft[], names: RuleNames): readonly Finding[] {
  return drafts.flatMap((draft) =>
    draft.actions
      .filter(({ value }) => value.command !== undefined)
      .flatMap(({ value, path }) =>
        undeclared({ argument: "command", path: [...path, "command"], at: "key" }, [value.tool], names, draft, "fault"),
      ),
  );
}

function theirArguments({ value, path, pairs }: PlacedLeaf, names: RuleNames, draft: RuleDraft): readonly Finding[] {
  const tools = names.toolsOf(value.call);
  return value.same.flatMap(({ theirs }, at) =>
    undeclared({ argument: theirs, path: pairs[at] ?? path }, tools, names, draft, "fault"),
  );
}

function saidArguments({ value: { say = "" }, path, draft }: BuiltRule): readonly Use[] {
  const key = draft.rules.find((placed) => placed.path === path)?.value.say === undefined ? "blockMessage" : "say";
  return [...say.matchAll(/\{\{\s*args\.([\w-]+)\s*\}\}/g)].map(([, argument = ""]) => ({
    argument,
    path: [...path, key],
  }));
}

/** Reported once, for the first tool that lacks the argument. */
export function undeclared(
  { argument, path, at }: Use,
  tools: readonly string[],
  names: RuleNames,
  draft: RuleDraft,
  level: Finding["level"],
): readonly Finding[] {
  for (const tool of tools) {
    const known = names.argumentsOf(tool);
    if (known === undefined || known.includes(argument)) continue;
    const has = known.length === 0 ? `'${tool}' takes no arguments` : `'${tool}' has: ${known.join(", ")}`;
    const hint = didYouMean(argument, known, has);
    return [{ draft, complaint: { path, at, message: `'${tool}' has no argument '${argument}'`, hint }, level }];
  }
  return [];
}

/** `fresh` needs an argument that names a file. */
function freshness({ value, path }: PlacedLeaf, names: RuleNames, draft: RuleDraft): readonly Finding[] {
  if (!value.fresh) return [];
  const told = (message: string, hint: string, level: Finding["level"]): readonly Finding[] => {
    const complaint: Complaint = { path: [...path, "fresh"], at: "key", message, hint };
    return [{ draft, complaint, level }];
  };
  if (value.same.length === 0) {
    return told("'fresh' needs a path in 'same'", "say which file: same: { path: path }", "fault");
  }
  for (const tool of names.toolsOf(value.call)) {
    const paths = names.pathsOf(tool);
    if (paths === undefined) {
      const message = `'fresh' is never met unless it is known which argument of '${tool}' names a file`;
      return told(message, "declare the tool in conduct.yaml with paths: { ARGUMENT: read }", "warning");
    }
    if (value.same.some(({ theirs }) => paths.includes(theirs))) continue;
    const hint =
      paths.length === 0 ? `'${tool}' names no file` : `the files of '${tool}' are named by: ${paths.join(", ")}`;
    return told("'fresh' needs a path in 'same'", hint, "fault");
  }
  return [];
}
