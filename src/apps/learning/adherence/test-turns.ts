import type { Outcome } from "../../../base/words/call.ts";
import type { Decision } from "../../../base/words/decision.ts";
import type { ConductEvent, EventBody } from "../../../base/words/event.ts";

export const NOON = Date.UTC(2026, 10, 15, 12);

/** A turn in short form: replies as texts, calls as `name` or `name!` (failed), `name?` (unknown), `name-` (denied). */
export type PlannedTurn = {
  readonly did: readonly (string | { readonly reply: string; readonly at?: number })[];
  readonly contract?: { readonly version: number; readonly hash: string };
  readonly observing?: "shadow";
  readonly open?: true;
};

/** The events of one session, turn by turn, as the engine would write them. */
export function eventsOf(session: string, turns: readonly PlannedTurn[], start = NOON): readonly ConductEvent[] {
  const events: ConductEvent[] = [];
  let at = start;
  const put = (turn: number, body: EventBody, more: Partial<ConductEvent> = {}) => {
    at += 1_000;
    const id = `${session}_${events.length}`;
    const base = { v: 1, id, seq: events.length + 1, at, session, agent: "a", run: "r", turn } as const;
    events.push({ ...base, ...more, ...body } as ConductEvent);
  };
  put(0, { type: "session", change: "opened", channel: "web", user: "u" });
  for (const [index, { did, contract, observing, open }] of turns.entries()) {
    const turn = index + 1;
    put(turn, { type: "message", text: "go", modes: { think: false, verbose: false, elevated: false } as never });
    const told = contract === undefined ? {} : { contract: { ...contract, directives: 1 } };
    const prompt = { hash: "h", prefixHash: "p", tokens: 1, prefixTokens: 1, sections: [], cuts: [], ...told };
    put(turn, { type: "prompt", ...prompt }, observing === undefined ? {} : { observing });
    for (const [number, one] of did.entries()) {
      if (typeof one !== "string") {
        if (one.at !== undefined) at = start + one.at - 1_000;
        put(turn, { type: "notice", notice: { kind: "reply", text: one.reply } });
        continue;
      }
      const name = one.replace(/[!?-]$/, "");
      const id = `${session}-${turn}-${number}`;
      const allow: Decision = { kind: "allow", id: `d-${id}`, advice: [] };
      const deny: Decision = {
        ...{ kind: "deny", id: `d-${id}`, rule: `no-${name}`, code: "policy", reason: "no", missing: [], next: "stop" },
        ...{ others: [], attemptsLeft: 1, endTurn: false },
      };
      const call = { id, tool: "shell", args: {}, actions: [name], proves: [name], paths: [] };
      const native = { runtime: "pi", name: "bash", input: {} };
      put(turn, { type: "call", call: { ...call, native }, decision: one.endsWith("-") ? deny : allow });
      if (one.endsWith("-")) continue;
      const outcome: Outcome = one.endsWith("!") ? "failed" : one.endsWith("?") ? "unknown" : "ok";
      put(turn, { type: "result", call: id, tool: "shell", outcome, truncation: [], feedback: [] });
    }
    if (open !== true) put(turn, { type: "stop", status: "complete", refusals: 0, bound: 5 });
  }
  return events;
}
