import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConductEvent, EventBody } from "../../../../src/base/words/event.ts";
import { chromium, openConsole, overflowOf } from "../../../test/browser.ts";
import { HOSTILE } from "../../../test/world.ts";

const OFF = { think: false, verbose: false, elevated: false };

describe.skipIf(chromium === undefined)("sessions in a browser", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  let seeded: { readonly demo: string; readonly clerk: string };
  beforeAll(async () => {
    console = await openConsole();
  }, 120_000);
  afterAll(() => console?.close());

  const rows = (page: Page) => page.getByRole("region", { name: "Sessions" }).getByRole("listitem");
  const timeline = (page: Page) => page.getByRole("region", { name: "Timeline" });
  const list = (query: object) => console.world.client.call("GET /api/journal/sessions", { query });

  it("SE-1 says what would be here while there is nothing", async () => {
    const page = await console.open("/sessions");
    await page.getByText("No sessions yet").waitFor();
    await page.getByRole("link", { name: /deploy it/ }).waitFor();
    await page.goto(`${console.world.url}/sessions/s_none`);
    await page.getByText("There is no such session").waitFor();
    await page.close();
    seeded = await console.world.seed();
  }, 60_000);

  it("SE-2 each filter narrows the list as the journal does, stands in the address, and is kept by a link", async () => {
    const page = await console.open("/sessions");
    await rows(page).first().waitFor();
    const shown = async (query: object) => {
      const { total } = await list(query);
      await page
        .getByRole("status")
        .filter({ hasText: new RegExp(`^${total} session`) })
        .waitFor();
      return total;
    };
    const all = await shown({});
    await page.getByLabel("Channel").selectOption("telegram");
    const telegram = await shown({ channel: "telegram" });
    expect(telegram).toBeGreaterThan(0);
    expect(telegram).toBeLessThan(all);
    await page.getByRole("button", { name: "Denied" }).click();
    await shown({ channel: "telegram", denied: "true" });
    await page.getByLabel("Channel").selectOption("");
    await page.getByLabel("Agent").selectOption("demo");
    await page.getByLabel("Class").selectOption("ops");
    const found = await shown({ agent: "demo", class: "ops", denied: "true" });
    expect(found).toBe(1);
    const params = new URL(page.url()).searchParams;
    expect(Object.fromEntries(params)).toEqual({ agent: "demo", class: "ops", denied: "true" });
    await page.reload();
    await shown({ agent: "demo", class: "ops", denied: "true" });
    expect(await page.getByRole("button", { name: "Denied" }).getAttribute("aria-pressed")).toBe("true");
    await page.getByRole("button", { name: "Incomplete" }).click();
    await page.getByText("No session is like this").waitFor();
    await page.getByRole("main").getByRole("button", { name: "No filters" }).last().click();
    await shown({});
    await page.close();
  });

  it("SE-3 a chart's span asks for what happened in it; words find sessions and the moments they stand in", async () => {
    const at = Date.now() - 5 * 86_400_000;
    const span = { since: at - 3_600_000, until: at + 3_600_000 };
    const page = await console.open(`/sessions?since=${span.since}&until=${span.until}&denied=true`);
    await expect.poll(() => rows(page).count()).toBe(1);
    await rows(page).getByText("s_past5").waitFor();
    await page.goto(`${console.world.url}/sessions`);
    await rows(page).first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("gate 9");
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(new URL(page.url()).searchParams.get("text")).toBe("gate 9");
    const hit = page
      .getByRole("region", { name: "Found moments" })
      .getByRole("link", { name: /remember that the dock/ });
    await hit.click();
    await page.waitForURL(`**/sessions/${seeded.demo}?event=*`);
    await timeline(page)
      .getByRole("button", { name: /remember that the dock/, expanded: true })
      .last()
      .waitFor();
    await page.close();
  });

  it("SE-4 a denial appears in the timeline as it happens, and opens to all that is known of it", async () => {
    const session = await console.world.start("demo");
    await console.world.say(session, "hello there");
    const page = await console.open(`/sessions/${session}`);
    await timeline(page).getByText("hello there").first().waitFor();
    const denial = timeline(page)
      .getByRole("button", { name: /call: deploy.*denied/ })
      .last();
    expect(await timeline(page).getByText("denied", { exact: false }).count()).toBe(0);
    await console.world.say(session, "deploy it");
    await timeline(page).locator("[data-tone=denied] button").first().click();
    const open = timeline(page).locator("[data-picked]");
    for (const text of [
      "deploy-needs-proof",
      "because",
      "missing",
      "next",
      "attempts",
      "in force",
      "proven by then",
      "never ran",
    ])
      await open.getByText(text, { exact: false }).first().waitFor();
    await open.getByRole("link", { name: "replay with a change…" }).waitFor();
    expect(page.url()).toContain("?event=");
    await page.getByText("denied 1").first().waitFor();
    await open.getByRole("link", { name: "why" }).click();
    await page.waitForURL("**/why/*");
    await page.getByRole("link", { name: "in the timeline" }).click();
    await open.getByText("deploy-needs-proof").first().waitFor();
    expect(await denial.count()).toBeGreaterThan(0);
    await page.close();
  });

  it("SE-5 five thousand moments: few are on the page; the end, the beginning and any of them by link are reached", async () => {
    const session = await console.world.longSession(5_000);
    const { sessions } = await list({ text: "834", limit: 1 });
    expect(sessions[0]?.session).toBe(session);
    const page = await console.open(`/sessions/${session}`);
    await page.getByRole("button", { name: "Newest" }).waitFor();
    const size = () => timeline(page).locator("*").count();
    const count = () => timeline(page).getByRole("listitem").first().getAttribute("aria-setsize");
    await page.keyboard.press("e");
    await expect.poll(async () => Number(await count())).toBeGreaterThan(5_000);
    expect(await size()).toBeLessThan(2_500);
    await page.keyboard.press("Home");
    await timeline(page).getByText("deploy number 1", { exact: true }).first().waitFor();
    await page.keyboard.press("End");
    await timeline(page).getByText("deploy number 834", { exact: true }).first().waitFor();
    expect(await size()).toBeLessThan(2_500);
    await page.goto(`${console.world.url}/sessions/${session}?event=${session}-e2600`);
    const picked = timeline(page).locator(`[data-event="${session}-e2600"][data-picked]`);
    await picked.waitFor();
    await expect
      .poll(() =>
        picked.evaluate((row) => {
          const box = row.getBoundingClientRect();
          return box.top >= 0 && box.top < innerHeight;
        }),
      )
      .toBe(true);
    await page.keyboard.press("n");
    await expect.poll(() => page.url()).not.toContain("e2600");
    await timeline(page).locator("[data-picked]").getByText("deploy-needs-proof").first().waitFor();
    await page.getByLabel("Search this timeline").fill("run 500");
    await timeline(page).getByText("shell npm test -- --run 500").waitFor();
    await expect.poll(async () => Number(await count())).toBe(2);
    await page.close();
  }, 60_000);

  it("SE-6 hostile words of people, tools, files and rules stay text", async () => {
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
        feedback: [{ providerName: "p", summary: HOSTILE, suggestions: [HOSTILE], severity: "warning" } as never],
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

  it("SE-7 a question is answered where it stands; a viewer sees neither the question nor the bin", async () => {
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
    await expect.poll(() => page.getByRole("button", { name: "Yes, once" }).count()).toBe(0);
    await looking.close();
    await page.close();
  });

  it("SE-8 a session is deleted by the keyboard alone, after a question", async () => {
    const session = await console.world.start("demo");
    await console.world.say(session, "hello, and goodbye");
    const page = await console.open(`/sessions/${session}`);
    await timeline(page).getByText("hello, and goodbye").first().waitFor();
    await page.keyboard.press("Delete");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    expect((await list({ text: "goodbye" })).total).toBe(1);
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "Delete it" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("The session was deleted").waitFor();
    await page.waitForURL("**/sessions");
    expect((await list({ text: "goodbye" })).total).toBe(0);
    await page.close();
  });

  it("SE-9 what cannot be loaded says so, and is tried again", async () => {
    const page = await console.open("/why/d_none");
    const broken = (route: { fulfill(answer: object): Promise<void> }) =>
      route.fulfill({
        status: 503,
        contentType: "application/problem+json",
        body: JSON.stringify({ code: "STORE_UNAVAILABLE", detail: "The gateway's store does not answer." }),
      });
    await page.route("**/api/journal/sessions?*", broken);
    await page.getByRole("link", { name: "Sessions", exact: true }).click();
    await page.getByText("The gateway's store does not answer.").waitFor();
    await page.unroute("**/api/journal/sessions?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await rows(page).first().waitFor();
    await page.route("**/api/events?*", broken);
    await rows(page).first().getByRole("link").first().click();
    await page.getByText("The gateway's store does not answer.").waitFor();
    await page.unroute("**/api/events?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await timeline(page).waitFor();
    await page.close();
  });

  it.each(["light", "dark"] as const)(
    "SE-10 on a phone in %s nothing is wider than the screen; the browser complains of nothing",
    async (scheme) => {
      for (const path of ["/sessions?text=deploy", `/sessions/${seeded.demo}`, "/sessions/s_past1?event=s_past1-e4"]) {
        const page = await console.open(path, { width: 390, height: 780, scheme });
        await page.getByText("denied").first().waitFor();
        expect(await overflowOf(page)).toBe(0);
        await page.close();
      }
      expect(console.errors).toEqual([]);
    },
  );
});
