import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConductEvent, EventBody } from "../../../../base/words/event.ts";
import {
  ALLOW,
  sampleCall,
  sampleDenial,
  sampleEvent,
  sampleQuestion,
} from "../../../../edge/stores/test/events-samples.ts";
import type { ConductClient } from "../../client.ts";
import { httpWorld } from "../../test/test-http.ts";

const MODES = { think: false, verbose: false, elevated: false };
const MESSAGE = (text: string, reply?: string): EventBody => ({ type: "message", text, modes: MODES, reply });
const STOP = (status: "refused" | "complete"): EventBody => ({ type: "stop", status, refusals: 0, bound: 5 });
const RESULT = (outcome: "ok" | "failed"): EventBody => ({
  type: "result",
  call: "c_1",
  tool: "shell",
  outcome,
  truncation: [],
  feedback: [],
});
const FAULT: EventBody = {
  type: "notice",
  notice: { kind: "fault", fault: { where: "model", code: "turn-failed", message: "529 overloaded" } },
};

let world: Awaited<ReturnType<typeof httpWorld>>;
let vic: ConductClient;
let now: number;
beforeAll(async () => {
  world = await httpWorld();
  vic = (await world.person("vic", "viewer")).client;
  now = Date.now();
  const events: ConductEvent[] = [];
  const add = (session: string, at: number, ...bodies: readonly EventBody[]) => {
    for (const body of bodies) events.push(sampleEvent(body, { id: `l_${events.length}`, session, at }));
  };
  add("s_works", now - 2_000, MESSAGE("/think on", "think: on"), MESSAGE("fix the build"), sampleCall(ALLOW));
  add("s_refused", now - 3_000, MESSAGE("deploy"), STOP("refused"));
  add("s_done", now - 4_000, MESSAGE("deploy"), sampleCall(sampleDenial("d_1")), STOP("complete"));
  add("s_answered", now - 5_000, MESSAGE("/think on", "think: on"));
  add("s_old", now - 7_200_000, MESSAGE("deploy"), sampleCall(sampleQuestion("d_2", "a_1")), RESULT("failed"), FAULT);
  await world.stores.events.append(events);
});
afterAll(() => world.close());

describe("lists behind the figures", () => {
  it("KF-1 only sessions that work on a turn count as active, and the list of active sessions has the same number", async () => {
    const { active } = await vic.call("GET /api/overview", {});
    const listed = await vic.call("GET /api/journal/sessions", { query: { active: "true" } });
    expect(listed.sessions.map(({ session }) => session)).toEqual(["s_works", "s_refused"]);
    expect([active, listed.total]).toEqual([2, 2]);
  });

  it("KF-2 a session's opener is the first message that the agent received", async () => {
    const { sessions } = await vic.call("GET /api/journal/sessions", { query: { recent: 1 } });
    expect(Object.fromEntries(sessions.map(({ session, opener }) => [session, opener]))).toMatchObject({
      s_works: "fix the build",
      s_done: "deploy",
      s_answered: "/think on",
    });
  });

  it.each([
    ["call", 3],
    ["denied", 1],
    ["asked", 1],
    ["stop-refused", 1],
    ["error", 2],
    ["usage", 0],
  ] as const)("KF-3 the list of the kind '%s' has %i events", async (kind, count) => {
    const { events, next } = await vic.call("GET /api/events", { query: { kind } });
    expect([events.length, next]).toEqual([count, undefined]);
  });

  it("KF-4 a list is limited to its time, and continues where the page before ended", async () => {
    const within = { since: now - 4_500, until: now - 1_000 };
    const all = await vic.call("GET /api/events", { query: { ...within } });
    expect(new Set(all.events.map(({ session }) => session))).toEqual(new Set(["s_works", "s_refused", "s_done"]));
    const seen: string[] = [];
    for (let before: number | undefined; ; ) {
      const page: typeof all = await vic.call("GET /api/events", { query: { ...within, limit: 3, before } });
      seen.push(...page.events.map(({ id }) => id));
      before = page.next;
      if (before === undefined) break;
    }
    expect(seen).toEqual(all.events.map(({ id }) => id));
    await expect(vic.call("GET /api/events", { query: { kind: "nothing" as never } })).rejects.toMatchObject({
      status: 400,
    });
  });
});
