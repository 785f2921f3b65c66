import { isObject } from "../../../../base/kernel/json.ts";
import type { ToolCall } from "../../../../base/words/call.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import type { PolicyContext } from "../../../../base/words/policy.ts";
import type { PredicateInput } from "../../../../base/words/rule.ts";

/** What a predicate sees of a call and its session. `policy` is whose gathered facts are asked besides the call's own. */
export function predicateInput(
  call: ToolCall,
  view: JsonObject,
  { session, facts }: Pick<PolicyContext, "session" | "facts">,
  policy: string,
): PredicateInput {
  return {
    tool: call.tool,
    args: view,
    actions: call.actions,
    session: {
      turn: session.turn,
      channel: session.channel,
      user: session.user ?? "",
      agent: session.agent,
      elevated: session.modes.elevated,
    },
    fileExists(path) {
      const own = facts.policies[policy];
      const gathered = isObject(own) && Object.hasOwn(own, path) ? own[path] : undefined;
      return facts.paths[path]?.exists ?? (typeof gathered === "boolean" ? gathered : undefined);
    },
  };
}
