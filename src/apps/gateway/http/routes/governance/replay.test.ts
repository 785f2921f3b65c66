import { afterAll, beforeAll, expect, it } from "vitest";
import type { SessionQuery } from "../../../../../base/ports/stores/event-journal.ts";
import { RulesPolicy } from "../../../../../behavior/policy/rules/rules-policy.ts";
import { memoryStores } from "../../../../../edge/stores/home-stores.ts";
import { defineAgent } from "../../../../../engine/agent/define-agent.ts";
import { parseRules } from "../../../../../engine/agent/rules/parse-rules.ts";
import { type ReplayReport, ReplayTally } from "../../../../learning/replay/replay-sessions.ts";
import { conductClient } from "../../../client.ts";
import { memoryGatewayStores } from "../../../test/test-gateway-stores.ts";
import { httpWorld } from "../../../test/test-http.ts";
import { replayRoutes } from "./replay.ts";
import { type ReplayRun, ReplayRuns } from "./replay-runs.ts";

const REPORT: ReplayReport = { ...new ReplayTally().report() };
const OWN = "rules:\n  - { id: no-fetch, on: fetch }\n";
let world: Awaited<ReturnType<typeof httpWorld>>;
let secrets: Record<"olga" | "vic", string>;

beforeAll(async () => {
  const parsed = parseRules(OWN, "own.yaml");
  if ("faults" in parsed) throw new Error("faults");
  const clerk = defineAgent({ name: "clerk", policies: [new RulesPolicy(parsed.ruleSet)] });
  world = await httpWorld({ agents: [clerk, defineAgent({ name: "scribe" })] });
  const [olga, vic] = [await world.person("olga", "operator"), await world.person("vic", "viewer")];
  secrets = { olga: olga.secret, vic: vic.secret };
  const session = world.conduct.session({ agent: "clerk", id: "one", channel: "web" });
  await session.onMessage({ text: "go" });
  await session.onPrompt();
  for (const [id, tool] of [
    ["c1", "fetch"],
    ["c2", "search"],
  ] as const) {
    const call = { id, tool, args: {} };
    if ((await session.onCall(call)).kind === "allow") await session.onResult(call, { outcome: "ok", parts: [] });
  }
});
afterAll(() => world.close());

type Answer = {
  readonly id?: string;
  readonly state?: string;
  readonly code?: string;
  readonly fix?: string;
  readonly done?: number;
  readonly of?: number;
  readonly faults?: readonly unknown[];
  readonly report?: ReplayReport;
};

async function ask(method: string, path: string, as: "olga" | "vic" = "olga", body?: unknown) {
  const response = await fetch(`${world.gateway.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${secrets[as]}`, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const answer: Answer = JSON.parse(await response.text());
  return { status: response.status, answer };
}

const never = () => new AbortController().signal;

/** What its stream tells until the gateway ends it. */
async function streamed(id: string) {
  const client = conductClient({ url: world.gateway.url, token: secrets.olga });
  const told: { readonly event: string; readonly data: Answer }[] = [];
  const open = client.stream("GET /api/replay/{id}/stream", { params: { id } }, never());
  for await (const { event, data } of open) told.push({ event, data: data as Answer });
  return told;
}

/** Begins one and waits for its end. */
async function replay(body: unknown, as: "olga" | "vic" = "olga") {
  const begun = await ask("POST", "/api/replay", as, body);
  if (begun.status !== 202) return begun;
  expect(begun.answer).toMatchObject({ state: "running", by: "olga" });
  expect(begun.answer.report).toBeUndefined();
  const last = (await streamed(begun.answer.id ?? "")).at(-1);
  expect(last?.event).toBe("end");
  const read = await ask("GET", `/api/replay/${begun.answer.id}`);
  expect(read.answer).toEqual(last?.data);
  return read;
}

it("RPA-1 a replay decides recorded sessions again with other or additional rules", async () => {
  const none = await replay({ rules: OWN });
  expect(none).toMatchObject({ status: 200, answer: { kind: "rules", report: { sessions: 1, calls: 2, changed: 0 } } });
  const other = await replay({ rules: "rules:\n  - { id: no-search, on: search }\n" });
  expect(other.answer.report).toMatchObject({ newlyDenied: 1, noLongerDenied: 1 });
  const causes = [{ rule: "no-search", place: { line: 2 } }];
  expect(other.answer.report?.details[0]?.changes[1]).toMatchObject({ kind: "newly-denied", causes });
  const more = await replay({ rules: "rules:\n  - { id: no-search, on: search }\n", add: true, session: "one" });
  expect(more.answer.report).toMatchObject({ newlyDenied: 1, noLongerDenied: 0 });
});

it("RPA-2 a replay compares recorded turns with another contract", async () => {
  const { status, answer } = await replay({ contract: 0 });
  expect(status).toBe(200);
  expect(answer).toMatchObject({ kind: "contract", report: { sessions: 1, turns: 1, changed: 0, cannotTell: 0 } });
});

it.each([
  { body: {}, status: 400 },
  { body: { rules: OWN, contract: 1 }, status: 400 },
  { body: { rules: OWN, since: "soon" }, status: 400 },
  { body: { rules: "rules:\n  - { id: x }\n" }, status: 422 },
])("RPA-3 a replay request with $body is rejected with $status", async ({ body, status }) => {
  const refused = await replay(body);
  expect(refused.status).toBe(status);
  expect(refused.answer).toHaveProperty("code");
  if (status === 422) expect(refused.answer.faults?.[0]).toMatchObject({ file: "rules.yaml", line: 2 });
});

it("RPA-4 only operators may run a replay", async () => {
  expect((await replay({ rules: OWN }, "vic")).status).toBe(403);
});

const caller = { user: { id: "olga", name: "olga", role: "operator", at: 0 }, via: "token", secret: "" } as const;
const begin = { params: {}, query: {}, body: { rules: OWN, add: false, since: "7d" } };

/** A desk whose journal answers when it is told to. */
function slowDesk(limitMs?: number) {
  const { promise: held, resolve: go, reject: fail } = Promise.withResolvers<void>();
  const journal = memoryStores().events;
  const slow = { ...journal, sessions: (query: SessionQuery) => held.then(() => journal.sessions(query)) };
  const contracts = world.conduct.contracts;
  if (contracts === undefined) throw new Error("there is a contract");
  const clock = { now: () => 0, monotonic: () => 0 };
  const closing = new AbortController();
  const reported: string[] = [];
  let ids = 0;
  const runs = new ReplayRuns({
    ids: { next: (prefix) => `${prefix}_${++ids}` },
    closing: closing.signal,
    report: (problem) => void reported.push(problem),
    limitMs,
  });
  const parts = { stores: { events: slow }, contracts, conduct: { agents: [] }, clock, replays: runs };
  const begins = replayRoutes.find(({ key }) => key === "POST /api/replay");
  const start = async () => (await begins?.answer(begin as never, caller as never, parts as never)) as ReplayRun;
  const end = (id: string) =>
    new Promise<ReplayRun>((resolve) => runs.follow(id, (run) => void (run.state !== "running" && resolve(run))));
  return { start, runs, go, fail, closing, reported, end };
}

it("RPA-5 only one replay runs at a time: a second one is rejected with the reason, and a later one runs", async () => {
  const { start, go, end } = slowDesk();
  const first = await start();
  await expect(start()).rejects.toMatchObject({
    status: 409,
    code: "REPLAY_RUNNING",
    detail: { id: first.id, done: 0, of: 0 },
  });
  go();
  expect(await end(first.id)).toMatchObject({ state: "done", report: { sessions: 0 } });
  const second = await start();
  expect(await end(second.id)).toMatchObject({ state: "done" });
});

it.each([
  {
    what: "called off",
    how: (desk: ReturnType<typeof slowDesk>, id: string) => desk.runs.callOff(id),
    state: "called-off",
  },
  { what: "the gateway closes", how: (desk: ReturnType<typeof slowDesk>) => desk.closing.abort(), state: "called-off" },
  {
    what: "the store fails",
    how: (desk: ReturnType<typeof slowDesk>) => desk.fail(new Error("the disk is gone")),
    state: "failed",
    code: "REPLAY_FAILED",
  },
])("RPA-7 a replay ends as $state when $what, and the next replay runs", async ({ how, state, code }) => {
  const desk = slowDesk();
  const { id } = await desk.start();
  how(desk, id);
  desk.go();
  expect(await desk.end(id)).toMatchObject(code === undefined ? { state } : { state, code });
  // What the store said is for the operator's terminal, and not for the page.
  expect(desk.reported.join()).toBe(code === undefined ? "" : "a replay failed: the disk is gone");
  const next = await desk.runs.start({ kind: "rules", since: "", by: "" }, async () => ({
    kind: "rules",
    report: REPORT,
  }));
  expect(next.state).toBe("running");
});

it("RPA-8 a replay that takes too long is cancelled with advice on what to do", async () => {
  const { runs, end } = slowDesk(1);
  const { id } = await runs.start(
    { kind: "rules", since: "", by: "" },
    (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const fix = expect.stringContaining("conduct replay");
  expect(await end(id)).toMatchObject({ state: "failed", code: "REPLAY_TOO_LONG", fix });
});

it("RPA-9 replay progress is reported per percent, and the last few reports can be read", async () => {
  const { runs } = slowDesk();
  const started: string[] = [];
  for (let at = 0; at < 6; at++) {
    const told: string[] = [];
    const steps = Promise.withResolvers<void>();
    const { id } = await runs.start({ kind: "rules", since: "", by: "olga" }, async (_, onProgress) => {
      await steps.promise;
      for (let done = 1; done <= 1_000; done++) onProgress({ done, of: 1_000 });
      return { kind: "rules", report: REPORT };
    });
    started.push(id);
    const over = new Promise<void>((resolve) => {
      runs.follow(id, ({ state, done, of }) => {
        told.push(`${state} ${done}/${of}`);
        if (state !== "running") resolve();
      });
    });
    steps.resolve();
    await over;
    expect(told).toHaveLength(1 + 100 + 1);
    expect(told.slice(0, 3)).toEqual(["running 0/0", "running 10/1000", "running 20/1000"]);
    expect(told.at(-1)).toBe("done 1000/1000");
  }
  await expect(runs.find(started[0] ?? "")).rejects.toThrow("There is no replay");
  expect(await runs.find(started.at(-1) ?? "")).toMatchObject({ state: "done", report: REPORT });
});

it("RPA-10 over HTTP a running replay is followed and cancelled, and unknown ones are not found", async () => {
  expect((await ask("GET", "/api/replay/rp_none")).status).toBe(404);
  expect((await ask("GET", "/api/replay/rp_none/stream")).status).toBe(404);
  expect((await ask("DELETE", "/api/replay/rp_none")).status).toBe(404);
  const { answer } = await ask("POST", "/api/replay", "olga", { rules: OWN });
  const told = await streamed(answer.id ?? "");
  expect(told.map(({ event }) => event).filter((event) => event !== "progress")).toEqual(["end"]);
  expect(told.at(-1)?.data).toMatchObject({ state: "done", done: told.at(-1)?.data.of });
  // Whoever comes late hears the end at once; one that is over stays as it is.
  expect(await streamed(answer.id ?? "")).toEqual([told.at(-1)]);
  expect((await ask("DELETE", `/api/replay/${answer.id}`)).answer).toEqual({ calledOff: true });
  expect((await ask("GET", `/api/replay/${answer.id}`)).answer.state).toBe("done");
  expect((await ask("GET", `/api/replay/${answer.id}`, "vic")).status).toBe(403);
});

it("RPA-12 over HTTP the stream reports progress, other requests are answered, and the stream ends", async () => {
  const gate = Promise.withResolvers<void>();
  const stores = memoryGatewayStores();
  let batches = 0;
  const histories = async (sessions: readonly string[]) => {
    batches += 1;
    if (batches > 1) await gate.promise;
    return stores.events.histories(sessions);
  };
  const other = await httpWorld({ stores: { ...stores, events: { ...stores.events, histories } } });
  try {
    for (let at = 0; at < 20; at++) {
      const session = other.conduct.session({ agent: "demo", id: `s${at}`, channel: "web" });
      await session.onCall({ id: "c", tool: "search", args: {} });
    }
    const { client } = await other.person("olga", "operator");
    const rules = "rules:\n  - { id: no-search, on: search }\n";
    const { id } = await client.call("POST /api/replay", { body: { rules, add: true } });
    const told: string[] = [];
    for await (const { event, data } of client.stream("GET /api/replay/{id}/stream", { params: { id } }, never())) {
      const { state, done, of } = data as Answer;
      told.push(`${event} ${done}/${of}`);
      if (done !== 8) continue;
      expect(await client.call("GET /api/replay/{id}", { params: { id } })).toMatchObject({
        state: "running",
        done: 8,
      });
      expect(state).toBeUndefined();
      gate.resolve();
    }
    expect(told.slice(told.indexOf("progress 8/20"))).toEqual([
      "progress 8/20",
      "progress 16/20",
      "progress 20/20",
      "end 20/20",
    ]);
    const ended = await client.call("GET /api/replay/{id}", { params: { id } });
    expect(ended).toMatchObject({ report: { sessions: 20, newlyDenied: 20 } });
  } finally {
    gate.resolve();
    await other.close();
  }
});

it("RPA-11 a replay of rules for one agent leaves other agents' decisions unchanged", async () => {
  const session = world.conduct.session({ agent: "scribe", id: "three", channel: "web" });
  await session.onMessage({ text: "go" });
  await session.onCall({ id: "c", tool: "search", args: {} });
  const rules = "rules:\n  - { id: no-search, on: search }\n";
  expect((await replay({ rules, add: true })).answer.report).toMatchObject({ newlyDenied: 2 });
  const scribe = await replay({ rules, add: true, for: "scribe" });
  expect(scribe.answer.report?.details).toMatchObject([{ agent: "scribe", changes: [{ kind: "newly-denied" }] }]);
  const clerk = await replay({ rules, for: "clerk", agent: "scribe" });
  expect(clerk.answer.report).toMatchObject({ sessions: 1, changed: 0 });
  const nobody = await ask("POST", "/api/replay", "olga", { rules, for: "clrk" });
  expect(nobody).toMatchObject({ status: 422, answer: { code: "UNKNOWN_AGENT", fix: "Use one of: clerk, scribe." } });
});

it("RPA-6 a replayed rule replaces a standing rule with the same id instead of adding to it", async () => {
  const text = "rules:\n  - { id: no-lookup, on: lookup }\n";
  const contracts = world.conduct.contracts;
  await contracts?.change({ kind: "harden", rule: "no-lookup", text }, "olga");
  await contracts?.change({ kind: "enforce-rule", id: "no-lookup" }, "olga");
  const session = world.conduct.session({ agent: "clerk", id: "two", channel: "web" });
  await session.onMessage({ text: "go" });
  await session.onPrompt();
  expect((await session.onCall({ id: "c3", tool: "lookup", args: {} })).kind).toBe("deny");
  const same = await replay({ rules: text, add: true, session: "two" });
  expect(same.answer.report).toMatchObject({ calls: 1, newlyDenied: 0, noLongerDenied: 0 });
  const softer = await replay({ rules: text.replace("lookup }", "lookup, effect: warn }"), add: true, session: "two" });
  expect(softer.answer.report).toMatchObject({ noLongerDenied: 1 });
});
