import { expect, it } from "vitest";
import type { Decision } from "../../../base/words/decision.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { testConduct } from "../../../engine/session/test/test-conduct.ts";
import { decide } from "./ask-session.ts";

const CALL = { id: "c1", tool: "shell", args: { command: "ls" }, step: "step-1" };
const asking = {
  policies: [{ name: "ask-first", check: () => ({ kind: "ask", question: "May it?" }) as const }],
};

/** A session behind a socket, as far as deciding goes: it waits for a person and hears of no abort. */
function waiting(): { session: SessionMoments; settled: string[]; answer(kind: "allow" | "deny"): void } {
  const settled: string[] = [];
  let answer = (_decision: Decision): void => undefined;
  const decided = new Promise<Decision>((resolve) => {
    answer = resolve;
  });
  const session = {
    decide: () => decided,
    onResult: async (_call: object, { outcome }: { outcome: string }) => void settled.push(outcome),
  };
  return {
    session: session as unknown as SessionMoments,
    settled,
    answer: (kind) => answer({ kind, id: "d1", advice: [] } as unknown as Decision),
  };
}

it.each([
  { kind: "allow", settled: ["cancelled"] },
  { kind: "deny", settled: [] },
] as const)("PID-1 an aborted run stops waiting; a later $kind is given back", async (late) => {
  const { session, settled, answer } = waiting();
  const abort = new AbortController();
  const decision = decide(session, {}, CALL, abort.signal);
  abort.abort();
  await expect(decision).rejects.toThrow("aborted before it was decided");
  answer(late.kind);
  await new Promise(setImmediate);
  expect(settled).toEqual(late.settled);
});

it("PID-1 a call of a run that is already aborted is not decided", async () => {
  const { session } = waiting();
  await expect(decide(session, {}, CALL, AbortSignal.abort())).rejects.toThrow("aborted");
});

it("PID-2 an answer that comes too late is a fault, and the session's decision stays in force", async () => {
  const { open, events } = testConduct(asking);
  const session = open();
  const decision = await decide(
    session,
    {
      ask: async ({ approval }) => {
        session.resolve(approval, "no", "bo");
        return { answer: "yes", by: "ann" };
      },
    },
    CALL,
    undefined,
  );
  expect(decision).toMatchObject({ kind: "deny" });
  expect(events.flatMap((event) => (event.type === "approval" ? [event.by] : []))).toEqual(["bo"]);
  expect(events.flatMap((event) => (event.type === "fault" ? [event.fault.code] : []))).toEqual(["approval"]);
});

it("PID-3 if no person can be asked here, the session's own approver is asked", async () => {
  const approver = { ask: async () => ({ answer: "yes", by: "ann" }) as const };
  const { open } = testConduct(asking, { approver });
  const decision = await decide(open(), {}, CALL, undefined);
  expect(decision).toMatchObject({ kind: "allow", because: "approved" });
});
