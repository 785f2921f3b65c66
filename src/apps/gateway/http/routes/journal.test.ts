import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ALLOW,
  sampleCall,
  sampleDenial,
  sampleEvent,
  sampleQuestion,
} from "../../../../edge/stores/test/events-samples.ts";
import type { ConductClient } from "../../client.ts";
import { httpWorld } from "../../test/test-http.ts";

const LONG = "x".repeat(5_000);

let world: Awaited<ReturnType<typeof httpWorld>>;
let vic: ConductClient;
let operator: ConductClient;
beforeAll(async () => {
  world = await httpWorld();
  vic = (await world.person("vic", "viewer")).client;
  operator = (await world.person("op", "operator")).client;
  const modes = { think: true, verbose: false, elevated: false };
  const bodies = [
    { type: "session", change: "opened", user: "op", channel: "cli" },
    { type: "message", text: LONG, modes },
    sampleCall(ALLOW, "build"),
    { type: "result", call: "c_1", tool: "build", outcome: "ok", truncation: [], feedback: [] },
    sampleCall(sampleDenial("d_1")),
    sampleCall(sampleQuestion("d_2", "a_2")),
    { type: "approval", approval: "a_2", answer: "yes", by: "op" },
  ] as const;
  await world.stores.events.append(
    bodies.map((body, at) => sampleEvent(body, { id: `w_${at}`, seq: at + 1, at: 1_000 + at, session: "cc:1" })),
  );
});
afterAll(() => world.close());

describe("why", () => {
  it("JR-1 a denial shows the required evidence, the matching evidence of the session, and all evidence at that time", async () => {
    const why = await vic.call("GET /api/decisions/{id}/why", { params: { id: "d_1" } });
    expect(why.event).toMatchObject({ id: "w_4", type: "call" });
    expect(why.needed).toEqual([{ what: "test", why: "it has to pass first", seen: { kind: "never", name: "test" } }]);
    expect(why.there).toEqual([{ name: "build", at: 1_003 }]);
    expect(why.modes).toEqual({ think: true, verbose: false, elevated: false });
    expect(why.session).toMatchObject({ session: "cc:1", channel: "cli" });
  });

  it.each([
    ["d_2", "w_5", ["w_6"]],
    ["a_2", "w_5", ["w_6"]],
    ["w_6", "w_6", []],
    ["w_1", "w_1", []],
  ])("JR-2 the journal finds %s: a decision, an approval with its answer, or any event", async (id, event, answers) => {
    const why = await vic.call("GET /api/decisions/{id}/why", { params: { id } });
    expect([why.event.id, why.answers.map((one) => one.id)]).toEqual([event, answers]);
  });

  it("JR-3 an unknown id is reported as not found", async () => {
    await expect(vic.call("GET /api/decisions/{id}/why", { params: { id: "d_no" } })).rejects.toMatchObject({
      status: 404,
    });
  });
});

describe("sessions of the journal", () => {
  it("JR-4 sessions include their newest moments, oldest first, with shortened texts", async () => {
    const { sessions } = await vic.call("GET /api/journal/sessions", { query: { recent: 4 } });
    expect(sessions[0]?.recent?.map(({ id }) => id)).toEqual(["w_2", "w_3", "w_4", "w_5"]);
    const { sessions: more } = await vic.call("GET /api/journal/sessions", { query: { recent: 50 } });
    expect(more[0]?.recent?.[0]).toHaveProperty("text.length", 200);
    const { sessions: none } = await vic.call("GET /api/journal/sessions");
    expect(none[0]).not.toHaveProperty("recent");
  });

  it.each([
    [{ until: 999 }, 0],
    [{ until: 1_000 }, 1],
    [{ since: 1_004, until: 1_004, denied: "true" }, 1],
    [{ since: 1_005, until: 2_000, denied: "true" }, 0],
  ])("JR-5 the time range %j selects the sessions with events in it: %i", async (query, total) => {
    expect((await vic.call("GET /api/journal/sessions", { query })).total).toBe(total);
  });

  it("JR-6 only operators delete sessions of other runtimes", async () => {
    const params = { id: "cc:1" };
    const uma = (await world.person("uma", "user")).client;
    await expect(uma.call("DELETE /api/sessions/{id}", { params })).rejects.toMatchObject({ status: 404 });
    await expect(vic.call("DELETE /api/sessions/{id}", { params })).rejects.toMatchObject({ status: 403 });
    expect(await operator.call("DELETE /api/sessions/{id}", { params })).toEqual({ deleted: true });
    expect((await vic.call("GET /api/journal/sessions")).total).toBe(0);
    await expect(operator.call("DELETE /api/sessions/{id}", { params })).rejects.toMatchObject({ status: 404 });
  });
});

it("JR-8 the stream reports a new agent definition, and no rejected one", async () => {
  const ended = new AbortController();
  const opened = Promise.withResolvers<void>();
  const heard: unknown[] = [];
  const listening = (async () => {
    for await (const { event, data } of vic.stream("GET /api/stream", {}, ended.signal, opened.resolve))
      if (event === "agent") heard.push(data);
  })().catch(() => undefined);
  await opened.promise;
  const params = { name: "porter" };
  const put = (after: number, definition: object) =>
    operator.call("PUT /api/agents/{name}", { params, body: { definition: { ...definition }, after, reason: "try" } });
  await expect(put(0, { limits: { tokens: "many" } })).rejects.toMatchObject({ status: 422 });
  await put(0, { soul: "Carry bags." });
  await expect(put(0, { soul: "Late." })).rejects.toMatchObject({ status: 409 });
  await put(1, { soul: "Carry trunks." });
  await expect.poll(() => heard, { timeout: 20_000 }).toEqual([{ agent: "porter" }, { agent: "porter" }]);
  ended.abort();
  await listening;
});

it("JR-7 a prompt preview respects the prompt mode and thinking", async () => {
  const preview = (more: object) => vic.call("POST /api/prompt/preview", { body: { agent: "demo", ...more } });
  const [full, none, think] = await Promise.all([preview({}), preview({ mode: "none" }), preview({ think: true })]);
  expect(none.sections.length).toBeLessThan(full.sections.length);
  expect(think.text).not.toBe(full.text);
});
