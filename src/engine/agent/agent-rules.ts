import type { RuleSet } from "../../base/words/rule.ts";
import type { Complaint, ConfigFault } from "./config/config-fault.ts";
import type { PlacedAgent } from "./config/merge-defaults.ts";
import type { NamedFiles } from "./config/named-file.ts";
import { joinRules } from "./rules/parse-rules.ts";
import { draftRules, type RuleDraft } from "./rules/rule-draft.ts";

/** All of an agent's rules, joined. Without a rule set there are none, or they have faults. */
export type AgentRules = {
  readonly ruleSet?: RuleSet;
  readonly faults: readonly ConfigFault[];
  readonly warnings: readonly ConfigFault[];
};

/** `locate` gives complaints about the agent's own file their place. */
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
    if ("message" in found) missing.push({ path, at: "value", ...found });
    else if (named.has(found.file)) {
      const hint = "its rules bind once, however often it is named; the defaults may name it already";
      missing.push({ path, at: "value", message: `'${value}' is named twice`, hint });
    } else drafts.push(draftRules(found.text, found.file));
    if ("file" in found) named.add(found.file);
  }
  const own = ownDraft(agent, file, locate);
  // A file that is not there may hold what the others are missing.
  const joined = joinRules([...drafts, { ...own, broken: missing.length > 0 }]);
  const faults = missing.map(locate);
  if ("faults" in joined) return { faults: [...faults, ...joined.faults], warnings: joined.warnings };
  return faults.length > 0 ? { faults, warnings: joined.warnings } : { ...joined, faults };
}

const UNREAD = { message: "rule files are not read here", hint: "load the file with loadConfigFile" };

/** What the agent's own file says of tools, actions and rules. */
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
