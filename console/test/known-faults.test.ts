import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromium, openConsole, overflowOf } from "./browser.ts";

describe.skipIf(chromium === undefined)("faults that people reported", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  let demo: string;
  beforeAll(async () => {
    console = await openConsole();
    ({ demo } = await console.world.seed());
  }, 120_000);
  afterAll(() => console?.close());

  it("KF-9 the texts between a turn's calls are there after a reload, with input, output and duration of each call", async () => {
    const page = await console.open(`/chat/${demo}`);
    const turn = page.getByRole("article").first();
    await turn.getByText("Straight to production.").waitFor();
    await turn.getByText("Then test first.").waitFor();
    await page.reload();
    await turn.getByText("Then test first.").waitFor();
    const call = turn.locator("details").filter({ hasText: "write_file report.md" });
    expect(await call.locator("summary").textContent()).toMatch(/ok.*\d+ ms/);
    await call.locator("summary").click();
    await call.getByText("Done: test, build, deploy").waitFor();
    await call.getByText("Output").waitFor();
    expect(await turn.textContent()).toMatch(/\d ms · \d\.\dk tokens/);
  });

  it("KF-10 a conversation is titled by its first message, not by its agent", async () => {
    const session = await console.world.start("clerk");
    await console.world.say(session, "read the letters of the week");
    const page = await console.open("/chat");
    const list = page.getByRole("navigation", { name: "Conversations" }).first();
    await list.getByRole("link", { name: /letters of the week/i }).waitFor();
    expect(await list.getByRole("link", { name: /^(clerk|demo) / }).count()).toBe(0);
  });

  it("KF-11 a conversation that does not exist has no field for a message, only a way to start one", async () => {
    const page = await console.open("/chat/s_nothing");
    await page.getByRole("button", { name: "Start a new conversation" }).waitFor();
    expect(await page.getByRole("textbox", { name: "Message" }).count()).toBe(0);
    await page.getByRole("button", { name: "Start a new conversation" }).click();
    await page.getByRole("textbox", { name: "Message" }).waitFor();
  });

  it("KF-12 sessions that have finished their turn are not active, and the number opens the list that it counts", async () => {
    const page = await console.open("/");
    const active = page.getByRole("link", { name: /^\d+ active$/ });
    await expect.poll(() => active.textContent(), { timeout: 20_000 }).toBe("0 active");
    const { session } = await console.world.question("active.txt");
    await expect.poll(() => active.textContent(), { timeout: 20_000 }).toBe("1 active");
    await active.click();
    const rows = page.getByRole("region", { name: "Sessions" }).getByRole("listitem");
    await expect.poll(() => page.locator(`li[data-id]`).count()).toBe(1);
    expect(await rows.first().getAttribute("data-id")).toBe(session);
  });

  it("KF-13 a question says until when it waits in one phrase, and no time ends with two full stops", async () => {
    const { session } = await console.world.question("until.txt");
    const page = await console.open(`/chat/${session}`);
    const box = page.getByRole("region", { name: /^Question: / });
    expect(await box.textContent()).toMatch(/until \d\d:\d\d \(in \d+ min\)/);
    for (const path of ["/", "/inbox", "/rules", "/sessions"]) {
      await page.goto(`${console.world.url}${path}`);
      await page.waitForSelector("h1");
      expect(await page.locator("main").textContent()).not.toMatch(/until in |\b(?:min|hr)\.\./);
    }
  });

  it("KF-14 the line below a link leaves the underscore of an id visible", async () => {
    const page = await console.open("/sessions");
    const link = page
      .getByRole("link")
      .filter({ has: page.locator("bdi") })
      .first();
    expect(await link.evaluate((one) => Number.parseFloat(getComputedStyle(one).textUnderlineOffset))).toBe(4);
  });

  it("KF-15 every figure opens the list of exactly the events that it counts", async () => {
    const page = await console.open("/");
    const tiles = page.getByRole("list", { name: "Figures" }).getByRole("listitem");
    for (const name of ["Denials", "Stops refused"]) {
      await page.goto(`${console.world.url}/?range=7+days`);
      const tile = tiles.filter({ has: page.getByRole("link", { name, exact: true }) });
      await expect.poll(() => tile.locator("p").first().textContent()).toMatch(/^\d+$/);
      const count = Number(await tile.locator("p").first().textContent());
      expect(count).toBeGreaterThan(0);
      await tile.getByRole("link", { name, exact: true }).click();
      await expect
        .poll(() =>
          page
            .getByRole("status")
            .filter({ hasText: /events?$/ })
            .textContent(),
        )
        .toBe(`${count} events`);
      expect(await page.getByRole("list", { name: "Events" }).getByRole("listitem").count()).toBe(count);
    }
  });

  it("KF-16 channels are offered by their real names", async () => {
    const page = await console.open("/sessions");
    expect(await page.getByLabel("Channel").locator("option").allTextContents()).toContain("scheduled");
  });

  it.each(["light", "dark"] as const)(
    "KF-17 on a phone in %s the activity is not wider than the screen",
    async (scheme) => {
      const page = await console.open("/activity?kind=denied", { width: 390, height: 780, scheme });
      await page.getByRole("list", { name: "Events" }).waitFor();
      expect(await overflowOf(page)).toBe(0);
      expect(console.errors).toEqual([]);
    },
  );
});
