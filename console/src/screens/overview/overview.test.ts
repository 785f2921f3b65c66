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
    await page.getByRole("link", { name: /deploy it/ }).click();
    await page.waitForURL("**/chat");
  });

  it("OV-3 the overview shows the API's figures over time, also for one agent, and every bar opens its details", async () => {
    await console.world.seed();
    const page = await console.open("/");
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
    expect(href).toMatch(/^\/sessions\?since=\d+&until=\d+&agent=demo&denied=true$/);
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
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByText("The gateway's store does not answer.").waitFor();
    await page.unroute("**/api/figures*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("list", { name: "Figures" }).waitFor();
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
