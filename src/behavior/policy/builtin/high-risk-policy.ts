import type { ToolSpec } from "../../../base/words/hosting/agent.ts";
import type { ToolPolicy } from "../../../base/words/policy.ts";
import { allow, deny } from "../policy-decision.ts";

/** Tools declared with `risk: high` run in an elevated session only. */
export function highRiskPolicy(tools: readonly ToolSpec[]): ToolPolicy {
  const risky = new Set(tools.filter((tool) => tool.risk === "high").map((tool) => tool.name));
  return {
    name: "builtin:high-risk",
    check(call, { permissions }) {
      const found = [call.tool, ...call.actions].find((name) => risky.has(name));
      if (found === undefined) return allow();
      if (permissions.allowHighRisk) return { kind: "allow", lifted: "high-risk" };
      return deny(`'${found}' is a high-risk tool, and this session is not elevated.`, {
        code: "high-risk",
        missing: [{ what: "/elevated", why: "high-risk tools need it" }],
        next: "Ask the operator to send /elevated on, or do it without this tool.",
        key: found,
      });
    },
  };
}
