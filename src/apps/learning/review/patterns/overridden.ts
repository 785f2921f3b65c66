import type { ConductEvent } from "../../../../base/words/event.ts";
import { CountSeen, countedFinding, nameOfCall } from "../count-seen.ts";
import type { Looked, Watcher } from "../look.ts";
import type { Evidence, ReviewThresholds } from "../steps.ts";

const BASE = 0.7;

type About = { readonly agent: string; readonly rule: string; readonly text: string };
type Asked = { readonly about: About; readonly evidence: Evidence };
type CallEvent = Extract<ConductEvent, { type: "call" }>;

/** A rule asks and people always approve, or it denies and an operator overrides it by elevation. */
export function overridden({ times }: ReviewThresholds): Watcher {
  /** By approval, and by session and call if the runtime asks the person itself. */
  const asked = new Map<string, Asked>();
  const approvals = new Map<string, string>();
  const held = new Map<string, Asked>();
  const yes = new CountSeen<About>();
  const no = new Set<string>();

  function answer(key: string, said: "yes" | "no", isNew: boolean): void {
    const question = asked.get(key);
    if (question === undefined) return;
    asked.delete(key);
    if (said === "yes") yes.add(question.about, question.evidence, isNew);
    else no.add(JSON.stringify(question.about));
  }

  function seeCall({ call, decision, session, agent, id, observing }: CallEvent, isNew: boolean): void {
    if (observing !== undefined) return;
    const name = nameOfCall(call);
    if (decision.kind === "ask") {
      const about = { agent, rule: decision.rule, text: `asking before ${name} (rule ${decision.rule})` };
      asked.set(decision.approval, { about, evidence: { session, event: id, quote: decision.question } });
      approvals.set(`${session} ${call.id}`, decision.approval);
    } else if (decision.kind === "deny" && (decision.code === "outside-workspace" || decision.code === "high-risk")) {
      const about = { agent, rule: decision.rule, text: `holding ${name} back (rule ${decision.rule})` };
      held.set(`${session} ${name}`, { about, evidence: { session, event: id, quote: decision.reason } });
    } else if (decision.kind === "allow" && decision.because === "elevated") {
      const before = held.get(`${session} ${name}`);
      held.delete(`${session} ${name}`);
      if (before !== undefined) yes.add(before.about, before.evidence, isNew);
    }
  }

  return {
    see({ event, isNew }: Looked) {
      if (event.type === "call") seeCall(event, isNew);
      if (event.type === "approval") answer(event.approval, event.answer === "no" ? "no" : "yes", isNew);
      if (event.type !== "result") return;
      const approval = approvals.get(`${event.session} ${event.call}`);
      approvals.delete(`${event.session} ${event.call}`);
      // The call's outcome is the answer, unless a person gave one.
      if (approval === undefined || event.outcome === "cancelled" || event.outcome === "unknown") return;
      answer(approval, event.outcome === "denied" ? "no" : "yes", isNew);
    },
    findings: () =>
      yes
        .atLeast(times, 1)
        .filter(({ about }) => !no.has(JSON.stringify(about)))
        .map((counted) => {
          const { agent, rule, text } = counted.about;
          const seen = `allowed ${counted.times} times, and never refused`;
          const about = { pattern: "overridden", type: "less", agent, subject: rule, text, seen } as const;
          return countedFinding(about, counted, { base: BASE, least: times });
        }),
  };
}
