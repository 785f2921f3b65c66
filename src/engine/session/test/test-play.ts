import type { ToolResult } from "../../../base/words/result.ts";
import { SequentialDependencyPolicy } from "../../../behavior/policy/builtin/sequential-dependency-policy.ts";
import type { Session } from "../session.ts";

export const ok: ToolResult = { outcome: "ok", parts: [{ kind: "text", text: "fine" }] };

/** `deploy` requires an earlier `test`. */
export function orderPolicy(): SequentialDependencyPolicy {
  return new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } });
}

let made = 0;

/** Makes one call with a fresh id and, if allowed, delivers its result. */
export async function play(session: Session, tool: string, result: ToolResult = ok, args = {}): Promise<string> {
  made += 1;
  const call = { id: `c${made}`, tool, args };
  const decision = await session.onCall(call);
  if (decision.kind === "allow") await session.onResult(call, result);
  return decision.kind;
}
