import type { Browser, BrowserContext, Page } from "playwright-core";
import { findBrowser, openBrowser } from "../../src/apps/gateway/test/test-browser.ts";
import { consoleWorld } from "./world.ts";

/** Where there is no browser the tests of a screen are left out, and it is said. */
export const chromium = findBrowser();

const MOST_PAGES = 4;
const TIMEOUT_MS = 20_000;

type Look = {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: "light" | "dark";
  readonly as?: string;
};

/** The console in a real browser, on a world of its own. Everything that the browser complains of is in `errors`. */
export async function openConsole(options?: Parameters<typeof consoleWorld>[0]) {
  const world = await consoleWorld(options);
  const browser: Browser = await openBrowser(chromium ?? "");
  const errors: string[] = [];
  const contexts = new Map<string, BrowserContext>();
  const pages: Page[] = [];

  /** Signed in once; pages of the same person share it. */
  async function contextOf(who: string): Promise<BrowserContext> {
    const known = contexts.get(who);
    if (known !== undefined) return known;
    const context = await browser.newContext({ reducedMotion: "reduce" });
    context.setDefaultTimeout(TIMEOUT_MS);
    contexts.set(who, context);
    const page = await context.newPage();
    await page.goto(await world.loginLink(who));
    await page.waitForSelector("nav");
    await page.close();
    return context;
  }

  return {
    world,
    browser,
    errors,
    /** A page at a path of the console: `await open("/sessions")`. */
    async open(
      path: string,
      { width = 1280, height = 800, scheme = "light", as = "operator" }: Look = {},
    ): Promise<Page> {
      const context = await contextOf(as);
      const page = await context.newPage();
      pages.push(page);
      // A browser has six connections to one server, and each page keeps one for what is live.
      if (pages.length > MOST_PAGES) await pages.shift()?.close();
      page.on("pageerror", (error) => errors.push(error.message));
      page.on("console", (message) => {
        // That something is not there is an answer, and the screen shows it; Chromium says so on its own.
        if (message.type() === "error" && !/Failed to load resource/.test(message.text())) errors.push(message.text());
      });
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height });
      await page.goto(`${world.url}${path}`);
      await page.waitForSelector("h1");
      return page;
    },
    async close() {
      await browser.close();
      await world.close();
    },
  };
}

/** How far the page is wider than the screen: nothing may be, on a phone. */
export async function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

/** Controls that nobody who hears the page could tell apart: those without a name. */
export async function unnamedControls(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        "button, a[href], input, select, textarea, [role=region], section[tabindex]",
      ),
    ]
      .filter((element) => {
        const labels = (element as HTMLInputElement).labels ?? [];
        const named = (element.getAttribute("aria-labelledby") ?? "")
          .split(" ")
          .map((id) => document.getElementById(id));
        const texts = [element.getAttribute("aria-label"), ...[...labels, ...named].map((one) => one?.textContent)];
        const own = element.matches("button, a") ? element.textContent : "";
        return ![...texts, own].some((text) => text !== null && text !== undefined && text.trim() !== "");
      })
      .map((element) => element.outerHTML.slice(0, 200)),
  );
}
