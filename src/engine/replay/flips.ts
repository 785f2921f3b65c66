import { sameObjections } from "./compare-decisions.ts";
import type { Said } from "./replay-session.ts";

/** A call that something else was decided on, and what rests on that. */
export type Flip = { readonly decision: string; readonly names: readonly string[] };

/** The change that this one rests on: after what really happened, something else would be said. */
export function flipBehind(
  flips: readonly Flip[],
  now: Said,
  recorded: Said | undefined,
  agreed: boolean,
): string | undefined {
  if (recorded === undefined || flips.length === 0) return undefined;
  if (agreed && sameObjections(recorded, now)) return undefined;
  const missing = now.decision.kind === "deny" ? now.decision.missing : [];
  const named = flips.findLast(({ names }) => missing.some(({ what }) => names.some((name) => what.includes(name))));
  return (named ?? flips.at(-1))?.decision;
}
