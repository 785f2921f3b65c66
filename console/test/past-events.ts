import type { ConductEvent, EventBody } from "../../src/base/words/event.ts";

const OFF = { think: false, verbose: false, elevated: false };
const CONTRACT = "4f1c2a0000000000000000000000000000000000000000000000000000000000";

/** Turns as they would have been, each of six moments: a denied call, one that passes with a long result, a refused stop, the end. */
export function pastEvents({
  session,
  agent,
  at,
  turns,
  channel = "web",
  gapMs = 4_000,
}: {
  readonly session: string;
  readonly agent: string;
  readonly at: number;
  readonly turns: number;
  readonly channel?: string;
  readonly gapMs?: number;
}): readonly ConductEvent[] {
  const events: ConductEvent[] = [];
  const add = (turn: number, body: EventBody) => {
    const seq = events.length + 1;
    const own = {
      v: 1,
      seq,
      at: at + seq * gapMs,
      session,
      agent,
      run: "r_past",
      turn,
      contract_hash: CONTRACT,
    } as const;
    events.push({ ...own, ...body, id: `${session}-e${seq}` } as ConductEvent);
  };
  add(0, { type: "session", change: "opened", user: "operator", channel });
  for (let turn = 1; turn <= turns; turn += 1) {
    add(turn, {
      type: "message",
      text: `deploy number ${turn}`,
      modes: OFF,
      sender: { user: "operator", role: "operator" },
    });
    add(turn, {
      type: "prompt",
      hash: `h${turn}`,
      prefixHash: "p1",
      tokens: 1_800 + turn,
      prefixTokens: 1_600,
      sections: [
        { contributor: "builtin:identity", tokens: 40, hash: "a" },
        { contributor: "builtin:soul", tokens: 1_560, hash: "b" },
        { contributor: "builtin:time", tokens: 200 + turn, hash: `c${turn}` },
      ],
      cuts: [],
      contract: { version: 7, hash: CONTRACT, directives: 3 },
    });
    add(turn, {
      type: "call",
      call: callOf(`${session}-${turn}-a`, "deploy", {}),
      decision: {
        kind: "deny",
        id: `d_${session}_${turn}`,
        rule: "deploy-needs-proof",
        code: "missing-prerequisite",
        reason: "deploy needs test and build, and test has not succeeded in this session.",
        missing: [{ what: "test", why: "never ran" }],
        next: "Run test.",
        others: [],
        attemptsLeft: 2,
        endTurn: false,
      },
    });
    add(turn, {
      type: "call",
      call: callOf(`${session}-${turn}-b`, "shell", { command: `npm test -- --run ${turn}` }),
      decision: { kind: "allow", id: `d_${session}_${turn}b`, advice: [] },
    });
    add(turn, {
      type: "result",
      call: `${session}-${turn}-b`,
      tool: "shell",
      outcome: "ok",
      truncation: [
        {
          tool: "shell",
          strategy: "head",
          original: 6_000 + turn * 10,
          estimated: false,
          limit: 3_000,
          kept: 2_990,
          handle: `r_${turn}`,
        },
      ],
      feedback: [],
    });
    if (turn % 2 === 0)
      add(turn, {
        type: "stop",
        status: "refused",
        feedback: "Required files are missing: report.md.",
        refusals: 1,
        bound: 5,
      });
    add(turn, { type: "stop", status: "complete", refusals: 0, bound: 5 });
  }
  return events;
}

function callOf(id: string, tool: string, args: { readonly [name: string]: string }) {
  return {
    id,
    tool,
    args,
    actions: [tool],
    proves: [tool],
    paths: [],
    native: { runtime: "pi", name: tool, input: args },
  };
}
