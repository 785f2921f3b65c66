import { spawn } from "node:child_process";
import { once } from "node:events";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { SessionsStore } from "../../../base/ports/stores/sessions.ts";
import type { Decision } from "../../../base/words/decision.ts";
import { parseConfig } from "../../../engine/agent/config/parse-config.ts";
import type { AgentInput } from "../../../engine/agent/define-agent.ts";
import type { SessionSaves } from "../../../engine/session/persistent-session.ts";
import type { Session } from "../../../engine/session/session.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { testConduct } from "../../../engine/session/test/test-conduct.ts";
import { memoryStores } from "../../stores/home-stores.ts";
import { isGone, type LeaseOptions, sessionLeases, thisHolder } from "../daemon/session-leases.ts";
import { localHost } from "./local-host.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

const call = (id: string, tool: string, args = {}) => ({
  id,
  tool,
  args,
  native: { runtime: "test", name: tool, input: args },
});
const OK = { outcome: "ok", parts: [] } as const;

/** A process that has been started anew: nothing is left but the store. */
function started(
  store: SessionsStore,
  agent: Partial<AgentInput> = {},
  { onLost, ...options }: LeaseOptions & Pick<SessionSaves, "onLost"> = {},
) {
  const world = testConduct(agent);
  const now = () => world.time.now;
  const leases = sessionLeases(store, { now, patienceMs: 0, ...options });
  const saves: SessionSaves = { store, now, leases, onLost, onFailure: "reject" };
  const host = localHost(world.conduct, { agent: "agent", saves, workspace: "/w" });
  const close = async () => {
    await world.conduct.sessions.close();
    leases.close();
  };
  closing.push(close);
  const open = (id = "s", parent?: string) => host.open({ runtime: "test", id, cwd: "/w", parent });
  return { ...world, host, open, close };
}

describe("sessions in the store", () => {
  it("KPR-31 a session on a person's own machine may use temporary files, and nothing else outside its workspace", async () => {
    const { conduct } = testConduct({});
    const session = await localHost(conduct, { agent: "agent", workspace: "/usr" }).open({
      runtime: "test",
      id: "s",
      cwd: "/usr",
    });
    const write = (path: string) => session.onCall(call(path, "shell", { command: `echo x > ${path}` }));
    expect([await write("/tmp/conduct-log.txt"), await write("/etc/hosts")]).toMatchObject([
      { kind: "allow" },
      { kind: "deny", rule: "builtin:workspace" },
    ]);
    await conduct.sessions.close();
  });

  it("KPR-1 a session continues unchanged in the next process, including the runtime's data", async () => {
    const store = memoryStores().sessions;
    const first = started(store);
    const session = await first.open();
    await session.onMessage({ text: "/think:high go" });
    session.notice({ kind: "started", model: "big", window: 5_000 });
    await session.decide(call("c1", "test"));
    await first.close();
    const second = started(store);
    await second.open();
    expect(second.conduct.find("s")?.view).toMatchObject({ turn: 1, modes: { think: true, thinkLevel: "high" } });
    expect(second.events.map(({ type }) => type).slice(0, 2)).toEqual(["session", "notice"]);
    expect(second.events[0]).toMatchObject({ change: "resumed" });
    expect(second.events[1]).toMatchObject({ notice: { kind: "started", model: "big", window: 5_000 } });
    expect((await store.load("s"))?.beside.workspace).toBe("/w");
  });

  it("KPR-2 no answer is sent before the state is saved, and unchanged state is not written", async () => {
    const store = memoryStores().sessions;
    const saves: number[] = [];
    const slow: SessionsStore = {
      ...store,
      async save(id, state) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        saves.push(state.expectedVersion);
        return store.save(id, state);
      },
    };
    const { open } = started(slow);
    const session = await open();
    await session.decide(call("c1", "test"));
    expect(await store.load("s")).toMatchObject({ version: 1 });
    await session.flush();
    expect(saves).toEqual([0]);
    await Promise.all([
      session.decide(call("c2", "a")),
      session.decide(call("c3", "b")),
      session.decide(call("c4", "c")),
    ]);
    expect(saves.length).toBeLessThanOrEqual(4);
    expect((await store.load("s"))?.snapshot).toContain("c4");
  });

  it("KPR-20 a large state is written as deltas with the host's data, and the next process reads the same state", async () => {
    const store = memoryStores().sessions;
    const written: string[] = [];
    const watched: SessionsStore = {
      ...store,
      save: (id, state) => store.save(id, state).finally(() => written.push("save")),
      append: (id, change) => store.append(id, change).finally(() => written.push("append")),
    };
    const parts = (text: string) => {
      const { log, state } = JSON.parse(text);
      return { log, state };
    };
    const first = started(watched);
    const session = await first.open();
    await session.onMessage({ text: "go" });
    for (let at = 0; at < 120; at++) {
      const made = call(`c${at}-${"x".repeat(200)}`, "test", { at });
      await session.decide(made);
      await session.onResult(made, OK);
      const live = first.conduct.find("s") as Session;
      if (at % 20 === 0) await first.host.saveAdapterData?.("s", { at });
      expect(parts((await store.load("s"))?.snapshot ?? "")).toEqual(parts(live.serialise()));
    }
    expect((await store.load("s"))?.beside).toMatchObject({ adapter: { at: 100 }, workspace: "/w" });
    expect(written.filter((kind) => kind === "append").length).toBeGreaterThan(written.length / 4);
    const before = first.conduct.find("s")?.serialise() ?? "";
    await first.close();
    const second = started(store);
    await second.open();
    expect(parts(second.conduct.find("s")?.serialise() ?? "")).toEqual(parts(before));
  });

  it("KPR-3 only one process at a time has the lease of a session; when it releases or exits, the next one may take it", async () => {
    const store = memoryStores().sessions;
    const first = started(store);
    await (await first.open()).decide(call("c1", "test"));
    const second = started(store, {}, { holder: "elsewhere@1/77/1/x" });
    await expect(second.open()).rejects.toThrow(/another process \(\d+\) has the lease of session s/);
    await first.close();
    await expect(second.open()).resolves.toBeDefined();
    const third = started(store);
    await expect(third.open()).rejects.toThrow("another process (77) has the lease");
    third.pass(60_000);
    await expect(third.open()).resolves.toBeDefined();
  });

  it("KPR-4 a process that lost its lease cannot save a decision", async () => {
    const store = memoryStores().sessions;
    const lost: string[] = [];
    const first = started(store, {}, { onLost: (id) => lost.push(id), holder: "elsewhere@1/77/1/x" });
    const session = await first.open();
    await session.decide(call("c1", "test"));
    const second = started(store);
    second.pass(60_000);
    await (await second.open()).decide(call("c2", "test"));
    await expect(session.decide(call("c3", "test"))).rejects.toThrow("another process has decided for session s");
    await expect(session.decide(call("c4", "test"))).rejects.toThrow("another process has decided");
    expect(lost).toEqual(["s"]);
  });

  it("KPR-5 if the store rejects the write, no answer is sent", async () => {
    const store = memoryStores().sessions;
    const { open } = started({ ...store, save: async () => Promise.reject(new Error("the disk is full")) });
    await expect((await open()).decide(call("c1", "test"))).rejects.toThrow("the disk is full");
  });

  it("KPR-6 a reopened subagent session finds its parent, and its spending on the parent's budget is saved first", async () => {
    const store = memoryStores().sessions;
    const agent = { limits: { calls: 2 } };
    const first = started(store, agent);
    await first.open("s");
    const child = await first.open("child", "s");
    expect(await child.decide(call("c1", "a"))).toMatchObject({ kind: "allow" });
    await first.close();
    const second = started(store, agent);
    const again = await second.open("child", "s");
    expect(second.conduct.find("child")?.parent?.id).toBe("s");
    expect(await again.decide(call("c2", "b"))).toMatchObject({ kind: "allow" });
    expect(await (await second.open("s")).decide(call("c3", "c"))).toMatchObject({ kind: "deny", code: "budget" });
  });

  it("KPR-7 an ended session starts fresh under its id, in the same process and in the next", async () => {
    const store = memoryStores().sessions;
    const first = started(store);
    const session = await first.open();
    await session.onMessage({ text: "one" });
    session.notice({ kind: "ended" });
    await (await first.open()).onMessage({ text: "two" });
    expect(first.conduct.find("s")?.view.turn).toBe(1);
    (await first.open()).notice({ kind: "ended" });
    await first.close();
    const second = started(store);
    await (await second.open()).onMessage({ text: "three" });
    expect(second.conduct.find("s")?.view.turn).toBe(1);
    expect(second.events[0]).toMatchObject({ type: "session", change: "opened" });
  });

  it("KPR-8 an adapter's data is restored with its session", async () => {
    const store = memoryStores().sessions;
    const first = started(store);
    await (await first.open()).decide(call("c1", "test"));
    await first.host.saveAdapterData?.("s", { step: 3 });
    await first.host.saveAdapterData?.("nobody", { step: 4 });
    await first.close();
    const second = started(store);
    expect(await second.host.adapterData?.("s")).toEqual({ step: 3 });
    expect(await second.host.adapterData?.("nobody")).toBeUndefined();
    await (await second.open()).decide(call("c2", "test"));
    expect(await second.host.adapterData?.("s")).toEqual({ step: 3 });
  });

  it("KPR-9 two concurrent requests for a session get the same one", async () => {
    const { open, events } = started(memoryStores().sessions);
    const [one, other] = await Promise.all([open(), open()]);
    expect(one).toBe(other);
    expect(events.filter(({ type }) => type === "session")).toHaveLength(1);
  });
});

describe("who holds a session", () => {
  it("KPR-10 an exited process counts as gone; a running or remote one does not", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    const me = thisHolder().split("/");
    const holder = [me[0], child.pid, "", "x"].join("/");
    expect(isGone(thisHolder())).toBe(false);
    expect(isGone(holder)).toBe(false);
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
    expect(isGone(holder)).toBe(true);
    expect(isGone(["elsewhere@1", child.pid, "", "x"].join("/"))).toBe(false);
    expect(isGone("nonsense")).toBe(false);
  });

  it.runIf(process.platform === "linux")("KPR-11 a process with a reused pid is not mistaken for the old one", () => {
    const [machine, pid, , id] = thisHolder().split("/");
    expect(isGone([machine, pid, "1", id].join("/"))).toBe(true);
  });
});

/** Rules that remember: an order, a limit, a proof that is spoilt, an escalation. */
const RULES = `
agents:
  agent:
    actions:
      ship: { tool: deploy }
    rules:
      - { id: order, on: ship, require: { call: test, since: edit } }
      - { id: few, on: fetch, atMost: { count: 2, per: [url] } }
    limits: { calls: 40, stops: 2 }
    completion: { evidence: [test] }
`;

type Step =
  | { readonly do: "call"; readonly tool: string; readonly url: string; readonly outcome: "ok" | "failed" | "none" }
  | { readonly do: "message" | "stop" | "compacted" | "step" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: callStep() },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Step>({ do: "message" }, { do: "stop" }, { do: "compacted" }, { do: "step" }),
  },
);

function callStep(): fc.Arbitrary<Step> {
  return fc.record({
    do: fc.constant("call" as const),
    tool: fc.constantFrom("test", "edit", "deploy", "fetch"),
    url: fc.constantFrom("a", "b"),
    outcome: fc.constantFrom("ok", "ok", "failed", "none"),
  });
}

/** What a decision comes to, without the ids that every process makes up for itself. */
function shown(decision: Decision): unknown {
  const { id: _, ...rest } = decision;
  return rest;
}

it("KPR-12 decisions are the same with restarts at any point as without", async () => {
  const parsed = parseConfig(RULES, "rules");
  if ("faults" in parsed) throw new Error(parsed.faults[0]?.message);
  const [agent] = parsed.agents;
  if (agent === undefined) throw new Error("no agent");
  const steps = fc.array(fc.tuple(step, fc.boolean()), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, async (row) => {
      const restarted = await play(row, true);
      expect(restarted).toEqual(await play(row, false));
    }),
    { numRuns: 60 },
  );

  async function play(row: readonly (readonly [Step, boolean])[], restarts: boolean): Promise<readonly unknown[]> {
    const store = memoryStores().sessions;
    const [machine] = thisHolder().split("/");
    let world = started(store, agent, { holder: [machine, 4_194_304, "", "x"].join("/") });
    let session = await world.open();
    const came: unknown[] = [];
    for (const [at, [one, cut]] of row.entries()) {
      came.push(await act(session, one, `c${at}`, at));
      if (!restarts || !cut) continue;
      await session.flush();
      const { now } = world.time;
      // Killed: nothing was released, and no process has that number any more.
      world = started(store, agent, { holder: [machine, 4_194_305 + at, "", "x"].join("/") });
      world.pass(now - world.time.now);
      session = await world.open();
    }
    return came;
  }
});

async function act(session: SessionMoments, one: Step, id: string, at: number): Promise<unknown> {
  switch (one.do) {
    case "message":
      return (await session.onMessage({ text: "go on" })).text;
    case "stop":
      return session.onStop({});
    case "compacted":
      return session.notice({ kind: "compacted" });
    case "step":
      return session.notice({ kind: "step-closed" });
    case "call": {
      const made = { ...call(id, one.tool, { url: one.url }), step: `step-${Math.floor(at / 3)}` };
      const decision = await session.decide(made);
      if (decision.kind !== "allow" || one.outcome === "none") return shown(decision);
      const { result, feedback } = await session.onResult(made, { ...OK, outcome: one.outcome });
      return [shown(decision), result, feedback];
    }
  }
}

describe("a kept state that is damaged", () => {
  const damaged = (text: string) => [
    ["is cut off", text.slice(0, text.length / 2)],
    ["was changed", text.replace('"turn"', '"tern"')],
    ["is of a newer version", text.replace('"v":1', '"v":2')],
    ["is of another session", text.replace('"session":"s"', '"session":"t"')],
  ];

  it("KPR-30 a damaged state is set aside; the session continues, and both are reported", async () => {
    const first = memoryStores().sessions;
    await (await started(first).open()).onMessage({ text: "hi" });
    const kept = await first.load("s");
    for (const [what, snapshot = ""] of damaged(kept?.snapshot ?? "")) {
      const store = memoryStores().sessions;
      await store.save("s", { snapshot, beside: kept?.beside ?? {}, expectedVersion: 0, at: 1 });
      const { open, events, close } = started(store);
      const session = await open();
      expect((await session.onMessage({ text: "again" })).notes.join(), what).toContain("set aside");
      expect(await session.onCall(call("c1", "read")), what).toMatchObject({ kind: "allow" });
      expect(
        events.filter(({ type }) => type === "fault"),
        what,
      ).toHaveLength(1);
      await close();
      const next = started(store);
      expect((await (await next.open()).onMessage({ text: "third" })).notes, what).toEqual([]);
    }
  });
});
