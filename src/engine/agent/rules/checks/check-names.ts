import { nearest } from "../../../../base/kernel/nearest.ts";
import type { Complaint, ConfigPath } from "../../config/config-fault.ts";
import type { BuiltRule } from "../build-rule.ts";
import type { RuleDraft } from "../rule-draft.ts";
import type { RuleNames } from "./rule-names.ts";

/** A complaint of one file; a warning keeps nothing from working. */
export type Finding = { readonly draft: RuleDraft; readonly complaint: Complaint; readonly level: "fault" | "warning" };

/** Names that nothing declares: faults in a file for which the tools are declared, else warnings. */
export function checkNames(
  drafts: readonly RuleDraft[],
  rules: readonly BuiltRule[],
  names: RuleNames,
  strict: (draft: RuleDraft) => boolean,
): readonly Finding[] {
  const written = new Set(drafts.flatMap((draft) => draft.written));
  const unknown = (draft: RuleDraft, complaint: Complaint): Finding => ({
    draft,
    complaint,
    level: strict(draft) ? "fault" : "warning",
  });
  const doubt = (draft: RuleDraft, name: string, path: ConfigPath, what: string, known: ReadonlySet<string>) =>
    known.has(name) || names.isTool(name) || written.has(name)
      ? []
      : [unknown(draft, undeclared(name, path, what, known))];
  const tools = new Set([...names.callable].filter((name) => names.isTool(name)));
  return [
    ...drafts.flatMap((draft) =>
      draft.actions.flatMap(({ name, value, path }) => [
        ...takenNames(draft, name, path, names),
        // The agent's own actions are looked at with the rest of its file.
        ...(draft.own ? [] : doubt(draft, value.tool, [...path, "tool"], "tool", tools)),
      ]),
    ),
    ...rules.flatMap(({ value: rule, draft, onPath, leaves }) => [
      ...rule.on.flatMap((name, at): readonly Finding[] => {
        const path = [...onPath, at];
        if (!name.includes("*")) {
          const fact = calledFact(draft, name, path, names);
          return fact.length > 0 ? fact : doubt(draft, name, path, "tool or action", names.callable);
        }
        if (names.matching(name).length > 0 || name.includes("/")) return [];
        const message = `'${name}' matches no tool or action that is declared`;
        return [{ draft, complaint: { path, at: "value", message }, level: "warning" }];
      }),
      ...leaves.flatMap(({ value: { call, since }, path }) => [
        ...doubt(draft, call, [...path, "call"], "tool, action or fact", names.provable),
        ...(since === undefined ? [] : doubt(draft, since, [...path, "since"], "tool, action or fact", names.provable)),
      ]),
    ]),
  ];
}

function takenNames(draft: RuleDraft, name: string, path: ConfigPath, names: RuleNames): readonly Finding[] {
  if (!names.isTool(name) || draft.own) return [];
  const message = name.includes("/") ? `'${name}' is the name of a server's tool` : `'${name}' is a tool already`;
  const complaint: Complaint = { path, at: "key", message, hint: "give the action another name" };
  return [{ draft, complaint, level: "fault" }];
}

function calledFact(draft: RuleDraft, name: string, path: ConfigPath, names: RuleNames): readonly Finding[] {
  if (!names.isFact(name) || names.isTool(name) || names.action(name) !== undefined) return [];
  const message = `'${name}' is a fact: it is established, not called`;
  const hint = `name what establishes it: ${names.establishing(name).join(", ")}`;
  return [{ draft, complaint: { path, at: "value", message, hint }, level: "fault" }];
}

function undeclared(name: string, path: ConfigPath, what: string, known: ReadonlySet<string>): Complaint {
  const meant = nearest(name, known);
  const declare = what === "tool" ? "declare it under tools" : "declare it under tools or actions";
  const hint = meant === undefined ? declare : `did you mean '${meant}'? Otherwise ${declare}`;
  return { path, at: "value", message: `no ${what} '${name}' is declared`, hint };
}
