import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConductEvent, EventBody } from "../../../../base/words/event.ts";
import { ALLOW, sampleCall, sampleDenial, sampleEvent } from "../../../../edge/stores/test/events-samples.ts";
import { HOUR_MS, NO_FIGURES } from "../../../../engine/journal/session-figures.ts";
import type { ConductClient } from "../../client.ts";
import { httpWorld } from "../../test/test-http.ts";

const DAY_MS = 24 * HOUR_MS;
const OPENED = (user: string): EventBody => ({ type: "session", change: "opened", user, channel: "web" });

let world: Awaited<ReturnType<typeof httpWorld>>;
let vic: ConductClient;
let uma: ConductClient;
let today: number;
beforeAll(async () => {
  world = await httpWorld();
  vic = (await world.person("vic", "viewer")).client;
  uma = (await world.person("uma", "user")).client;
  today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const events: ConductEvent[] = [];
  const add = (body: EventBody, session: string, at: number, agent = "ada") =>
    events.push(sampleEvent(body, { id: `o_${events.length}`, session, at, agent }));
  for (let one = 0; one < 30; one++) {
    const session = `s_${one}`;
    add(OPENED(one % 2 === 0 ? "uma" : "ulf"), session, today - DAY_MS + one);
    add(sampleCall(one % 3 === 0 ? sampleDenial(`d_${one}`) : ALLOW), session, today - DAY_MS + one + HOUR_MS);
  }
  add(sampleCall(ALLOW), "s_1", today, "bob");
  await world.stores.events.append(events);
});
afterAll(() => world.close());

describe("figures over time", () => {
  it("OV-1 the API returns figures by day and hour, in total and by agent, including empty ones", async () => {
    const { buckets, total } = await vic.call("GET /api/figures", {
      query: { by: "day", since: today - 2 * DAY_MS, until: today },
    });
    expect(
      buckets.map(({ at, all, agents }) => [at, all.calls, all.denials, agents.map(({ agent }) => agent)]),
    ).toEqual([
      [today - 2 * DAY_MS, 0, 0, []],
      [today - DAY_MS, 30, 10, ["ada"]],
      [today, 1, 0, ["bob"]],
    ]);
    expect(total).toEqual({ ...NO_FIGURES, calls: 31, denials: 10 });
    const hours = await vic.call("GET /api/figures", {
      query: { by: "hour", since: today - DAY_MS, until: today - DAY_MS + 2 * HOUR_MS, agent: "ada" },
    });
    expect(hours.buckets.map(({ all }) => all.calls)).toEqual([0, 30, 0]);
  });

  it.each([
    [{ by: "hour", since: 0 }, "1000"],
    [{ since: 2, until: 1 }, "since"],
    [{ by: "week" }, "by"],
  ])("OV-2 the figures request %j is rejected with a clear message", async (query, words) => {
    await expect(vic.call("GET /api/figures", { query: query as never })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(words),
    });
  });

  it("OV-3 the overview shows the figures of the last days", async () => {
    const { days } = await vic.call("GET /api/overview", { query: { days: 2 } });
    expect(days.map(({ calls, denials }) => [calls, denials])).toEqual([
      [30, 10],
      [1, 0],
    ]);
  });
});

describe("sessions of the journal", () => {
  it("OV-4 sessions are filtered and paged, and users see only their own", async () => {
    const seen: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: Awaited<ReturnType<typeof list>> = await list(offset);
      seen.push(...page.sessions.map(({ session }) => session));
      expect(page.total).toBe(10);
      offset = page.next;
    }
    expect(new Set(seen).size).toBe(10);
    const own = await uma.call("GET /api/journal/sessions", { query: { user: "ulf", limit: 200 } });
    expect(own.total).toBe(15);
    expect(own.sessions.every(({ user }) => user === "uma")).toBe(true);
    await expect(uma.call("GET /api/journal/sessions/{id}", { params: { id: "s_1" } })).rejects.toMatchObject({
      status: 404,
    });
    expect(await vic.call("GET /api/journal/sessions/{id}", { params: { id: "s_1" } })).toMatchObject({ calls: 2 });
  });

  function list(offset: number) {
    return vic.call("GET /api/journal/sessions", { query: { denied: "true", text: "tests passed", limit: 3, offset } });
  }
});
