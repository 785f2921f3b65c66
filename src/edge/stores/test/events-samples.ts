import type { Decision } from "../../../base/words/decision.ts";
import type { ConductEvent, EventBody } from "../../../base/words/event.ts";
import type { JsonObject } from "../../../base/words/json.ts";

type Envelope = Partial<Pick<ConductEvent, "id" | "seq" | "at" | "session" | "parent" | "agent" | "turn">>;

/** An event for tests. */
export function sampleEvent(body: EventBody, envelope: Envelope = {}): ConductEvent {
  const base = { v: 1, id: "e_1", seq: 1, at: 1_000, session: "s_1", agent: "ada", run: "run_1", turn: 1 } as const;
  return { ...base, ...envelope, ...body } as ConductEvent;
}

/** A decided call for tests. */
export function sampleCall(decision: Decision, tool = "shell", args: JsonObject = {}, id = "c_1"): EventBody {
  const native = { runtime: "test", name: tool, input: args };
  return { type: "call", call: { id, tool, args, actions: [tool], proves: [tool], paths: [], native }, decision };
}

export function sampleDenial(id: string, rule = "deploy-needs-proof"): Decision {
  return {
    kind: "deny",
    id,
    rule,
    code: "missing-prerequisite",
    reason: "The tests have not passed.",
    missing: [{ what: "test", why: "it has to pass first" }],
    next: "Run the tests.",
    others: [],
    attemptsLeft: 2,
    endTurn: false,
  };
}

export function sampleQuestion(id: string, approval: string): Decision {
  const question = "May it?";
  return { kind: "ask", id, rule: "pay-asks", approval, question, inputHash: "h", expiresAt: 9_999 };
}

export const OPENED: EventBody = { type: "session", change: "opened", channel: "web", user: "ann" };
const STOPPED: EventBody = { type: "stop", status: "refused", refusals: 1, bound: 5 };
const ENDED: EventBody = { type: "notice", notice: { kind: "ended" } };
export const ALLOW = { kind: "allow", id: "d_ok", advice: [] } as const;

const USED: EventBody = { type: "notice", notice: { kind: "usage", inputTokens: 100, outputTokens: 20 } };
const ADA = {};
const ADA_LATER = { turn: 2 };
const BOB = { session: "s_2", agent: "bob", parent: "s_1" };

/** What happens in the story, and in whose session. */
export const BODIES: readonly (readonly [EventBody, typeof ADA])[] = [
  [OPENED, ADA],
  [USED, ADA],
  [sampleCall(sampleDenial("d_1")), ADA_LATER],
  [{ type: "session", change: "opened", channel: "telegram", user: "ann" }, BOB],
  [sampleCall(sampleQuestion("d_2", "a_1")), BOB],
  [{ type: "approval", approval: "a_1", answer: "yes", by: "ann" }, BOB],
  [sampleCall(ALLOW), ADA_LATER],
  [STOPPED, ADA_LATER],
  [sampleCall(sampleDenial("d_3")), BOB],
  [ENDED, { ...BOB, turn: 3 }],
];
/** Two sessions of two agents: 10 events, `e_1` to `e_10`. */
export const STORY = BODIES.map(([body, envelope], at) =>
  sampleEvent(body, { ...envelope, id: `e_${at + 1}`, seq: at + 1, at: 1_000 + at }),
);
