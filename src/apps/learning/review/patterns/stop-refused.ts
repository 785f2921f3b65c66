import type { ConductEvent } from "../../../../base/words/event.ts";
import { type Counted, CountSeen, countedFinding, nameOfCall, wordsOfCall } from "../count-seen.ts";
import type { Looked, Watcher } from "../look.ts";
import type { ReviewThresholds } from "../steps.ts";

const FAILS = 0.55;
const CUT = 0.6;

type Call = { readonly name: string; readonly event: string; readonly quote: string };
type Tool = { readonly agent: string; readonly name: string };
type ResultEvent = Extract<ConductEvent, { type: "result" }>;

/** Tools whose calls repeatedly fail the same way, and tools whose results are repeatedly truncated. */
export function toolResults({ times, sessions, failing, cuts, cutting }: ReviewThresholds): Watcher {
  const calls = new Map<string, Call>();
  const all = new Map<string, number>();
  const failed = new CountSeen<Tool & { exit: number | null }>();
  const cut = new CountSeen<Tool>();

  function seeResult({ session, call, agent, outcome, exitCode, truncation }: ResultEvent, isNew: boolean): void {
    const made = calls.get(`${session} ${call}`);
    calls.delete(`${session} ${call}`);
    if (made === undefined || (outcome !== "ok" && outcome !== "failed")) return;
    const { name, event, quote } = made;
    const tool = { agent, name };
    all.set(JSON.stringify(tool), (all.get(JSON.stringify(tool)) ?? 0) + 1);
    if (outcome === "failed") failed.add({ ...tool, exit: exitCode ?? null }, { session, event, quote }, isNew);
    if (truncation.length > 0) cut.add(tool, { session, event, quote }, isNew);
  }

  const share = ({ about: { agent, name }, times: seen }: Counted<Tool>) =>
    seen / (all.get(JSON.stringify({ agent, name })) ?? seen);

  return {
    see({ event, isNew }: Looked) {
      if (event.type === "result") seeResult(event, isNew);
      if (event.type !== "call" || event.decision.kind === "deny") return;
      const { call, session, id } = event;
      calls.set(`${session} ${call.id}`, { name: nameOfCall(call), event: id, quote: wordsOfCall(call) });
    },
    findings: () => [
      ...failed
        .atLeast(times, sessions)
        .filter((seen) => share(seen) >= failing)
        .map((seen) => countedFinding(failure(seen, share(seen)), seen, { base: FAILS, least: times })),
      ...cut
        .atLeast(cuts, sessions)
        .filter((seen) => share(seen) >= cutting)
        .map((seen) => countedFinding(shortened(seen, share(seen)), seen, { base: CUT, least: cuts })),
    ],
  };
}

function failure({ about, times, sessions }: Counted<Tool & { exit: number | null }>, share: number) {
  const { agent, name, exit } = about;
  const how = exit === null ? "" : ` (exit code ${exit})`;
  const text = `finding out why ${name} fails${how} before calling it again`;
  const seen = `failed ${times} times in ${sessions} sessions, ${percent(share)} of its calls`;
  return { pattern: "tool-fails", type: "start", agent, subject: name, text, seen } as const;
}

function shortened({ about: { agent, name }, times, sessions }: Counted<Tool>, share: number) {
  const text = `narrower ${name} calls, because their results are cut to fit`;
  const seen = `cut ${times} times in ${sessions} sessions, ${percent(share)} of its results`;
  return { pattern: "truncated", type: "start", agent, subject: name, text, seen } as const;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

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
      counts.atLeast(times, 1).map((counted) => {
        const seen = `${counted.times} stops refused for it in ${counted.sessions} sessions`;
        const about = { pattern: "stop-refused", type: "start", ...counted.about, seen } as const;
        return countedFinding(about, counted, { base: BASE, least: times });
      }),
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
