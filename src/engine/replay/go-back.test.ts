import { expect, it } from "vitest";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { defineAgent } from "../agent/define-agent.ts";
import { parseRules } from "../agent/rules/parse-rules.ts";
import type { Session } from "../session/session.ts";
import { testConduct } from "../session/test/test-conduct.ts";
import { EventReplayer } from "./event-replayer.ts";
import { ReplayAgents } from "./replay-agents.ts";

const NEEDS = "  - { id: careful, on: ship, require: check, effect: ask }\n";
const OLD = `rules:\n  - { id: no-check, on: check }\n  - { id: no-look, on: look }\n${NEEDS}`;
const NOW = `rules:\n${NEEDS}`;

function agentUnder(text: string) {
  const parsed = parseRules(text, "rules.yaml");
  if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults));
  return defineAgent({ name: "agent", policies: [new RulesPolicy(parsed.ruleSet)] });
}

/** Records what `play` does under the old rules, and tells what would change under the new ones. */
async function replayed(
  play: (session: Session, call: (tool: string) => Promise<string>, resume: (from: string) => Session) => Promise<void>,
) {
  const world = testConduct();
  world.conduct.setAgent(agentUnder(OLD));
  let session = world.open({ id: "s" });
  await session.onMessage({ text: "go" });
  let made = 0;
  const call = async (tool: string) => {
    world.pass(1_000);
    made += 1;
    const one = { id: `${tool} ${made}`, tool, args: {} };
    const decision = await session.onCall(one);
    if (decision.kind === "ask") session.resolve(decision.approval, "yes", "ann");
    if (decision.kind === "allow") await session.onResult(one, { outcome: "ok", parts: [] });
    return decision.kind;
  };
  await play(session, call, (snapshot) => {
    world.conduct.sessions.release("s");
    session = world.open({ id: "s", snapshot });
    return session;
  });
  const { changes } = new EventReplayer(new ReplayAgents([agentUnder(NOW)])).replay(world.events);
  return changes.map((one) => `${one.call}: ${one.kind === "cannot-tell" ? one.code : one.kind}`);
}

it("RP-10 decisions that depend on an open call stay unknown after a restore", async () => {
  const told = await replayed(async (session, call) => {
    // Was denied, would be let through: it may have succeeded or failed.
    expect(await call("check")).toBe("deny");
    const point = session.snapshot();
    // Where it failed a person is asked, and says yes; that is kept.
    expect(await call("ship")).toBe("ask");
    expect(await call("look")).toBe("deny");
    session.restore(point);
    // By the evidence, or by the yes.
    expect(await call("ship")).toBe("allow");
  });
  expect(told).toEqual(["check 1: no-longer-denied", "ship 2: outcome", "look 3: no-longer-denied", "ship 4: outcome"]);
});

it("RP-10b an open call stays open when a restore follows a resume that discarded its state", async () => {
  const told = await replayed(async (session, call, resume) => {
    expect(await call("check")).toBe("deny");
    const kept = session.serialise();
    expect(await call("look")).toBe("deny");
    const point = session.snapshot();
    resume(kept).restore(point);
    expect(await call("ship")).toBe("ask");
  });
  expect(told).toEqual(["check 1: no-longer-denied", "look 2: no-longer-denied", "ship 3: outcome"]);
});

it("RP-10c decisions that depend on no open call are reported after any number of restores", async () => {
  const told = await replayed(async (session, call, resume) => {
    const kept = session.serialise();
    for (const tool of ["check", "look", "check"]) expect(await call(tool)).toBe("deny");
    const point = session.snapshot();
    const again = resume(kept);
    expect(await call("look")).toBe("deny");
    again.restore(point);
    expect(await call("look")).toBe("deny");
  });
  expect(told.at(-1)).toBe("look 5: no-longer-denied");
});
