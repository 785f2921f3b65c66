import type { ToolCall } from "../../base/words/call.ts";
import type { Facts, PathFact } from "../../base/words/facts.ts";
import { objectionsIn, sameSaid } from "./compare-decisions.ts";
import type { Course } from "./courses.ts";
import type { CallFacts, ReadCall } from "./read-call.ts";
import type { UnknownCode } from "./replay-change.ts";
import type { EventOf, Said } from "./replay-session.ts";
import type { AgentCare } from "./unsure-calls.ts";

/** Why it cannot be told what would be decided. */
export type Unknown = { readonly code: UnknownCode; readonly why: string };

/** From here on the state may be another. */
export function ofHistory(why: string): Unknown {
  return { code: "history", why };
}

/** Names under which Conduct itself objects. */
const OWN_RULES: ReadonlySet<string> = new Set(["session", "limits", "requirement", "paths", "call"]);

/** What makes a difference that was found doubtful. `written`: rules that stood in some file, as decisions before this one tell. */
export function doubtOf(
  was: Said,
  now: Said,
  care: AgentCare,
  { uncertain, written }: { readonly uncertain: Unknown | undefined; readonly written: ReadonlySet<string> },
): Unknown | undefined {
  if (uncertain !== undefined) return uncertain;
  const { decision } = was;
  if (decision.kind === "deny" && (decision.code === "policy-error" || decision.code === "policy-timeout")) {
    return { code: "policy-failed", why: `'${decision.rule}' failed then; that does not happen again by itself` };
  }
  const [before, after] = [objectionsIn(was), objectionsIn(now)];
  for (const [rule, { place }] of before) {
    if (after.has(rule) || place !== undefined || written.has(rule)) continue;
    if (care.known.has(rule) || OWN_RULES.has(rule)) continue;
    return { code: "policy", why: `'${rule}' objected then, and is not part of the agent's definition here` };
  }
  const reader = [...before.keys(), ...after.keys()].find((rule) => care.readers.has(rule));
  if (reader === undefined) return undefined;
  return { code: "results", why: `'${reader}' goes by what results said, and that is not recorded` };
}

/**
 * What was found of files that would not be as they were is one thing that they may be; that they hold something else, or are not
 * there, are others.
 */
export function factsLeftOpen(variants: readonly CallFacts[], unsettled: ReadonlySet<string>): readonly CallFacts[] {
  if (unsettled.size === 0) return variants;
  const touched = ({ paths }: Facts) => Object.values(paths).some(({ resolved }) => unsettled.has(resolved));
  if (!variants.some(({ made, final }) => touched(made) || touched(final))) return variants;
  const other = (facts: Facts, exists: boolean): Facts => {
    const paths: Record<string, PathFact> = Object.create(null);
    for (const [path, fact] of Object.entries(facts.paths)) {
      const { resolved, inside } = fact;
      if (!unsettled.has(resolved)) paths[path] = fact;
      else paths[path] = { resolved, inside, exists, ...(exists ? { version: "not recorded" } : {}) };
    }
    return { ...facts, paths };
  };
  return variants.flatMap((facts) => [
    facts,
    { made: other(facts.made, true), final: other(facts.final, true) },
    { made: other(facts.made, false), final: other(facts.final, false) },
  ]);
}

/** What keeps a call from being told, whatever is decided. `final`: the call as rules rewrite it; `flipped`: something went otherwise before. */
export function beforehand(
  { bounds, call: recorded }: EventOf<"call">,
  read: ReadCall,
  care: AgentCare,
  { final, flipped }: { readonly final: ToolCall | undefined; readonly flipped: boolean },
): Unknown | undefined {
  const unseen = final === undefined || final === read.call ? undefined : unseenPath(final, read.facts);
  if (unseen !== undefined) {
    return { code: "fact", why: `rules make it a call on '${unseen}', and nobody looked at that then` };
  }
  if (bounds?.exhausted?.what === "calls" && flipped) {
    return { code: "budget", why: "the calls before it would have used the budget otherwise" };
  }
  const why = care.blindness(read, recorded);
  return why === undefined ? undefined : { code: "redacted", why };
}

/** A file that a rewritten call names, and of which nothing is known though other files were looked at. */
function unseenPath({ paths }: ToolCall, { made, final }: CallFacts): string | undefined {
  const looked = [...Object.keys(made.paths), ...Object.keys(final.paths)];
  return looked.length === 0 ? undefined : paths.find(({ path }) => !Object.hasOwn(final.paths, path))?.path;
}

/** Why it hangs on something that is not known. */
export function disagreementOf({ facts }: ReadCall, courses: readonly Course[], unsettled: boolean): Unknown {
  const [first] = courses;
  const differ = courses.some(({ said }) => first !== undefined && !sameSaid(said, first.said));
  if (differ) return { code: "outcome", why: "what a call before it would have come to is not known" };
  const [path] = Object.keys(facts.made.paths);
  const why =
    unsettled && path !== undefined
      ? `what '${path}' would hold by then is not known`
      : "a rule asks for a file that nobody looked at then";
  return { code: "fact", why };
}
