import type { ConductEvent } from "../../../../base/words/event.ts";
import { agentScope, nameOfCall, wordsOfCall } from "../call-names.ts";
import { type Counted, CountSeen, grownConfidence } from "../count-seen.ts";
import type { Finding } from "../finding.ts";
import type { Looked, Watcher } from "../look.ts";
import type { ReviewThresholds } from "../thresholds.ts";

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
        .map((seen) => failure(seen, share(seen), grownConfidence(FAILS, seen.times, times))),
      ...cut
        .atLeast(cuts, sessions)
        .filter((seen) => share(seen) >= cutting)
        .map((seen) => shortened(seen, share(seen), grownConfidence(CUT, seen.times, cuts))),
    ],
  };
}

function failure(
  { about: { agent, name, exit }, times, sessions, evidence }: Counted<Tool & { exit: number | null }>,
  share: number,
  confidence: number,
): Finding {
  const how = exit === null ? "" : ` (exit code ${exit})`;
  return {
    ...{ pattern: "tool-fails", good: false, type: "start", scope: agentScope(agent), subject: name },
    text: `finding out why ${name} fails${how} before calling it again`,
    confidence,
    evidence,
    seen: `failed ${times} times in ${sessions} sessions, ${percent(share)} of its calls`,
  };
}

function shortened(
  { about: { agent, name }, times, sessions, evidence }: Counted<Tool>,
  share: number,
  confidence: number,
): Finding {
  return {
    ...{ pattern: "truncated", good: false, type: "start", scope: agentScope(agent), subject: name },
    text: `narrower ${name} calls, because their results are cut to fit`,
    confidence,
    evidence,
    seen: `cut ${times} times in ${sessions} sessions, ${percent(share)} of its results`,
  };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
