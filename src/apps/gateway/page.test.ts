import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findBrowser, openBrowser } from "./test-browser.ts";
import { httpWorld } from "./test-http.ts";

const chromium = findBrowser();
const HOSTILE = '<img src=x onerror="window.hacked=1"> </script><b>bold</b> \u202Egnp.exe\u202C `;';

describe.skipIf(chromium === undefined)("the chat page in a browser", () => {
  let world: Awaited<ReturnType<typeof httpWorld>>;
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];

  beforeAll(async () => {
    world = await httpWorld();
    browser = await openBrowser(chromium ?? "");
    page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await page.goto(await world.gateway.loginLink());
    await page.waitForSelector(".empty button");
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  /** The text of every moment of the newest turn, once it is over. */
  async function say(text: string, last: string): Promise<readonly string[]> {
    await page.fill("#text", text);
    await page.keyboard.press("Enter");
    const turn = page.locator(".turn").last();
    await expect.poll(() => turn.locator(".said").textContent(), { timeout: 60_000 }).toBe(text);
    await expect.poll(() => turn.locator(".what").allTextContents(), { timeout: 60_000 }).toContain(last);
    return turn.locator(".what").allTextContents();
  }

  it("PG-1 'deploy it': the strip shows the denial and the refused stop as they happen, and each opens to why", async () => {
    const moments = await say("deploy it", "complete");
    expect(moments.slice(0, 4)).toEqual([
      "deploy it",
      expect.stringMatching(/sections · \d+ tokens/),
      "deploy ✗ deploy-needs-proof",
      "test",
    ]);
    expect(moments).toContain("not done (1 of 5)");
    await page.locator(".deny button").first().click();
    await expect.poll(() => page.locator("#detail").textContent()).toContain("has not succeeded in this session");
    await page.keyboard.press("Escape");
    expect(await page.locator("#detail").isHidden()).toBe(true);
  });

  it("PG-2 hostile text stays text, in messages, answers, file names and the timeline", async () => {
    await say(`write a.txt: ${HOSTILE}`, "complete");
    await say("read a.txt", "complete");
    const answer = await page.locator(".turn").last().locator(".answer").textContent();
    expect(answer).toContain('<img src=x onerror="window.hacked=1">');
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(await page.locator(".turn img, .turn b").count()).toBe(0);
  });

  it("PG-3 a directive added elsewhere is in the next prompt, and the bar shows the contract's new version", async () => {
    await world.conduct.contracts?.change({ kind: "add", type: "stop", text: "long status reports" }, "olga");
    await say("hello", "complete");
    const prompt = page.locator(".turn").last().locator("li", { hasText: "sections" }).locator("button");
    await prompt.click();
    expect(await page.locator("#detail").textContent()).toContain("v1");
    await expect.poll(() => page.locator("#contract").textContent()).toContain("contract v1");
  });

  it("PG-4 nothing comes from elsewhere, no script stands in the page, and the browser complains of nothing", async () => {
    const response = await fetch(world.gateway.url);
    const csp = response.headers.get("content-security-policy") ?? "";
    expect(csp).toContain("script-src 'self'");
    expect(csp).not.toContain("unsafe");
    expect(await response.text()).not.toMatch(/https?:\/\/(?!www\.w3\.org)/);
    expect(errors).toEqual([]);
  });

  it("PG-5 on a phone nothing is wider than the screen", async () => {
    await page.setViewportSize({ width: 390, height: 780 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  });
});
