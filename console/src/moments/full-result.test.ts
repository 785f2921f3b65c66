import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromium, openConsole, overflowOf, unnamedControls } from "../../test/browser.ts";
import { HOSTILE } from "../../test/world.ts";

const SECRET = "hunter2hunter2hunter2";
const LINES = 5_000;

describe.skipIf(chromium === undefined)("a result that was cut, in a browser", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  let session: string;
  beforeAll(async () => {
    console = await openConsole();
    const work = join(`${console.world.home}-work`, "clerk", "operator");
    mkdirSync(work, { recursive: true });
    const lines = Array.from({ length: LINES }, (_, at) => `line ${at} of the log`);
    lines[1] = HOSTILE;
    lines[2] = `password=${SECRET}`;
    writeFileSync(join(work, "big.txt"), lines.join("\n"));
    session = await console.world.start("clerk");
    await console.world.say(session, "read big.txt");
  }, 120_000);
  afterAll(() => console?.close());

  const timeline = (page: Page) => page.getByRole("region", { name: "Timeline" });
  const dialog = (page: Page) => page.getByRole("dialog", { name: "Full result of read_file" });
  const opener = (page: Page) => timeline(page).getByRole("button", { name: "Open full result" });

  it("FR-1 a truncated result can be opened, paged to its end and closed with the keyboard alone", async () => {
    const page = await console.open(`/sessions/${session}`);
    await opener(page).first().focus();
    await page.keyboard.press("Enter");
    await dialog(page).getByText("line 0 of the log", { exact: false }).waitFor();
    const place = dialog(page).getByRole("status").filter({ hasText: "characters" });
    await place.getByText(/^1 to [\d,]+ of [\d,]+ characters/).waitFor();
    // It has the focus, so that the keys scroll it.
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Result");
    expect(await unnamedControls(page)).toEqual([]);
    const press = async (name: string) => {
      await dialog(page).getByRole("button", { name, exact: true }).focus();
      await page.keyboard.press("Enter");
    };
    expect(await dialog(page).getByRole("button", { name: "Previous" }).isDisabled()).toBe(true);
    const read: string[] = [];
    for (let pages = 0; pages < 20; pages += 1) {
      read.push((await dialog(page).locator("pre").textContent()) ?? "");
      if (await dialog(page).getByRole("button", { name: "Next" }).isDisabled()) break;
      const before = await place.textContent();
      await press("Next");
      await expect.poll(() => place.textContent(), { timeout: 20_000 }).not.toBe(before);
    }
    expect(read.length).toBeGreaterThan(3);
    // Every line once, in order: nothing is lost or told twice where a page ends.
    const lines = read
      .join("")
      .split("\n")
      .filter((line) => line.startsWith("line "));
    expect(lines).toEqual(
      Array.from({ length: LINES }, (_, at) => `line ${at} of the log`).filter((_, at) => at !== 1 && at !== 2),
    );
    await press("First");
    await dialog(page).getByText("line 0 of the log", { exact: false }).waitFor();
    await press("Last");
    await dialog(page)
      .getByText(`line ${LINES - 1} of the log`, { exact: false })
      .waitFor();
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Open full result");
    await page.close();
  }, 60_000);

  it("FR-2 hostile text in a full result stays text, and secrets are not shown", async () => {
    const page = await console.open(`/sessions/${session}`);
    await opener(page).first().click();
    await dialog(page).getByText("<img src=x onerror", { exact: false }).waitFor();
    await dialog(page).getByText("RLO", { exact: true }).waitFor();
    const shown = (await dialog(page).textContent()) ?? "";
    expect(shown).toContain("password=[redacted:");
    expect(shown).not.toContain(SECRET);
    expect(
      await page.evaluate(() => ["hacked" in window, document.querySelectorAll("dialog img, dialog b").length]),
    ).toEqual([false, 0]);
    await page.close();
  });

  it.each(["light", "dark"] as const)(
    "FR-3 on a phone in %s a full result is not wider than the screen",
    async (scheme) => {
      const page = await console.open(`/sessions/${session}`, { width: 390, height: 780, scheme });
      await opener(page).first().click();
      await dialog(page).getByText("line 0 of the log", { exact: false }).waitFor();
      expect(await overflowOf(page)).toBe(0);
      const wide = await dialog(page).evaluate((box) => box.scrollWidth - box.clientWidth);
      expect(wide).toBe(0);
      await page.close();
    },
  );

  it("FR-4 the chat also opens a full result, and an expired one is reported as expired", async () => {
    const page = await console.open(`/chat/${session}`);
    await page.getByRole("button", { name: "Open full result" }).first().click();
    await dialog(page).getByText("line 0 of the log", { exact: false }).waitFor();
    await page.keyboard.press("Escape");
    const kept = join(console.world.home, "results");
    for (const name of readdirSync(kept)) rmSync(join(kept, name), { recursive: true });
    await page.getByRole("button", { name: "Open full result" }).first().click();
    await dialog(page).getByText("This result has expired").waitFor();
    await dialog(page)
      .getByText(/Run the tool again/)
      .waitFor();
    expect(await dialog(page).getByRole("button", { name: "Try again" }).count()).toBe(0);
    await page.close();
  });

  it("FR-5 the browser logs no errors while full results are shown", () => expect(console.errors).toEqual([]));
});
