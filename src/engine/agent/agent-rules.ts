import type { RuleSet } from "../../base/words/rule.ts";
import type { Complaint, ConfigFault } from "./config/config-fault.ts";
import type { NamedFiles } from "./config/config-files.ts";
import type { PlacedAgent } from "./config/merge-defaults.ts";
import { draftRules, type RuleDraft } from "./rules/draft-rules.ts";
import { joinRules } from "./rules/parse-rules.ts";

/** All rules of an agent. Without `ruleSet` there are none, or they have faults. */
export type AgentRules = {
  readonly ruleSet?: RuleSet;
  readonly faults: readonly ConfigFault[];
  readonly warnings: readonly ConfigFault[];
};

/** `locate` finds the place of a complaint in the agent's own file. */
export function agentRules(
  agent: PlacedAgent,
  files: NamedFiles,
  file: string,
  locate: (complaint: Complaint) => ConfigFault,
): AgentRules {
  const needy = agent.tools.some(({ value }) => value.prerequisites !== undefined);
  if (agent.rules.length === 0 && !needy) return { faults: [], warnings: [] };
  const drafts: RuleDraft[] = [];
  const missing: Complaint[] = [];
  const named = new Set<string>();
  for (const { value, path } of agent.rules) {
    if (typeof value !== "string") continue;
    const found = files.get(value) ?? UNREAD;
    if ("message" in found) missing.push({ path, ...found });
    else if (named.has(found.file)) {
      const hint = "its rules bind once, however often it is named; the defaults may name it already";
      missing.push({ path, message: `'${value}' is named twice`, hint });
    } else drafts.push(draftRules(found.text, found.file));
    if ("file" in found) named.add(found.file);
  }
  const own = ownDraft(agent, file, locate);
  // A missing file may declare what the others lack.
  const joined = joinRules([...drafts, { ...own, broken: missing.length > 0 }]);
  const faults = missing.map(locate);
  if ("faults" in joined) return { faults: [...faults, ...joined.faults], warnings: joined.warnings };
  return faults.length > 0 ? { faults, warnings: joined.warnings } : { ...joined, faults };
}

const UNREAD = { message: "rule files are not read here", hint: "load the file with loadConfigFile" };

function ownDraft(agent: PlacedAgent, file: string, locate: RuleDraft["locate"]): RuleDraft {
  return {
    file,
    tools: agent.tools,
    actions: Object.entries(agent.actions.value).map(([name, value]) => ({
      name,
      value,
      path: agent.actions.at(name),
    })),
    written: Object.keys(agent.actions.value),
    rules: agent.rules.flatMap(({ value, path }) => (typeof value === "string" ? [] : [{ value, path }])),
    partial: [],
    own: true,
    faults: [],
    broken: false,
    locate,
  };
}
