import fc from "fast-check";
import { expect, it } from "vitest";
import type { CallRecord } from "../../base/words/call.ts";
import { appendCall, callLogSlice, RECENT_CALLS, recentCalls } from "./calls.ts";

it("FAST-5 the recent calls are the newest of one agent, oldest first, however many other agents' calls lie between", () => {
  const agents = fc.constantFrom("a", "b");
  fc.assert(
    fc.property(fc.array(agents, { maxLength: 200 }), agents, fc.nat(RECENT_CALLS), (made, agent, n) => {
      let log = callLogSlice.initial;
      const all = made.map((by, at) => {
        const record: CallRecord = { id: `c${at}`, tool: "t", actions: [], outcome: "ok", at, argsHash: "" };
        log = appendCall(log, by, record);
        return { by, record };
      });
      const kept = all.slice(-(log.older.length + log.newer.length));
      const mine = kept.filter(({ by }) => by === agent).map(({ record }) => record);
      expect(recentCalls(log, agent, n)).toEqual(n === 0 ? [] : mine.slice(-n));
    }),
  );
});
