import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromium, openConsole, overflowOf } from "../../../test/browser.ts";
import type { JournalEvent } from "../../moments/line-of.ts";
import { recentTurns } from "./recent.ts";

describe("the newest turns", () => {
  const event = (session: string, turn: number, seq: number, type: string, more: object = {}) =>
    ({
      v: 1,
      id: `${session}-${seq}`,
      seq,
      at: seq,
      session,
      agent: "demo",
      run: "r",
      turn,
      type,
      ...more,
    }) as JournalEvent;

  it("OV-1 the newest turns come first, each with its own events in order, and an incomplete turn is left out", () => {
    const found = recentTurns(
      [
        event("b", 1, 10, "message", { text: "/think on", reply: "think: on" }),
        event("b", 1, 9, "stop"),
        event("b", 1, 7, "call", { decision: { kind: "deny" } }),
        event("b", 1, 6, "message", { text: "two" }),
        event("a", 1, 3, "stop"),
        event("a", 1, 2, "message", { text: "one" }),
        event("c", 4, 1, "stop"),
      ],
      8,
    );
    expect(found.map(({ text, denials, events }) => [text, denials, events.map(({ type }) => type)])).toEqual([
      ["/think on", 0, ["message"]],
      ["two", 1, ["message", "call", "stop"]],
      ["one", 0, ["message", "stop"]],
    ]);
  });
});

describe.skipIf(chromium === undefined)("the overview in a browser", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    console = await openConsole();
  }, 120_000);
  afterAll(() => console?.close());

  it("OV-2 an empty overview explains what will appear there", async () => {
    const page = await console.open("/");
    await page.getByText("No turns yet").waitFor();
    await page.getByText("No denials yet").waitFor();
    await page.getByText("Nothing waits for you.").waitFor();
    await page.getByRole("button", { name: "Connect a runtime" }).click();
    await page.getByRole("dialog").getByText("conduct init", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: /deploy it/ }).click();
    await page.waitForURL("**/chat");
  });

  it("OV-3 the overview shows the API's figures over time, also for one agent, and every bar opens its details", async () => {
    await console.world.seed();
    const page = await console.open("/?range=7+days");
    const { total } = await console.world.client.call("GET /api/figures", {
      query: { by: "day", since: Math.floor(Date.now() / 86_400_000) * 86_400_000 - 6 * 86_400_000 },
    });
    const tile = (name: string) =>
      page
        .getByRole("list", { name: "Figures" })
        .getByRole("listitem")
        .filter({ has: page.getByRole("link", { name, exact: true }) });
    await expect.poll(() => tile("Denials").locator("p").first().textContent()).toBe(String(total.denials));
    await expect.poll(() => tile("Calls").locator("p").first().textContent()).toBe(String(total.calls));
    expect(total.denials).toBeGreaterThan(10);
    expect(await tile("Denials").getByRole("row").count()).toBe(7);
    const calls = await tile("Calls").locator("figure > div").first().textContent();
    expect(calls).toMatch(/^\d+.*0$/);
    const share = Math.floor((total.stableTokens / total.promptTokens) * 100);
    expect(await tile("Stable prompt").locator("p").first().textContent()).toBe(`${share} %`);
    await page.getByRole("button", { name: "30 days" }).click();
    await expect.poll(() => tile("Denials").getByRole("row").count()).toBe(30);
    await page.getByRole("button", { name: "24 hours" }).click();
    await expect.poll(() => tile("Denials").getByRole("row").count()).toBe(24);
    await page.getByLabel("Agent").selectOption("clerk");
    await expect.poll(() => tile("Denials").locator("p").first().textContent()).toBe("0");
    await page.getByLabel("Agent").selectOption("demo");
    await page.getByRole("button", { name: "7 days" }).click();
    const bar = tile("Denials")
      .getByRole("link", { name: /: \d+$/ })
      .first();
    await bar.waitFor();
    const href = (await bar.getAttribute("href")) ?? "";
    expect(href).toMatch(/^\/activity\?kind=denied&since=\d+&until=\d+&agent=demo$/);
    await bar.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**${href}`);
  });

  it("OV-4 a new turn and its denial appear in the overview without a reload", async () => {
    const page = await console.open("/");
    const latest = page.getByRole("region", { name: "Latest turns" }).getByRole("listitem");
    await latest.first().waitFor();
    const session = await console.world.start("demo");
    await console.world.say(session, "ship this live one");
    await expect.poll(() => latest.first().textContent(), { timeout: 20_000 }).toContain("ship this live one");
    await expect.poll(() => latest.first().textContent()).toContain("denied 1");
    const denial = page.getByRole("region", { name: "Newest denials" }).getByRole("button").first();
    await denial.click();
    await page
      .getByRole("region", { name: "Newest denials" })
      .getByRole("link", { name: "Replay with a change…" })
      .waitFor();
  });

  it("OV-7 an operator pauses and resumes in the overview, which shows who paused and with what proof", async () => {
    const page = await console.open("/");
    await page.getByRole("button", { name: "Pause enforcement" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause enforcement" }).click();
    const shown = page.getByRole("list", { name: "Enforcement" });
    await expect.poll(() => shown.textContent(), { timeout: 20_000 }).toContain("Nothing is enforced until");
    await page.getByRole("button", { name: "Resume enforcement" }).click();
    await page.getByRole("button", { name: "Pause enforcement" }).waitFor();
    expect(await console.world.client.call("GET /api/switches")).toMatchObject({ paused: null });
  });

  it("OV-5 a part of the overview that fails to load shows the error and can be retried", async () => {
    const page = await console.open("/why/d_none");
    await page.route("**/api/figures*", (route) =>
      route.fulfill({
        status: 503,
        contentType: "application/problem+json",
        body: JSON.stringify({
          code: "STORE_UNAVAILABLE",
          detail: "The gateway's store does not answer.",
          fix: "Try again in a moment.",
        }),
      }),
    );
    await page.getByRole("link", { name: "Home" }).first().click();
    await page.getByText("The gateway's store does not answer.").waitFor();
    await page.unroute("**/api/figures*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("list", { name: "Figures" }).waitFor();
  });

  it("NY-5 a question shows the command, who asks, the rule and its end first on the page, and is answered there", async () => {
    const { session, approval } = await console.world.question("plan.txt");
    const page = await console.open("/");
    const box = page.getByRole("region", { name: /^Question: / });
    await box.getByText("write_file plan.txt").waitFor();
    expect(await box.textContent()).toMatch(/clerk · operator.*ask-before-writing.*until \d\d:\d\d \(in /);
    await page.getByRole("heading", { name: /^Needs you \(\d+\)$/ }).waitFor();
    await box.getByRole("button", { name: "Yes, once" }).click();
    await expect.poll(() => box.count(), { timeout: 20_000 }).toBe(0);
    const { events } = await console.world.client.call("GET /api/decisions/{id}", { params: { id: approval } });
    expect(events.map(({ type }) => type)).toContain("approval");
    expect(session).toBe(events[0]?.session);
  });

  it("NY-6 failed turns, proposals and directives that say nearly the same are listed, each with a link", async () => {
    const { stores, client } = console.world;
    const at = Date.now();
    await stores.conversations.create({ id: "s_529", agent: "demo", user: "operator", channel: "web", at, lastAt: at });
    const turn = { id: "t_529", conversation: "s_529", text: "summarise the week", at };
    await stores.conversations.addTurn({ ...turn, status: "failed", why: "the model's API answered 529" });
    for (const text of ["weekly cost tables", "weekly cost tables at the end"])
      await client.call("POST /api/contract/directives", { body: { type: "more", text } });
    const page = await console.open("/");
    const list = page.getByRole("list", { name: "Needs you" });
    const failed = list.getByRole("listitem").filter({ hasText: "turn failed" });
    await failed.getByText("the model's API answered 529").waitFor();
    expect(await failed.getByRole("link").getAttribute("href")).toBe("/sessions/s_529");
    const same = list.getByRole("listitem").filter({ hasText: "may say the same" });
    await same.getByRole("link", { name: "MORE: weekly cost tables", exact: true }).waitFor();
    await list.getByRole("link", { name: /^STOP: asking for permission/ }).waitFor();
  });

  it("NY-7 any time can be chosen, is part of the address, and a wrong one is explained", async () => {
    const page = await console.open("/");
    await page.getByRole("button", { name: "Other time…" }).click();
    await page.getByLabel("From").fill("2026-01-05T10:00");
    await page.getByLabel("Until").fill("2026-01-05T09:00");
    await page.getByText("Choose a time after").waitFor();
    await page.getByLabel("Until").fill("2026-01-06T10:00");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.waitForURL(/since=\d+&until=\d+/);
    const rows = page.getByRole("list", { name: "Figures" }).getByRole("listitem").first().getByRole("row");
    await expect.poll(() => rows.count()).toBe(24);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(24);
  });

  it("NY-8 models and tools have a median and a 95th percentile, and cost and tokens a chart with a scale", async () => {
    const page = await console.open("/");
    const tools = page.getByRole("table", { name: "Tool durations" });
    await tools.getByRole("row").nth(1).waitFor();
    expect(await tools.getByRole("row").nth(1).textContent()).toMatch(/\d+(\.\d)? m?s/);
    await page.getByRole("table", { name: "Model durations" }).getByText("demo/habits").waitFor();
    await page.getByRole("list", { name: "Figures" }).getByRole("link", { name: "Tokens", exact: true }).click();
    await page.waitForURL(/activity\?kind=usage/);
  });

  it.each(["light", "dark"] as const)(
    "OV-6 on a phone in %s the overview is not wider than the screen, and the browser logs no errors",
    async (scheme) => {
      const page = await console.open("/", { width: 390, height: 780, scheme });
      await page.getByRole("list", { name: "Figures" }).waitFor();
      expect(await overflowOf(page)).toBe(0);
      expect(console.errors).toEqual([]);
    },
  );
});
