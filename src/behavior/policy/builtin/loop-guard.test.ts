import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Outcome, ToolCall } from "../../../base/words/call.ts";
import type { PolicyDecision } from "../../../base/words/policy.ts";
import type { SessionView } from "../../../base/words/session-view.ts";
import { hashResult, LOOP_LIMITS, loopGuard, NO_LOOP } from "./loop-guard.ts";

type Made = {
  readonly call: ToolCall;
  readonly outcome?: Outcome;
  readonly gives?: string;
  readonly refused?: boolean;
};

function call(tool: string, args: ToolCall["args"] = {}, more: Partial<ToolCall> = {}): ToolCall {
  return {
    id: "c",
    tool,
    args,
    actions: [],
    proves: [],
    paths: [],
    native: { runtime: "t", name: tool, input: args },
    ...more,
  };
}

function edit(content: string): ToolCall {
  return call("write_file", { path: "a", content }, { paths: [{ path: "a", access: "write" }] });
}

/** A session with nothing but the guard in it. */
function guarded() {
  const guard = loopGuard();
  let state = NO_LOOP;
  let turn = 1;
  const context = () => ({
    state,
    session: { turn } as SessionView,
    facts: { paths: {}, policies: {}, faults: {} },
    permissions: { autoApprove: false, restrictToWorkspace: true, allowHighRisk: false },
  });
  return {
    nextTurn: () => {
      turn += 1;
    },
    state: () => state,
    play({ call: made, outcome = "ok", gives = "", refused = false }: Made): string {
      // Each attempt is a call of its own, as a runtime would hand it in.
      const one = { ...made, native: { ...made.native } };
      const said: PolicyDecision = guard.check(one, context());
      const effect = said.kind === "rules" ? (said.findings[0]?.effect ?? "allow") : said.kind;
      const memo = said.kind === "rules" ? said.memo : undefined;
      const kind = refused || effect === "deny" || effect === "end-turn" ? "deny" : "allow";
      state = guard.onDecided?.(one, { kind, memo }, context()) ?? state;
      if (kind === "allow") {
        const resultHash = hashResult({ parts: [{ kind: "text", text: gives }] });
        state = guard.onSettled?.(one, outcome, { ...context(), resultHash }) ?? state;
      }
      return effect;
    },
  };
}

function playAll(made: readonly Made[]): readonly string[] {
  const session = guarded();
  return made.map((one) => session.play(one));
}

function times(count: number, made: (i: number) => Made | readonly Made[]): readonly Made[] {
  return Array.from({ length: count }, (_, i) => made(i)).flat();
}

const { warn, deny, end } = LOOP_LIMITS;
const POLL: Made = { call: call("shell", { command: "gh run view" }), gives: "in progress" };

describe("loop guard", () => {
  it("LG-1 a call repeated with the same result is warned about, then denied, then ends the turn", () => {
    const said = playAll(times(end + 2, () => POLL));
    expect(said.indexOf("warn")).toBe(warn);
    expect(said.indexOf("deny")).toBe(deny);
    expect(said.indexOf("end-turn")).toBe(end);
  });

  it("LG-2 polling counts as a loop even with read-only or uneventful calls in between", () => {
    const sleep: Made = { call: call("shell", { command: "sleep 30" }) };
    const look = (i: number): Made => ({ call: call("read_file", { path: `f${i}` }), gives: `${i}` });
    for (const between of [() => sleep, look]) {
      const session = guarded();
      const said = times(deny + 1, (i) => [POLL, between(i)]).map((one) => ({ one, effect: session.play(one) }));
      expect(said.filter(({ one }) => one === POLL).map(({ effect }) => effect)).toContain("deny");
    }
  });

  it("LG-3 alternating between two calls counts as one loop", () => {
    const a: Made = { call: edit("a"), gives: "written" };
    const b: Made = { call: edit("b"), gives: "written" };
    const said = playAll(times(end, () => [a, b]));
    // The first two are new.
    expect(said.indexOf("warn")).toBe(warn + 2);
    expect(said.indexOf("deny")).toBe(deny + 2);
    expect(said.indexOf("end-turn")).toBe(end + 2);
  });

  it.each<[string, (i: number) => readonly Made[]]>([
    ["another result", (i) => [{ ...POLL, gives: `${i} done` }]],
    ["another outcome", (i) => [{ ...POLL, outcome: i % 2 === 0 ? "ok" : "failed" }]],
    [
      "a write in between",
      (i) => [{ call: edit(`${i}`), gives: "written" }, { call: call("read_file", { path: "a" }) }],
    ],
    ["another command in between", (i) => [{ call: call("shell", { command: `make ${i}` }) }, POLL]],
    ["other arguments", (i) => [{ call: call("shell", { command: `npm test ${i}` }) }]],
  ])("LG-4 the loop guard treats %s as progress", (_what, made) => {
    expect(new Set(playAll(times(60, made)))).toEqual(new Set(["allow"]));
  });

  it("LG-5 a denial by another policy is a separate outcome and counts as a repetition", () => {
    const refused: Made = { ...POLL, refused: true };
    const mixed = playAll([...times(deny - 1, () => POLL), refused, POLL]);
    expect(mixed.at(-1)).toBe("allow");
    expect(playAll(times(deny + 1, () => refused)).at(-1)).toBe("deny");
  });

  it("LG-6 a new turn resets the loop guard", () => {
    const session = guarded();
    for (let i = 0; i < end; i++) session.play(POLL);
    session.nextTurn();
    expect(session.play(POLL)).toBe("allow");
  });

  it("LG-7 a rewritten call counts as the original call", () => {
    const guard = loopGuard({ warn: 1, deny: 2, end: 3 });
    const made = call("shell", { command: "make" });
    const base = { session: { turn: 1 } as SessionView, facts: { paths: {}, policies: {}, faults: {} } };
    const context = { ...base, permissions: { autoApprove: false, restrictToWorkspace: true, allowHighRisk: false } };
    guard.check(made, { ...context, state: NO_LOOP });
    const run = { ...made, args: { command: "make -s" } };
    const state = guard.onSettled?.(run, "ok", { ...context, state: NO_LOOP, resultHash: "h" }) ?? NO_LOOP;
    const again = call("shell", { command: "make" });
    expect(guard.check(again, { ...context, state })).toMatchObject({ kind: "rules", findings: [{ effect: "warn" }] });
  });

  it("LG-8 the loop guard's state is bounded for any calls and stays plain JSON", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(60), fc.nat(2), fc.boolean()), { maxLength: 200 }), (steps) => {
        const session = guarded();
        for (const [key, gives, refused] of steps)
          session.play({ call: call("shell", { command: `c${key}` }), gives: `${gives}`, refused });
        const { seen, last } = session.state();
        expect(seen.length).toBeLessThanOrEqual(30);
        expect(last.length).toBeLessThanOrEqual(2);
        expect(new Set(seen.map(({ key }) => key)).size).toBe(seen.length);
        expect(JSON.parse(JSON.stringify(session.state()))).toEqual(session.state());
      }),
      { numRuns: 100 },
    );
  });

  it("LG-9 results of any length are distinguished by their start, end and length", () => {
    const long = "x".repeat(5_000_000);
    const hash = (text: string) => hashResult({ parts: [{ kind: "text", text }] });
    expect(hash(long)).toBe(hash(`${long}`));
    expect(new Set([hash(long), hash(`${long}x`), hash(`y${long.slice(1)}`), hash("")]).size).toBe(4);
    expect(hashResult({ exitCode: 1, parts: [] })).not.toBe(hashResult({ parts: [] }));
    const kinds = [
      { kind: "json", value: { a: 1 } },
      { kind: "image", mime: "image/png", data: "AA" },
      { kind: "bytes", bytes: new Uint8Array([1, 2]) },
    ] as const;
    expect(new Set(kinds.map((part) => hashResult({ parts: [part] }))).size).toBe(3);
  });
});
