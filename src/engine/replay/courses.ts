import type { ToolCall } from "../../base/words/call.ts";
import type { Decision } from "../../base/words/decision.ts";
import type { Slices } from "../../behavior/session/snapshot/slices.ts";
import type { Said } from "./replay-session.ts";

/** One way that things may have gone: the state before and after a call, and what is decided under each of the facts. */
export type Course = {
  readonly from: Slices;
  readonly after: Slices;
  readonly said: Said;
  readonly all: readonly Said[];
  readonly call: ToolCall;
};

/** Both let it through, or both do not, and nobody else is asked. */
export function sameCourse(a: Decision, b: Decision): boolean {
  return a.kind === b.kind;
}

type Outcome = "ok" | "failed" | "denied" | "cancelled" | "as recorded";

/** How a call may have gone on that went otherwise; `undefined` where the record tells. */
export function outcomesOf(was: Decision, now: Decision, happened: boolean): readonly Outcome[] | undefined {
  if (now.kind === "deny" || was.kind === now.kind) return undefined;
  if (was.kind === "deny") return now.kind === "allow" ? ["ok", "failed"] : ["ok", "denied"];
  // A person is asked who was not: either it went on as it did, or they said no.
  if (now.kind === "ask") return ["as recorded", "denied"];
  return happened ? undefined : ["ok", "cancelled"];
}
