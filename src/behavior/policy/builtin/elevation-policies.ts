import type { ToolSpec } from "../../../base/words/hosting/agent.ts";
import type { ToolPolicy } from "../../../base/words/policy.ts";
import { allow, deny, pathFact } from "../policy-decision.ts";
import { skillReads } from "./skill-paths.ts";

/**
 * Denies paths outside the workspace, and paths that could not be looked up, unless the session is elevated. Temporary
 * files pass where the host allows them, and reads of the agent's skills. Files that a command line names indirectly pass: this is a hurdle, not isolation.
 */
export function workspacePolicy(skills: readonly string[] = []): ToolPolicy {
  return {
    name: "builtin:workspace",
    check(call, { facts, permissions }) {
      const spared = skillReads(call, facts, skills);
      const outside = call.paths.find(({ path, maybe }) => {
        if (spared.has(path)) return false;
        const fact = pathFact(facts, path);
        // A word that may be a path and names no file is not one.
        return fact?.inside !== true && fact?.temporary !== true && !(maybe && fact?.exists === false);
      });
      if (outside === undefined) return allow();
      if (!permissions.restrictToWorkspace) return { kind: "allow", lifted: "workspace" };
      const fact = pathFact(facts, outside.path);
      if (fact === undefined) {
        return deny(`'${outside.path}' could not be looked up, so it may be outside the workspace.`, {
          code: "outside-workspace",
          next: "Tell the operator that this session has no filesystem to check files.",
          key: outside.path,
        });
      }
      return deny(`'${outside.path}' is outside the workspace.`, {
        code: "outside-workspace",
        missing: [{ what: "an operator's permission", why: "only an elevated session may leave the workspace" }],
        next: "Use a path inside the workspace, or ask the person to do this. An operator can allow it, with /elevated on or conduct elevate.",
        key: fact.resolved,
      });
    },
  };
}

/** Tools declared with `risk: high` run in an elevated session only. */
export function highRiskPolicy(tools: readonly ToolSpec[]): ToolPolicy {
  const risky = new Set(tools.filter((tool) => tool.risk === "high").map((tool) => tool.name));
  return {
    name: "builtin:high-risk",
    check(call, { permissions }) {
      if (risky.size === 0) return allow();
      const found = [call.tool, ...call.actions].find((name) => risky.has(name));
      if (found === undefined) return allow();
      if (permissions.allowHighRisk) return { kind: "allow", lifted: "high-risk" };
      return deny(`'${found}' is a high-risk tool, and this session is not elevated.`, {
        code: "high-risk",
        missing: [{ what: "an operator's permission", why: "high-risk tools run in an elevated session only" }],
        next: "Continue without this tool, or ask the person. An operator can allow it, with /elevated on or conduct elevate.",
        key: found,
      });
    },
  };
}
