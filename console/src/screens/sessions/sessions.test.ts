import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromium, openConsole, overflowOf } from "../../../test/browser.ts";
import { pastEvents } from "../../../test/past-events.ts";

/** Waited for as long as it takes on a machine that is busy. */
const soon = <T>(look: () => T) => expect.poll(look, { timeout: 20_000 });

describe.skipIf(chromium === undefined)("the list of sessions in a browser", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  let seeded: { readonly demo: string; readonly clerk: string };
  beforeAll(async () => {
    console = await openConsole();
  }, 120_000);
  afterAll(() => console?.close());

  const rows = (page: Page) => page.getByRole("region", { name: "Sessions" }).getByRole("listitem");
  const timeline = (page: Page) => page.getByRole("region", { name: "Timeline" });
  const list = (query: object) => console.world.client.call("GET /api/journal/sessions", { query });

  it("SE-1 an empty list of sessions explains what will appear there", async () => {
    const page = await console.open("/sessions");
    await page.getByText("No sessions yet").waitFor();
    await page.getByRole("link", { name: /deploy it/ }).waitFor();
    await page.goto(`${console.world.url}/sessions/s_none`);
    await page.getByText("Session not found").waitFor();
    await page.close();
    seeded = await console.world.seed();
  }, 60_000);

  it("SE-41 two sessions are shown side by side, also after a reload, and each can be closed", async () => {
    const page = await console.open(`/sessions/${seeded.demo}`);
    await page.getByRole("button", { name: "Compare…" }).click();
    const [other] = (await list({ limit: 20 })).sessions.filter(({ session }) => session === seeded.clerk);
    await page
      .getByRole("dialog")
      .getByText(other?.agent ?? "", { exact: true })
      .first()
      .waitFor();
    await page.goto(`${console.world.url}/sessions/${seeded.demo}?with=${seeded.clerk}`);
    await page.reload();
    const [first, second] = ["First session", "Second session"].map((name) => page.getByRole("region", { name }));
    await first?.getByRole("link", { name: "demo", exact: true }).waitFor();
    await second?.getByRole("link", { name: "clerk", exact: true }).waitFor();
    await soon(() => timeline(page).count()).toBe(2);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflowOf(page)).toBe(0);
    await page.getByRole("button", { name: "Close the second session" }).click();
    await soon(() => timeline(page).count()).toBe(1);
    await page.close();
  });

  it("SE-30 a session whose newest turn failed says so in the list, until a later message", async () => {
    const session = `s_broken${Date.now()}`;
    const at = Date.now();
    const past = pastEvents({ session, agent: "demo", at, turns: 1 });
    const own = { v: 1, session, agent: "demo", run: "r_past", contract_hash: "", at: at + 60_000 } as const;
    const fault = { where: "model", code: "turn-failed", message: "the model's provider is overloaded (529)" };
    const next = past.length + 1;
    const failure = { ...own, id: `${session}-f`, seq: next, turn: 2, type: "fault", fault } as const;
    await console.world.stores.events.append([...past, failure]);
    const page = await console.open("/sessions");
    const row = page.locator(`[data-id="${session}"]`);
    await row.getByText("turn failed").waitFor();
    expect(await row.getByTitle(fault.message).count()).toBe(1);
    const modes = { think: false, verbose: false, elevated: false };
    const message = {
      ...own,
      id: `${session}-m`,
      seq: next + 1,
      turn: 3,
      type: "message",
      text: "again",
      modes,
    } as const;
    await console.world.stores.events.append([message]);
    await page.reload();
    await row.waitFor();
    expect(await row.getByText("turn failed").count()).toBe(0);
    await page.close();
  });

  it("SE-2 each filter narrows the list like the journal does, is in the URL, and is preserved by a link", async () => {
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
    await page.getByText("No sessions match").waitFor();
    await page.getByRole("main").getByRole("button", { name: "Clear filters" }).last().click();
    await shown({});
    await page.close();
  });

  it("SE-3 a chart's time span filters the sessions, and a text search finds sessions and the matching events", async () => {
    const at = Date.now() - 5 * 86_400_000;
    const span = { since: at - 3_600_000, until: at + 3_600_000 };
    const page = await console.open(`/sessions?since=${span.since}&until=${span.until}&denied=true`);
    await soon(() => rows(page).count()).toBe(1);
    await rows(page).getByText("s_past5").waitFor();
    await page.goto(`${console.world.url}/sessions`);
    await rows(page).first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await soon(() => page.evaluate(() => document.activeElement?.closest("[data-id]")?.getAttribute("data-id"))).toBe(
      (await list({})).sessions[1]?.session,
    );
    await page.keyboard.press("/");
    await page.keyboard.type("gate 9");
    await soon(() => rows(page).count()).toBe(1);
    expect(new URL(page.url()).searchParams.get("text")).toBe("gate 9");
    const hit = page
      .getByRole("region", { name: "Matching moments" })
      .getByRole("link", { name: /remember that the dock/ });
    await hit.click();
    await page.waitForURL(`**/sessions/${seeded.demo}?event=*`);
    await timeline(page)
      .getByRole("button", { name: /remember that the dock/, expanded: true })
      .last()
      .waitFor();
    await page.close();
  });

  it("SE-9 a list of sessions that fails to load shows the error and can be retried", async () => {
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
    "SE-10 on a phone in %s the list of sessions is not wider than the screen, and the browser logs no errors",
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

  it("SE-40 an operator elevates a session for a time in the console, and ends it", async () => {
    const { client } = console.world;
    const { id } = await client.call("POST /api/sessions", { body: { agent: "demo" } });
    const say = (text: string) =>
      client.call("POST /api/sessions/{id}/messages", { params: { id }, query: { wait: "true" }, body: { text } });
    await say("hello");
    const page = await console.open(`/sessions/${id}`);
    const press = async (name: string) => {
      await page.getByRole("button", { name: "Elevate session" }).first().click();
      await page.getByRole("dialog").getByRole("button", { name }).click();
    };
    await press("Elevate session");
    await page.getByText("The session is elevated").waitFor();
    expect((await say("/elevated")).answer).toMatch(/^elevated: on, for another .*, by an operator$/);
    await press("End elevation");
    await page.getByText("The session is not elevated").waitFor();
    expect((await say("/elevated")).answer).toBe("elevated: off");
    await page.close();
  }, 60_000);
});
