import { describe, expect, it } from "vitest";
import type { StandingRule } from "../../base/words/contract.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { defineAgent } from "../agent/define-agent.ts";
import { parseRules } from "../agent/rules/parse-rules.ts";
import { testJournal } from "../governance/test/test-journal.ts";
import { testConduct } from "../session/test/test-conduct.ts";
import { EventReplayer } from "./event-replayer.ts";
import { ReplayAgents, type RuleChange } from "./replay-agents.ts";

function ruleSet(rules: string) {
  const parsed = parseRules(`rules:\n${rules}\n`, "given.yaml");
  if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults));
  return parsed.ruleSet;
}

const OWN = "  - { id: no-look, on: look }";
const agentOf = (name: string, rules?: string) =>
  defineAgent({ name, policies: rules === undefined ? [] : [new RulesPolicy(ruleSet(rules))] });
const DEFINED = [agentOf("agent", OWN), agentOf("other")];
const HARD = "  - { id: no-ship, on: ship }";

/** One `ship` and one `look` in each of these sessions. */
const SESSIONS = [
  { id: "web", agent: "agent", channel: "web", user: "ann" },
  { id: "phone", agent: "agent", channel: "telegram", user: "bob" },
  { id: "nobody", agent: "agent", channel: "web" },
  { id: "other", agent: "other", channel: "web", user: "ann" },
] as const;

type Scope = "global" | "agent:agent" | "agent:other" | "channel:telegram" | "user:ann";

/** What was recorded while the rule stood, and how it stands. */
async function recorded(scope?: Scope, enforced = true) {
  const world = testConduct({}, { governance: testJournal().journal });
  for (const agent of DEFINED) world.conduct.setAgent(agent);
  const { contracts } = world.conduct;
  const hard = { kind: "harden", rule: "no-ship", text: `rules:\n${HARD}\n` } as const;
  if (scope !== undefined) await contracts?.change({ ...hard, scope }, "op");
  if (scope !== undefined && enforced) await contracts?.change({ kind: "enforce-rule", id: "no-ship" }, "op");
  for (const options of SESSIONS) {
    const session = world.open(options);
    await session.onMessage({ text: "go" });
    for (const tool of ["ship", "look"]) {
      const call = { id: tool, tool, args: {} };
      if ((await session.onCall(call)).kind === "allow") await session.onResult(call, { outcome: "ok", parts: [] });
    }
  }
  const standing = [...((await contracts?.state())?.rules ?? [])].map(([, rule]) => rule);
  return { events: world.events, standing };
}

function changed(events: readonly ConductEvent[], standing: readonly StandingRule[], change?: RuleChange) {
  const replayer = new EventReplayer(new ReplayAgents(DEFINED, change, standing));
  return SESSIONS.flatMap(({ id }) =>
    replayer
      .replay(events.filter(({ session }) => session === id))
      .changes.map(({ call, kind }) => `${id} ${call} ${kind}`),
  );
}

const IN: { readonly [scope in Scope]: readonly string[] } = {
  global: ["web", "phone", "nobody", "other"],
  "agent:agent": ["web", "phone", "nobody"],
  "agent:other": ["other"],
  "channel:telegram": ["phone"],
  "user:ann": ["web", "other"],
};

describe("standing rules in a replay", () => {
  it.each(Object.entries(IN))(
    "RP-11 in a replay standing rules of %s apply in the same sessions as before",
    async (scope, sessions) => {
      const { events, standing } = await recorded(scope as Scope);
      expect(changed(events, standing)).toEqual([]);
      expect(changed(events, [])).toEqual(sessions.map((id) => `${id} ship no-longer-denied`));
    },
  );

  it.each(Object.entries(IN))(
    "RP-11b standing rules of %s that are replayed with another text change only in their sessions",
    async (scope, sessions) => {
      const { events, standing } = await recorded(scope as Scope);
      const given = (rules: string, how: "add" | "replace" = "add") =>
        changed(events, standing, { how, ruleSet: ruleSet(rules) });
      expect(given(HARD)).toEqual([]);
      expect(given("  - { id: no-ship, on: ship, effect: warn }")).toEqual(
        sessions.map((id) => `${id} ship no-longer-denied`),
      );
      expect(given("  - { id: no-ship, on: look }").filter((line) => line.endsWith("look newly-denied"))).toEqual(
        // Where the agent itself denied it, it does so still.
        sessions.includes("other") ? ["other look newly-denied"] : [],
      );
      expect(given(`${HARD}\n${OWN}`, "replace").filter((line) => !line.startsWith("other"))).toEqual([]);
    },
  );

  it("RP-11c a shadow standing rule that is replayed as enforced denies calls in its scope", async () => {
    const { events, standing } = await recorded("channel:telegram", false);
    expect(changed(events, standing)).toEqual([]);
    expect(changed(events, standing, { how: "add", ruleSet: ruleSet(HARD) })).toEqual(["phone ship newly-denied"]);
  });

  it("RP-11d a changed rule replaces the agent's own rule with the same id, and the standing rule stays", async () => {
    const { events, standing } = await recorded("global");
    const own = [agentOf("agent", HARD), agentOf("other")];
    const agents = new ReplayAgents(
      own,
      { how: "replace", ruleSet: ruleSet("  - { id: no-ship, on: look }") },
      standing,
    );
    const { changes } = new EventReplayer(agents).replay(events.filter(({ session }) => session === "web"));
    expect(changes.map(({ call, kind }) => `${call} ${kind}`)).toEqual(["look otherwise"]);
  });
});

describe("rules of one agent", () => {
  it.each<{ how: "add" | "replace"; agent?: string; changes: readonly string[] }>([
    {
      how: "add",
      changes: [
        "web ship newly-denied",
        "phone ship newly-denied",
        "nobody ship newly-denied",
        "other ship newly-denied",
      ],
    },
    { how: "add", agent: "other", changes: ["other ship newly-denied"] },
    {
      how: "replace",
      agent: "agent",
      changes: ["web", "phone", "nobody"].flatMap((id) => [`${id} ship newly-denied`, `${id} look no-longer-denied`]),
    },
    { how: "replace", agent: "stranger", changes: [] },
  ])(
    'RP-12 the change "$how" for the agent $agent leaves the rules of the others unchanged',
    async ({ how, agent, changes }) => {
      const { events } = await recorded();
      const change = {
        how,
        ruleSet: ruleSet("  - { id: never, on: ship }"),
        ...(agent === undefined ? {} : { agent }),
      };
      expect(changed(events, [], change)).toEqual(changes);
    },
  );
});
