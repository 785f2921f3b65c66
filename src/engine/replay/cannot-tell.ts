import { canonicalJson } from "../../base/kernel/canonical-json.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { AgentPolicies } from "./agent-policies.ts";
import { objectionsIn, type Said } from "./compare-decisions.ts";
import type { EventOf, RecordedCall } from "./recorded-call.ts";
import { PROTECTED_PATHS } from "./replay-agents.ts";

/** Machine-readable reason why a replay cannot determine a decision. */
export type UnknownCode =
  | "outcome"
  | "fact"
  | "redacted"
  | "budget"
  | "history"
  | "policy"
  | "policy-failed"
  | "results"
  | "unreadable";

export type Unknown = { readonly code: UnknownCode; readonly why: string };

/** The recording has a gap, so the state may differ from here on. */
export function gapInHistory(why: string): Unknown {
  return { code: "history", why };
}

/** Rule names that Conduct itself uses in objections. */
const OWN_RULES: ReadonlySet<string> = new Set(["session", "limits", "requirement", "paths", "call"]);

/**
 * Why a call cannot be judged, whatever is decided. `final`: the call as rules rewrite it; `sameArgs`: its arguments
 * are the recorded ones; `flipped`: an earlier decision changed; `made`: calls of the session up to this one.
 */
export function unknownBeforeDeciding(
  { bounds, call: recorded }: EventOf<"call">,
  read: RecordedCall,
  policies: AgentPolicies,
  call: { readonly final: ToolCall; readonly sameArgs: boolean; readonly flipped: boolean; readonly made: number },
): Unknown | undefined {
  const { final, sameArgs, flipped, made } = call;
  const unseen = sameArgs ? undefined : unseenIn(final, recorded, read);
  if (unseen !== undefined) {
    return { code: "fact", why: `rules make it a call on '${unseen}', and nobody looked at that then` };
  }
  const { calls: limit = Number.POSITIVE_INFINITY } = policies.agent.limits;
  if (flipped && (bounds?.exhausted?.what === "calls" || made > limit)) {
    return { code: "budget", why: "the calls before it would have used the budget otherwise" };
  }
  const why = policies.blindness(read, recorded);
  return why === undefined ? undefined : { code: "redacted", why };
}

/**
 * A file or argument of a rewritten call without recorded facts or protection. Values set by today's rules count as
 * unprotected, unless the recorded call was denied for protection.
 */
function unseenIn({ paths, args }: ToolCall, recorded: ToolCall, { call, facts }: RecordedCall): string | undefined {
  const path = paths.find((one) => !recorded.paths.some(({ path }) => path === one.path))?.path;
  if (path !== undefined) return path;
  const wasProtected = Object.hasOwn(facts.final.policies, PROTECTED_PATHS);
  const matters = (name: string) => wasProtected || name === "command" || args[name] === call.args[name];
  const isOther = (name: string) => canonicalJson(args[name]) !== canonicalJson(recorded.args[name] ?? null);
  const other = Object.keys(args).find((name) => matters(name) && isOther(name));
  return other === undefined ? undefined : String(args[other]);
}

/** Why a difference may not come from the changed rules. `asked`: rules from files that asked in this session. */
export function doubtOf(
  was: Said,
  now: Said,
  policies: AgentPolicies,
  { gap, asked }: { readonly gap: Unknown | undefined; readonly asked: ReadonlySet<string> },
): Unknown | undefined {
  if (gap !== undefined) return gap;
  const { decision } = was;
  if (decision.kind === "deny" && (decision.code === "policy-error" || decision.code === "policy-timeout")) {
    return { code: "policy-failed", why: `'${decision.rule}' failed then; that does not happen again by itself` };
  }
  const [before, after] = [objectionsIn(was), objectionsIn(now)];
  for (const [rule, { place }] of before) {
    if (after.has(rule) || place !== undefined || asked.has(rule)) continue;
    if (policies.known.has(rule) || OWN_RULES.has(rule)) continue;
    return { code: "policy", why: `'${rule}' objected then, and is not part of the agent's definition here` };
  }
  const reader = [...before.keys(), ...after.keys()].find((rule) => policies.resultReaders.has(rule));
  if (reader === undefined) return undefined;
  return { code: "results", why: `'${reader}' goes by what results said, and that is not recorded` };
}
