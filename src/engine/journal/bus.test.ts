import { describe, expect, it } from "vitest";
import { characterCounter } from "../../behavior/results/token-counter.ts";
import { defineAgent } from "../agent/define-agent.ts";
import { Conduct } from "../session/conduct.ts";

describe("events without a listener", () => {
  it("FAST-15 no event is made for a call while nobody listens, and an ended session is still forgotten", async () => {
    const made: string[] = [];
    const conduct = new Conduct([defineAgent({ name: "agent" })], {
      clock: { now: () => 1_000, monotonic: () => 0 },
      ids: { next: (prefix) => `${prefix}_${made.push(prefix)}` },
      results: { keep: async () => {}, read: async () => undefined },
      counter: async () => characterCounter,
    });
    const events = () => made.filter((prefix) => prefix === "e").length;
    const session = conduct.session({ agent: "agent", id: "s" });
    const call = async (id: string) => {
      const input = { id, tool: "search", args: { query: id } };
      await session.onCall(input);
      await session.onResult(input, { outcome: "ok", parts: [] });
    };
    await call("c1");
    expect(events()).toBe(0);
    const unsubscribe = conduct.subscribe(() => {});
    await call("c2");
    expect(events()).toBe(2);
    unsubscribe();
    expect(conduct.sessions.has("s")).toBe(true);
    session.notice({ kind: "ended" });
    expect(conduct.sessions.has("s")).toBe(false);
  });
});
