import { expect, it } from "vitest";
import type { StopDecision } from "../../../behavior/completion/decide-stop.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { askStop } from "./ask-session.ts";

const refused: StopDecision = { done: false, feedback: "not yet" };
const answering = { onStop: async () => refused } as unknown as SessionMoments;
const silent = { onStop: () => new Promise(() => {}) } as unknown as SessionMoments;

it.each([false, true])(
  "PIS-1 the answer of a reachable session decides on the stop (lost before: %s)",
  async (lost) => {
    expect(await askStop(answering, {}, { lost, againMs: 60_000 })).toBe(refused);
  },
);

it("PIS-2 a lost session that does not answer lets the agent stop, with the status bypassed", async () => {
  expect(await askStop(silent, {}, { lost: true, againMs: 1 })).toMatchObject({ done: true, status: "bypassed" });
});

it("PIS-3 a session that was not lost is awaited, because checks may take long", async () => {
  const first = await Promise.race([
    askStop(silent, {}, { lost: false, againMs: 1 }),
    new Promise((r) => setTimeout(r, 50)),
  ]);
  expect(first).toBeUndefined();
});
