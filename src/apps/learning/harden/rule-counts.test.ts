import { describe, expect, it } from "vitest";
import type { StandingRule } from "../../../base/words/contract.ts";
import type { Decision, Objection } from "../../../base/words/decision.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import { memoryStores } from "../../../edge/stores/home-stores.ts";
import { standingPlace } from "../../../engine/governance/standing-place.ts";
import { countRules } from "./rule-counts.ts";

const NOON = Date.UTC(2026, 10, 15, 12);
const rule: StandingRule = {
  ...{ id: "tests-first", text: "", scope: "global", status: "enforced" },
  ...{ createdAt: new Date(NOON).toISOString(), since: new Date(NOON).toISOString() },
};
const said: Objection = { rule: "tests-first", code: "policy", reason: "no" };
const standing: Objection = { ...said, place: { file: standingPlace("tests-first"), line: 2 } };
const own: Objection = { ...said, place: { file: "rules.yaml", line: 9 } };
const allow: Decision = { kind: "allow", id: "d_1", advice: [] };
const deny = (by: Objection, others: readonly Objection[] = []): Decision => ({
  ...{ kind: "deny", id: "d_1", ...by, missing: [], next: "", others, attemptsLeft: 1, endTurn: false },
});
const ask = (name: string): Decision => ({
  ...{ kind: "ask", id: "d_1", rule: name, approval: "a", question: "?", inputHash: "h", expiresAt: 0 },
});

describe("what a standing rule has blocked", () => {
  it.each<
    readonly [string, Decision, readonly Objection[], number, readonly [would: number, did: number, asked?: number]]
  >([
    ["in shadow", allow, [standing], 1, [1, 0]],
    ["denied", deny(standing), [], 1, [0, 1]],
    ["denied beside another", deny({ ...own, rule: "x" }, [standing]), [], 1, [0, 1]],
    ["asked about", ask("tests-first"), [], 1, [0, 0, 1]],
    ["asked about with another", ask("x + tests-first"), [], 1, [0, 0, 1]],
    ["let through", allow, [], 1, [0, 0]],
    ["denied by the agent's own rule of that id", deny(own), [], 1, [0, 0]],
    ["the agent's own rule of that id in shadow", allow, [own], 1, [0, 0]],
    ["before it was there, under the same id", deny(standing), [], -1, [0, 0]],
  ])(
    "HRD-14: a standing rule counts the calls that it blocked or would have blocked: %s",
    async (_name, decision, shadows, after, [would, did, asked = 0]) => {
      const events = memoryStores().events;
      const call = { id: "c", tool: "deploy", args: {}, actions: [], proves: [], paths: [] };
      const event: ConductEvent = {
        ...{ v: 1, id: "e_1", seq: 1, at: NOON + after, session: "s", agent: "a", run: "r", turn: 1, type: "call" },
        ...{ call: { ...call, native: { runtime: "pi", name: "deploy", input: {} } }, decision, shadows },
      };
      await events.append([event]);
      // An older rule makes the look begin before this one.
      const older = { ...rule, id: "older", createdAt: new Date(NOON - 1_000).toISOString() };
      const [, counted] = await countRules(events, [older, rule]);
      expect(counted).toMatchObject({ wouldHaveBlocked: would, blocked: did, asked, sessions: would + did + asked });
    },
  );
});
