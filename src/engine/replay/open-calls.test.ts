import { expect, it } from "vitest";
import type { CallInput } from "../../base/words/call.ts";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { ToolResult } from "../../base/words/result.ts";
import { ReadBeforeWritePolicy } from "../../behavior/policy/builtin/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { type AgentInput, defineAgent } from "../agent/define-agent.ts";
import { parseRules } from "../agent/rules/parse-rules.ts";
import { testConduct } from "../session/test/test-conduct.ts";
import { EventReplayer } from "./event-replayer.ts";
import { ReplayAgents } from "./replay-agents.ts";

type Call = Partial<CallInput> & { readonly tool: string; readonly result?: Partial<ToolResult> };
type Row = {
  readonly what: string;
  readonly old?: string;
  readonly now?: string;
  readonly policies?: readonly AnyPolicy[];
  readonly calls: readonly (Call | "new turn")[];
  readonly told: readonly string[];
};

function agentUnder(rules: string, policies: readonly AnyPolicy[]) {
  const parsed = parseRules(`actions: {}\n${rules === "" ? "" : `rules:\n${rules}\n`}`, "rules.yaml");
  if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults));
  const more: Partial<AgentInput> = { trustedTools: [{ tool: "ask_server" }] };
  return defineAgent({ name: "agent", policies: [new RulesPolicy(parsed.ruleSet), ...policies], ...more });
}

const NO_CHECK = "  - { id: no-check, on: check }";
const times = (count: number, call: Call): readonly Call[] => Array.from({ length: count }, () => call);
const code: AnyPolicy = { name: "code", check: () => ({ kind: "allow" }) };
const demand = { parts: [{ kind: "json", value: { __directives: { requireBeforeNext: ["review"] } } } as const] };

/** Under the old rules the first call is denied or let through; under the new ones nobody knows what it would have come to. */
it.each<Row>([
  {
    what: "a rule that requires it",
    now: "  - { id: proof, on: ship, require: check }",
    calls: [{ tool: "check" }, { tool: "look" }, { tool: "ship" }],
    told: ["c1 no-longer-denied", "c3 outcome < c1"],
  },
  {
    what: "a rule that requires something since it",
    now: "  - { id: proof, on: ship, require: { call: look, since: check } }",
    calls: [{ tool: "look" }, { tool: "check" }, { tool: "ship" }],
    told: ["c2 no-longer-denied", "c3 outcome < c2"],
  },
  {
    what: "a decision that hangs on it itself",
    now: "  - { id: first, on: pack, require: check }\n  - { id: then, on: ship, require: pack }",
    calls: [{ tool: "check" }, { tool: "pack" }, { tool: "ship" }],
    told: ["c1 no-longer-denied", "c2 outcome < c1", "c3 outcome < c1"],
  },
  {
    what: "a rule that counts it",
    now: "  - { id: few, on: [check, ship], atMost: { count: 2 } }",
    calls: [{ tool: "check" }, { tool: "ship" }],
    told: ["c1 no-longer-denied", "c2 outcome < c1"],
  },
  {
    what: "a question that a person has answered",
    old: "",
    now: "  - { id: careful, on: check, effect: ask }",
    calls: [{ tool: "check" }, { tool: "check" }],
    told: ["c1 newly-asked", "c2 outcome < c1"],
  },
  {
    what: "what was read before it is written",
    policies: [new ReadBeforeWritePolicy()],
    old: "  - { id: no-read, on: read_file }",
    now: "",
    calls: [
      { tool: "read_file", args: { path: "a" } },
      { tool: "write_file", args: { path: "b" } },
      { tool: "write_file", args: { path: "a" } },
    ],
    told: ["c1 no-longer-denied", "c3 outcome < c1"],
  },
  {
    what: "an order of tools",
    policies: [new SequentialDependencyPolicy({ dependencies: { ship: ["check"] } })],
    calls: [{ tool: "check" }, { tool: "ship" }],
    told: ["c1 no-longer-denied", "c2 outcome < c1"],
  },
  {
    what: "the loop guard, for calls that are repeated in the same turn",
    calls: [{ tool: "check" }, ...times(6, { tool: "look" }), "new turn", ...times(6, { tool: "look" })],
    told: ["c1 no-longer-denied", "c7 outcome < c1"],
  },
  {
    what: "a policy in code, which may look at anything",
    policies: [code],
    calls: [{ tool: "look" }, { tool: "check" }, { tool: "look" }],
    told: ["c2 no-longer-denied", "c3 outcome < c2"],
  },
  {
    what: "what a trusted tool's result demands",
    calls: [{ tool: "check" }, { tool: "look" }, { tool: "ask_server", result: demand }, { tool: "look" }],
    told: ["c1 no-longer-denied", "c4 outcome < c1"],
  },
  {
    what: "what a trusted tool's result might have demanded",
    old: "  - { id: no-server, on: ask_server }",
    calls: [{ tool: "ask_server" }, { tool: "look" }],
    told: ["c1 no-longer-denied", "c2 outcome < c1"],
  },
  {
    what: "a call with other arguments than it was made with",
    old: "",
    now: "  - { id: slow, on: check, set: { timeout: 60 } }\n  - { id: proof, on: ship, require: check }",
    calls: [{ tool: "check" }, { tool: "ship" }],
    told: ["c1 otherwise", "c2 outcome < c1"],
  },
])(
  "RP-9 decisions that depend on an open call are reported as unknown: $what",
  async ({ old = NO_CHECK, now = "", policies = [], ...row }) => {
    const world = testConduct();
    world.conduct.setAgent(agentUnder(old, policies));
    world.files.set("/w/a", "one");
    const session = world.open({ id: "s" });
    await session.onMessage({ text: "go" });
    let made = 0;
    for (const one of row.calls) {
      if (one === "new turn") {
        await session.onMessage({ text: "go on" });
        continue;
      }
      made += 1;
      const { result, ...call } = { args: {}, ...one, id: `c${made}` };
      world.pass(1_000);
      const decision = await session.onCall(call);
      if (decision.kind === "allow") await session.onResult(call, { outcome: "ok", parts: [], ...result });
    }
    const { changes } = new EventReplayer(new ReplayAgents([agentUnder(now, policies)])).replay(world.events);
    const names = new Map(changes.map(({ decision, call }) => [decision, call]));
    const told = changes.map((one) => {
      const follows = one.follows === undefined ? "" : ` < ${names.get(one.follows)}`;
      return `${one.call} ${one.kind === "cannot-tell" ? one.code : one.kind}${follows}`;
    });
    expect(told).toEqual(row.told);
  },
);

it("RP-9b a newly denied call has known consequences, so later decisions are reported", async () => {
  const world = testConduct();
  world.conduct.setAgent(agentUnder("", []));
  const session = world.open({ id: "s" });
  await session.onMessage({ text: "go" });
  for (const [at, tool] of ["check", "check", "check", "ship"].entries()) {
    const call = { id: `c${at + 1}`, tool, args: {} };
    await session.onCall(call);
    await session.onResult(call, { outcome: "ok", parts: [] });
  }
  const now =
    "  - { id: once, on: check, atMost: { count: 1 } }\n  - { id: not-after, on: ship, require: { not: { call: check } } }";
  const { changes } = new EventReplayer(new ReplayAgents([agentUnder(now, [])])).replay(world.events);
  expect(changes.map((one) => `${one.call} ${one.kind}`)).toEqual([
    "c2 newly-denied",
    "c3 newly-denied",
    "c4 newly-denied",
  ]);
});
