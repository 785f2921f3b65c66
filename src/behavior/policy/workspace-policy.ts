import type { ToolPolicy } from "../../base/words/policy.ts";
import { allow, deny } from "./policy-decision.ts";

/** Paths outside the workspace are for elevated sessions only, wherever a link or `..` leads. */
export const workspacePolicy: ToolPolicy = {
  name: "builtin:workspace",
  check(call, { facts, permissions }) {
    if (!permissions.restrictToWorkspace) return allow();
    const outside = call.paths.find(({ path }) => facts.paths[path]?.inside === false);
    if (outside === undefined) return allow();
    return deny(`'${outside.path}' is outside the workspace.`, {
      code: "outside-workspace",
      missing: [{ what: "/elevated", why: "only an elevated session leaves the workspace" }],
      next: "Use a path inside the workspace, or ask the operator to send /elevated.",
      key: facts.paths[outside.path]?.resolved ?? outside.path,
    });
  },
};
