import type { Decision } from "../../base/words/decision.ts";
import type { ConductEvent, EventBody } from "../../base/words/event.ts";
import type { JsonObject } from "../../base/words/json.ts";

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
