import type { ClassifyBecause, SessionClassification } from "../../base/words/classification.ts";
import { DOMAIN_MAX } from "./classification.ts";

/** Flags that pile up over a session; none is given up for a newer one, so there is more room than idle ones can fill. */
const HELD_FLAGS_MAX = 64;

type Before = { readonly latest: SessionClassification | null; readonly held: SessionClassification | null };

/**
 * What holds for the prompt after a look at the conversation. A change must be said twice in a row, because each one costs
 * the prompt cache; at once when there is none to lose or a person asked. Flags restrict: they come at once and stay until compaction.
 */
export function hold(
  { latest, held }: Before,
  now: SessionClassification,
  because: ClassifyBecause,
): SessionClassification {
  if (held === null || latest === null || because === "compaction") return now;
  const flags = [...new Set([...held.flags, ...now.flags])].slice(0, Math.max(HELD_FLAGS_MAX, held.flags.length));
  if (because === "demand") return { ...now, flags };
  return {
    label: now.label,
    topic: now.topic === latest.topic ? now.topic : held.topic,
    complexity: now.complexity === latest.complexity ? now.complexity : held.complexity,
    domain: holdDomain(held.domain, latest.domain, now.domain),
    flags,
  };
}

/** Tags that both looks lack go, tags that both have come; in an order that does not change without need. */
function holdDomain(held: readonly string[], before: readonly string[], now: readonly string[]): readonly string[] {
  const kept = held.filter((tag) => now.includes(tag) || before.includes(tag));
  const added = now.filter((tag) => before.includes(tag) && !kept.includes(tag));
  return [...kept, ...added].slice(0, DOMAIN_MAX);
}
