import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import type { RuleAction } from "../../../base/words/rule.ts";
import type { Finding } from "./check-names.ts";
import { closeImplies } from "./close-implies.ts";
import type { RuleDraft } from "./rule-draft.ts";

/** The actions of all files, what they imply closed. The agent's own win; two files that mean different things are told. */
export function joinActions(drafts: readonly RuleDraft[]): {
  readonly actions: { readonly [name: string]: RuleAction };
  readonly findings: readonly Finding[];
} {
  const joined = new Map<string, { readonly action: RuleAction; readonly draft: RuleDraft; readonly place: string }>();
  const findings: Finding[] = [];
  // The agent's own come first, so that they are there when the others are looked at.
  for (const draft of [...drafts].sort((a, b) => Number(b.own) - Number(a.own))) {
    for (const { name, value, path } of draft.actions) {
      const known = joined.get(name);
      if (known === undefined) {
        const { file, line } = draft.locate({ path, at: "key", message: "" });
        joined.set(name, { action: value, draft, place: `${file}:${line}` });
      } else if (!known.draft.own && canonicalJson(known.action) !== canonicalJson(value)) {
        const message = `action '${name}' means something else at ${known.place}`;
        const hint = "rename one of them, or say in the agent's own actions what it means";
        findings.push({ draft, complaint: { path, at: "key", message, hint }, level: "fault" });
      }
    }
  }
  const actions = Object.fromEntries([...joined].map(([name, { action }]) => [name, action]));
  return { actions: closeImplies(actions), findings };
}
