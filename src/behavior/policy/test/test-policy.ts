import type { Access, ToolCall } from "../../../base/words/call.ts";
import type { Facts, PathFact } from "../../../base/words/facts.ts";
import type { PolicyResultContext } from "../../../base/words/policy.ts";
import type { SessionView } from "../../../base/words/session-view.ts";
import type { State } from "../../../base/words/slice.ts";

export function call(tool: string, more: Partial<ToolCall> = {}): ToolCall {
  const args = more.args ?? {};
  return {
    id: "c",
    tool,
    args,
    actions: [],
    proves: [],
    paths: [],
    native: { runtime: "t", name: tool, input: args },
    ...more,
  };
}

export function onFile(tool: string, path: string, access: Access): ToolCall {
  return call(tool, { args: { path }, paths: [{ path, access }] });
}

export function facts(paths: Record<string, Partial<PathFact>> = {}): Facts {
  const full = Object.entries(paths).map(([given, fact]) => [
    given,
    { resolved: `/w/${given}`, inside: true, exists: true, version: "v1", ...fact },
  ]);
  return { paths: Object.fromEntries(full), policies: {}, faults: {} };
}

export function context<S extends State>(
  state: S,
  at: Facts = facts(),
  after: Facts = at,
  elevated = false,
): PolicyResultContext<S> {
  return {
    state,
    facts: after,
    factsAtCall: at,
    // No policy of this room looks at the session.
    session: {} as SessionView,
    permissions: { autoApprove: elevated, restrictToWorkspace: !elevated, allowHighRisk: elevated },
  };
}
