import type { ConductEvent } from "../../../../base/words/event.ts";
import { CountSeen, countedFinding, nameOfCall } from "../count-seen.ts";
import type { Looked, Watcher } from "../look.ts";
import type { ReviewThresholds } from "../steps.ts";

const BASE = 0.65;

/** Met by any one of its names. */
type Want = { readonly names: readonly string[]; met: boolean };
type Denied = {
  readonly rule: string;
  readonly reason: string;
  readonly event: string;
  readonly wants: readonly Want[];
};
type Open = { readonly denied: Map<string, Denied>; readonly calls: Map<string, readonly string[]> };
type CallEvent = Extract<ConductEvent, { type: "call" }>;

/**
 * A rule repeatedly denies a call, the agent meets the requirement, and the call passes: the requirement could come
 * first.
 */
export function deniedThenMet({ times, sessions }: ReviewThresholds): Watcher {
  const open = new Map<string, Open>();
  const counts = new CountSeen<{ agent: string; rule: string; text: string }>();

  function seeCall({ call, decision, session, agent, id, observing }: CallEvent, isNew: boolean): void {
    if (observing !== undefined) return;
    const { denied, calls } = openOf(open, session);
    const name = nameOfCall(call);
    if (decision.kind === "deny") {
      const wants = decision.missing.map(({ what }) => ({ names: namesIn(what), met: false }));
      if (wants.length === 0 || wants.some(({ names }) => names.length === 0)) denied.delete(name);
      else denied.set(name, { rule: decision.rule, reason: decision.reason, event: id, wants });
      return;
    }
    calls.set(call.id, [call.tool, ...call.proves]);
    const before = denied.get(name);
    if (before === undefined || decision.kind !== "allow") return;
    denied.delete(name);
    if (before.wants.some(({ met }) => !met)) return;
    const text = `${before.wants.map(({ names }) => names.join(" or ")).join(" and ")} before ${name}`;
    counts.add({ agent, rule: before.rule, text }, { session, event: before.event, quote: before.reason }, isNew);
  }

  return {
    see({ event, isNew }: Looked) {
      if (event.type === "call") seeCall(event, isNew);
      if (event.type === "notice" && event.notice.kind === "ended") open.delete(event.session);
      if (event.type !== "result") return;
      const { denied, calls } = openOf(open, event.session);
      const names = calls.get(event.call) ?? [event.tool];
      calls.delete(event.call);
      if (event.outcome !== "ok") return;
      for (const { wants } of denied.values())
        for (const want of wants) want.met ||= names.some((name) => want.names.includes(name));
    },
    findings: () =>
      counts.atLeast(times, sessions).map((counted) => {
        const { agent, rule, text } = counted.about;
        const seen = `rule ${rule} denied it ${counted.times} times in ${counted.sessions} sessions, and it was done afterwards`;
        const about = { pattern: "denied-then-met", type: "start", agent, subject: rule, text, seen } as const;
        return countedFinding(about, counted, { base: BASE, least: times });
      }),
  };
}

/** `test with file a.txt` is about `test`; a forbidden or limited call cannot be made first. */
function namesIn(what: string): readonly string[] {
  const names = what.split(" or ").map((one) => one.split(" with ")[0]?.trim() ?? "");
  return names.every((name) => /^[\w./:-]{1,60}$/.test(name)) ? names : [];
}

function openOf(open: Map<string, Open>, session: string): Open {
  const known = open.get(session) ?? { denied: new Map(), calls: new Map() };
  open.set(session, known);
  return known;
}
