import { agentScope } from "../call-names.ts";
import { CountSeen, grownConfidence } from "../count-seen.ts";
import type { Looked, Watcher } from "../look.ts";
import type { ReviewThresholds } from "../thresholds.ts";

const BASE = 0.65;

/** The same completion check refuses repeatedly: its requirement could be met before the agent stops. */
export function stopRefused({ times }: ReviewThresholds): Watcher {
  const counts = new CountSeen<{ agent: string; text: string }>();
  return {
    see({ event, isNew }: Looked) {
      if (event.type !== "stop" || event.status !== "refused" || event.feedback === undefined) return;
      const [quote = ""] = event.feedback.trim().split("\n");
      const asked = askedBy(quote);
      if (quote === "" || asked === undefined) return;
      const { agent, session, id } = event;
      counts.add({ agent, text: `${asked} before finishing` }, { session, event: id, quote }, isNew);
    },
    findings: () =>
      counts.atLeast(times, 1).map(({ about: { agent, text }, evidence, ...seen }) => ({
        pattern: "stop-refused",
        good: false,
        type: "start",
        text,
        scope: agentScope(agent),
        confidence: grownConfidence(BASE, seen.times, times),
        evidence,
        seen: `${seen.times} stops refused for it in ${seen.sessions} sessions`,
      })),
  };
}

/**
 * The requirement of a built-in check. Texts of other checks are not quoted, because they may come from a tool's
 * output; a check that failed to run requires nothing.
 */
function askedBy(line: string): string | undefined {
  if (line.startsWith("Completion could not be verified")) return undefined;
  const command = /^`([^`]{1,100})` (?:exited|did not end|was stopped)/.exec(line)?.[1];
  if (command !== undefined) return `making ${command} succeed`;
  const actions = /^These must succeed before the work is done\. (.+)$/.exec(line)?.[1];
  if (actions !== undefined) return `making ${listed(actions).join(", ")} succeed`;
  const files = /^Required files are missing: (.{1,200})\.$/.exec(line)?.[1];
  return files === undefined ? "what the completion check asks for" : `writing ${files}`;
}

/** The names in `Not run in this session: a, b. Failed the last time: c.`, sorted. */
function listed(actions: string): readonly string[] {
  const names = [...actions.matchAll(/: ([^:]+?)\.(?: |$)/g)].flatMap(([, some = ""]) => some.split(", "));
  return [...new Set(names)].sort();
}
