import { expect, it } from "vitest";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { type AgentInput, defineAgent } from "../agent/define-agent.ts";
import { parseRules } from "../agent/rules/parse-rules.ts";
import type { Session } from "../session/session.ts";
import { testConduct } from "../session/test/test-conduct.ts";
import { EventReplayer } from "./event-replayer.ts";
import { ReplayAgents } from "./replay-agents.ts";

const parsed = parseRules("rules:\n  - { id: recent, on: ship, require: { call: check, within: 10m } }\n", "r.yaml");
if ("faults" in parsed) throw new Error("faults");
const policies: AgentInput["policies"] = [new RulesPolicy(parsed.ruleSet)];
const MINUTE = 60_000;

type World = ReturnType<typeof testConduct>;

async function call(session: Session, tool: string, step: string) {
  const one = { id: `${tool} ${step}`, tool, args: {}, step };
  const { kind } = await session.onCall(one);
  if (kind === "allow") await session.onResult(one, { outcome: "ok", parts: [] });
  return kind;
}

/** What a random session seldom comes to: each would be decided otherwise, were it not recorded and played. */
it.each<{
  what: string;
  play: (world: World, session: Session) => Promise<readonly string[]>;
  kinds: readonly string[];
}>([
  {
    what: "another agent takes over, and the step that was open ends then",
    kinds: ["allow", "allow", "deny"],
    async play({ pass }, session) {
      const first = await call(session, "check", "1");
      pass(3 * MINUTE);
      session.useAgent("other");
      pass(9 * MINUTE);
      const second = await call(session, "ship", "2");
      pass(2 * MINUTE);
      return [first, second, await call(session, "ship", "3")];
    },
  },
  {
    what: "a subagent calls after its parent has ended",
    kinds: ["allow", "deny"],
    async play(_world, session) {
      const child = session.child("child");
      const first = await call(child, "check", "1");
      session.notice({ kind: "ended" });
      return [first, await call(child, "check", "2")];
    },
  },
  {
    what: "a session is opened again with other modes",
    kinds: ["deny", "allow"],
    async play({ conduct, open }, session) {
      const first = await call(session, "risky", "1");
      const snapshot = session.serialise();
      conduct.sessions.release("s");
      return [first, await call(open({ id: "s", snapshot, modes: { elevated: true } }), "risky", "2")];
    },
  },
])("RP-13 a replay under unchanged rules makes the same decisions: $what", async ({ play, kinds }) => {
  const tools: AgentInput["tools"] = [{ name: "risky", risk: "high" }];
  const agents = ["agent", "other"].map((name) => defineAgent({ name, policies, tools }));
  const world = testConduct();
  for (const agent of agents) world.conduct.setAgent(agent);
  expect(await play(world, world.open({ id: "s" }))).toEqual(kinds);
  const replayer = new EventReplayer(new ReplayAgents(agents));
  for (const events of Map.groupBy(world.events, ({ session }) => session).values()) {
    expect(replayer.replay(events).changes).toEqual([]);
  }
});
