import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConductEvent, EventBody } from "../../../../src/base/words/event.ts";
import { chromium, openConsole } from "../../../test/browser.ts";
import { HOSTILE } from "../../../test/world.ts";

const OFF = { think: false, verbose: false, elevated: false };

/** Waited for as long as it takes on a machine that is busy. */
const soon = <T>(look: () => T) => expect.poll(look, { timeout: 20_000 });

describe.skipIf(chromium === undefined)("a session in a browser", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    console = await openConsole();
  }, 120_000);
  afterAll(() => console?.close());

  const timeline = (page: Page) => page.getByRole("region", { name: "Timeline" });
  const list = (query: object) => console.world.client.call("GET /api/journal/sessions", { query });

  it("SE-4 a denial appears in the timeline as it happens, and opens all its details", async () => {
    const session = await console.world.start("demo");
    await console.world.say(session, "hello there");
    const page = await console.open(`/sessions/${session}`);
    await timeline(page).getByText("hello there").first().waitFor();
    expect(await timeline(page).getByText("denied", { exact: false }).count()).toBe(0);
    await console.world.say(session, "deploy it");
    await timeline(page).locator("[data-tone=denied] button").first().click();
    const open = timeline(page).locator("[data-picked]");
    for (const text of [
      "deploy-needs-proof",
      "reason",
      "missing",
      "next step",
      "attempts",
      "in force",
      "proven at that time",
      "never ran",
    ])
      await open.getByText(text, { exact: false }).first().waitFor();
    await open.getByRole("link", { name: "Replay with a change…" }).waitFor();
    expect(page.url()).toContain("?event=");
    await page.getByText("denied 1").first().waitFor();
    await open.getByRole("link", { name: "why" }).click();
    await page.waitForURL("**/why/*");
    await page.getByRole("link", { name: "Show in timeline" }).click();
    await open.getByText("deploy-needs-proof").first().waitFor();
    await page.close();
  });

  it("SE-5 with five thousand moments few are rendered, and the end, the start and any linked one can be reached", async () => {
    const session = await console.world.longSession(5_000);
    const { sessions } = await list({ text: "834", limit: 1 });
    expect(sessions[0]?.session).toBe(session);
    const page = await console.open(`/sessions/${session}`);
    await page.getByRole("button", { name: "Newest" }).waitFor();
    const size = () => timeline(page).locator("*").count();
    const count = () => timeline(page).getByRole("listitem").first().getAttribute("aria-setsize");
    await page.keyboard.press("e");
    await soon(async () => Number(await count())).toBeGreaterThan(5_000);
    expect(await size()).toBeLessThan(2_500);
    await page.keyboard.press("Home");
    await timeline(page).getByText("deploy number 1", { exact: true }).first().waitFor();
    await page.keyboard.press("End");
    await timeline(page).getByText("deploy number 834", { exact: true }).first().waitFor();
    expect(await size()).toBeLessThan(2_500);
    await page.goto(`${console.world.url}/sessions/${session}?event=${session}-e2600`);
    const picked = timeline(page).locator(`[data-event="${session}-e2600"][data-picked]`);
    await picked.waitFor();
    await soon(() =>
      picked.evaluate((row) => {
        const box = row.getBoundingClientRect();
        return box.top >= 0 && box.top < innerHeight;
      }),
    ).toBe(true);
    await page.keyboard.press("n");
    await soon(() => page.url()).not.toContain("e2600");
    await timeline(page).locator("[data-picked]").getByText("deploy-needs-proof").first().waitFor();
    await page.getByLabel("Search this timeline").fill("run 500");
    await timeline(page).getByText("shell npm test -- --run 500").waitFor();
    expect(Number(await count())).toBeLessThan(500);
    await page.getByLabel("Search this timeline").fill("no such thing at all");
    await page.getByText("Nothing in this session matches.").waitFor();
    await page.close();
  }, 60_000);

  it("SE-6 hostile text of people, tools, files and rules stays text in the timeline", async () => {
    const session = "s_hostile";
    const bodies: readonly EventBody[] = [
      { type: "session", change: "opened", user: HOSTILE, channel: "cli" },
      { type: "message", text: HOSTILE, modes: OFF },
      {
        type: "call",
        call: {
          id: "c",
          tool: "read_file",
          args: { path: HOSTILE },
          actions: [],
          proves: [],
          paths: [],
          native: { runtime: "pi", name: "read_file", input: {} },
        },
        decision: {
          kind: "deny",
          id: "d_hostile",
          rule: HOSTILE,
          place: { file: HOSTILE, line: 3 },
          code: "policy",
          reason: HOSTILE,
          missing: [{ what: HOSTILE, why: HOSTILE }],
          next: HOSTILE,
          others: [],
          attemptsLeft: 1,
          endTurn: false,
        },
      },
      {
        type: "result",
        call: "c",
        tool: HOSTILE,
        outcome: "failed",
        truncation: [],
        feedback: [
          {
            providerName: "p",
            summary: HOSTILE,
            suggestions: [HOSTILE],
            severity: "warning",
            observations: [],
            timestamp: 0,
            callIndex: 0,
            promptName: "p",
          },
        ],
      },
      { type: "fault", fault: { where: HOSTILE, code: "x", message: HOSTILE } },
    ];
    await console.world.stores.events.append(
      bodies.map(
        (body, at) =>
          ({
            v: 1,
            id: `h_${at}`,
            seq: at + 1,
            at: Date.now() + at,
            session,
            agent: "demo",
            run: "r",
            turn: at === 0 ? 0 : 1,
            ...body,
          }) as ConductEvent,
      ),
    );
    for (const path of [
      `/sessions/${session}?event=h_2`,
      `/sessions/${session}?event=h_3`,
      "/sessions",
      "/why/d_hostile",
      "/sessions?text=onerror",
    ]) {
      const page = await console.open(path);
      await page.getByRole("main").getByText("<img src=x onerror", { exact: false }).first().waitFor();
      await page.getByText("RLO", { exact: true }).first().waitFor();
      expect(
        await page.evaluate(() => ["hacked" in window, document.querySelectorAll("main img, main b").length]),
      ).toEqual([false, 0]);
      await page.close();
    }
  });

  it("SE-7 a question is answered in the timeline, and a viewer sees neither its buttons nor the delete button", async () => {
    await console.world.person("vic", "viewer");
    const { session } = await console.world.question("from-timeline.txt");
    const looking = await console.open(`/sessions/${session}`, { as: "vic" });
    await timeline(looking)
      .getByText(/May I write/)
      .first()
      .waitFor();
    expect(await looking.getByRole("button", { name: "Yes, once" }).count()).toBe(0);
    expect(await looking.getByRole("button", { name: "Delete this session" }).count()).toBe(0);
    const page = await console.open(`/sessions/${session}`);
    await page.getByRole("button", { name: "Yes, once" }).click();
    await timeline(page).getByText("answered yes").first().waitFor();
    await timeline(looking).getByText("answered yes").first().waitFor();
    await soon(() => page.getByRole("button", { name: "Yes, once" }).count()).toBe(0);
    await looking.close();
    await page.close();
  });

  it("SE-8 a session is deleted with the keyboard alone, after a confirmation", async () => {
    const session = await console.world.start("demo");
    await console.world.say(session, "hello, and goodbye");
    const page = await console.open(`/sessions/${session}`);
    await timeline(page).getByText("hello, and goodbye").first().waitFor();
    await page.keyboard.press("Delete");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    expect((await list({ text: "goodbye" })).total).toBe(1);
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "Delete conversation" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("The session was deleted").waitFor();
    await page.waitForURL("**/sessions");
    expect((await list({ text: "goodbye" })).total).toBe(0);
    await page.close();
  });

  it("SE-13 subagents appear under their parent as they start, with links both ways, and hostile names stay text", async () => {
    const write = (session: string, seq: number, body: EventBody, more: object = {}) =>
      console.world.stores.events.append([
        {
          v: 1,
          id: `${session}_${seq}`,
          seq,
          at: Date.now(),
          session,
          agent: "demo",
          run: "r",
          turn: 1,
          ...body,
          ...more,
        } as ConductEvent,
      ]);
    await write("s_parent", 1, { type: "message", text: "divide the work", modes: OFF });
    const page = await console.open("/sessions/s_parent");
    await timeline(page).getByText("divide the work").first().waitFor();
    const below = page.getByRole("region", { name: "Subagents" });
    expect(await below.count()).toBe(0);
    const child = { parent: "s_parent", agent: HOSTILE };
    await write("s_child", 1, { type: "message", text: "the first half", modes: OFF }, child);
    await write("s_other", 1, { type: "message", text: "not its own", modes: OFF }, { parent: "s_Parent" });
    // Written by another process: seen when the page looks again. Here something happens in this one.
    const session = await console.world.start("demo");
    await console.world.say(session, "hello");
    await below.getByText("1 subagent").waitFor();
    await below.getByText("RLO").waitFor();
    expect(await page.locator("main img, main b").count()).toBe(0);
    expect(await below.getByRole("listitem").count()).toBe(1);
    for (let at = 1; at <= 21; at += 1)
      await write(`s_more${at}`, 1, { type: "message", text: `part ${at}`, modes: OFF }, { parent: "s_parent" });
    await console.world.say(session, "hello again");
    await below.getByText("22 subagents", { exact: false }).waitFor();
    await below.getByRole("link", { name: "all" }).click();
    await page
      .getByRole("status")
      .filter({ hasText: /^22 sessions/ })
      .waitFor();
    await page.getByRole("button", { name: "subagents of s_parent" }).waitFor();
    await page.getByRole("link", { name: "part 21" }).click();
    await page.waitForURL("**/sessions/s_more21");
    await page.getByText("subagent of").getByRole("link").click();
    await page.waitForURL("**/sessions/s_parent");
    await page.close();
  });

  it("SE-12 events that another process writes to the same journal appear in the timeline", async () => {
    const session = "s_elsewhere";
    const write = (seq: number, body: EventBody) =>
      console.world.stores.events.append([
        {
          v: 1,
          id: `x_${seq}`,
          seq,
          at: Date.now(),
          session,
          agent: "claude",
          run: "r",
          turn: 1,
          ...body,
        } as ConductEvent,
      ]);
    await write(1, { type: "message", text: "hello from a terminal", modes: OFF });
    const page = await console.open(`/sessions/${session}`);
    await timeline(page).getByText("hello from a terminal").first().waitFor();
    await write(2, { type: "stop", status: "refused", feedback: "the report is missing", refusals: 1, bound: 5 });
    await timeline(page).getByText("the report is missing").waitFor();
    await page.close();
  });

  it("SE-11 the browser logs no errors while sessions are shown", () => expect(console.errors).toEqual([]));
});
