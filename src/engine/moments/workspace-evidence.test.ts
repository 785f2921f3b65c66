import { describe, expect, it } from "vitest";
import type { Filesystem } from "../../base/ports/filesystem.ts";
import type { WorkspaceState } from "../../base/words/facts.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { defineAgent } from "../agent/define-agent.ts";
import { parseRules } from "../agent/rules/parse-rules.ts";
import { EventReplayer } from "../replay/event-replayer.ts";
import { ReplayAgents } from "../replay/replay-agents.ts";
import { testConduct } from "../session/test/test-conduct.ts";

const RULES = `
actions:
  written: { tool: write_file, implies: [workspace.change] }
rules:
  - { id: tested, on: git.commit, require: { call: tests.run, since: workspace.change } }
  - { id: again, on: deploys.run, require: { any: [tests.run, { call: tests.run, since: workspace.change }] } }
  - { id: discard, on: git.discard, effect: ask, remember: session, say: "Discard?" }
`;

/** A session on a workspace whose state the test sets. */
function setup(workspace: () => Promise<WorkspaceState>) {
  const parsed = parseRules(RULES, "r.yaml");
  if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults));
  const policies = [new RulesPolicy(parsed.ruleSet)];
  const look = async (path: string) => ({ resolved: `/w/${path}`, inside: true, exists: true, version: "1" });
  let looks = 0;
  const filesystem: Filesystem = {
    root: "/w",
    look,
    workspace: () => {
      looks += 1;
      return workspace();
    },
  };
  const agent = { policies, actions: parsed.ruleSet.actions, limits: { gatherMs: 30 } };
  const { open, events, pass } = testConduct(agent, { filesystem });
  const session = open({ id: "s" });
  let ids = 0;
  async function shell(command: string, outcome: "ok" | "failed" = "ok", exitCode?: number) {
    ids += 1;
    const call = { id: `c${ids}`, tool: "shell", args: { command } };
    const decision = await session.onCall(call);
    if (decision.kind === "allow") await session.onResult(call, { outcome, exitCode, parts: [] });
    return decision;
  }
  const why = async (command: string) => {
    const decision = await shell(command);
    return decision.kind === "deny" ? decision.missing.map((one) => one.why) : decision.kind;
  };
  const replay = () => {
    const agents = new ReplayAgents([defineAgent({ name: "agent", policies, actions: parsed.ruleSet.actions })]);
    return new EventReplayer(agents).replay(events);
  };
  return { session, shell, why, pass, replay, looks: () => looks };
}

const state = (mark: string | undefined, ...changed: string[]): WorkspaceState => ({
  at: 10,
  mark,
  changes: changed.map((path) => ({ path, at: 20 })),
});

describe("evidence about the workspace", () => {
  it("STL-16 the workspace is read only after a call that proves and at a call that needs the proof", async () => {
    const { shell, looks } = setup(async () => state("a"));
    await shell("ls");
    await shell("npm install");
    expect(looks()).toBe(0);
    await shell("npm test", "failed");
    expect(looks()).toBe(0);
    await shell("npm test");
    expect(looks()).toBe(1);
    await shell("git status");
    expect(looks()).toBe(1);
    await shell("git commit -m x");
    expect(looks()).toBe(2);
  });

  it("STL-17 without a state in time, new evidence is outdated by calls only, and older evidence is not used", async () => {
    let now: () => Promise<WorkspaceState> = () => new Promise(() => undefined);
    const { shell, why } = setup(() => now());
    await shell("npm test");
    expect(await why("git commit -m x")).toBe("allow");
    now = async () => state("a");
    await shell("npm test");
    expect(await why("git commit -m x")).toBe("allow");
    for (const failing of [() => Promise.reject(new Error("no disk")), () => new Promise<never>(() => undefined)]) {
      now = failing;
      expect(await why("git commit -m x")).toEqual([
        "passed just now, but the files could not be compared in time since; do it again",
      ]);
    }
  });

  it("STL-18 the files that changed are named: three of them, then how many more", async () => {
    let now = state("a");
    const { shell, why, pass } = setup(async () => now);
    await shell("npm test");
    pass(4 * 60_000);
    now = state("b", "src/a.js");
    expect(await why("git commit -m x")).toEqual(["passed 4 minutes ago, but src/a.js changed since"]);
    now = state("c", "a", "b");
    expect(await why("git commit -m x")).toEqual(["passed 4 minutes ago, but a and b changed since"]);
    now = state("d", "a", "b", "c", "d", "e");
    expect(await why("git commit -m x")).toEqual(["passed 4 minutes ago, but a, b, c and 2 more changed since"]);
    now = state("e");
    expect(await why("git commit -m x")).toEqual(["passed 4 minutes ago, but files were removed or renamed since"]);
    await shell("npm test", "failed", 1);
    pass(60_000);
    expect(await why("git commit -m x")).toEqual(["ran 1 minute ago and failed with exit code 1"]);
    now = state("a");
    expect(await why("git commit -m x")).toBe("allow");
  });

  it("STL-19 the same need is told once", async () => {
    const decision = await setup(async () => state("a")).shell("kubectl apply -f deploy.yaml && ./deploy.sh");
    expect(decision).toMatchObject({ missing: [{ what: "run the tests", why: "not done in this session" }] });
  });

  it("STL-20 a replay decides with the recorded state and the recorded answers", async () => {
    let now = state("a");
    const { session, shell, replay } = setup(async () => now);
    await shell("npm test");
    await shell("git commit -m x");
    now = state("b", "a.js");
    expect((await shell("git commit -m y")).kind).toBe("deny");
    const asked = await shell("git checkout -- a.js");
    if (asked.kind !== "ask") throw new Error(asked.kind);
    session.resolve(asked.approval, "always", "ann");
    expect(await shell("git checkout -- a.js")).toMatchObject({ kind: "allow", because: "approved" });
    session.resolve(asked.approval, "no", "ann");
    expect((await shell("git checkout -- a.js")).kind).toBe("ask");
    expect(replay()).toMatchObject({ calls: 6, changes: [] });
  });
});
