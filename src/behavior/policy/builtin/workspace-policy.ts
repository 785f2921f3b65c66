import type { PathFact } from "../../../base/words/facts.ts";
import type { ToolPolicy } from "../../../base/words/policy.ts";
import { allow, deny } from "../policy-decision.ts";

/**
 * Paths outside the workspace are for elevated sessions only, wherever a link or `..` leads; a path that could not be looked
 * up is not known to be inside. What a command line does to files whose names cannot be told passes: a hurdle, no isolation.
 */
export const workspacePolicy: ToolPolicy = {
  name: "builtin:workspace",
  check(call, { facts, permissions }) {
    const factOf = (path: string): PathFact | undefined =>
      Object.hasOwn(facts.paths, path) ? facts.paths[path] : undefined;
    const outside = call.paths.find(({ path, maybe }) => {
      const fact = factOf(path);
      // A word that names nothing was no path.
      return fact?.inside !== true && !(maybe && fact?.exists === false);
    });
    if (outside === undefined) return allow();
    if (!permissions.restrictToWorkspace) return { kind: "allow", lifted: "workspace" };
    const fact = factOf(outside.path);
    if (fact === undefined) {
      return deny(`'${outside.path}' could not be looked up, so it is not known to be inside the workspace.`, {
        code: "outside-workspace",
        next: "Tell the operator: this session has no filesystem to check files on.",
        key: outside.path,
      });
    }
    return deny(`'${outside.path}' is outside the workspace.`, {
      code: "outside-workspace",
      missing: [{ what: "/elevated", why: "only an elevated session leaves the workspace" }],
      next: "Use a path inside the workspace, or ask the operator to send /elevated on.",
      key: fact.resolved,
    });
  },
};
