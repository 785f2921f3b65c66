import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLoadError } from "../src/app/not-loaded.tsx";
import { chromium, openConsole } from "./browser.ts";

it.each([
  ["Unable to preload CSS for /assets/index-abc.css", true],
  ["Failed to fetch dynamically imported module: http://127.0.0.1/assets/a.js", true],
  ["error loading dynamically imported module", true],
  ["Importing a module script failed.", true],
  ["Cannot read properties of undefined (reading 'map')", false],
])("RB-1 the error %j means that a screen was not loaded: %s", (message, expected) =>
  expect(isLoadError(new Error(message))).toBe(expected),
);

/** Streams that a test can cut, as a gateway that ends does. */
const BREAKABLE = `{
  const real = window.fetch;
  const open = new Set();
  let broken = false;
  window.breakStreams = (now) => { broken = now; if (now) for (const one of open) one.abort(); };
  window.fetch = (url, options) => {
    if (!String(url).includes("/stream")) return real(url, options);
    if (broken) return Promise.reject(new TypeError("no connection"));
    const cut = new AbortController();
    open.add(cut);
    return real(url, { ...options, signal: AbortSignal.any([options.signal, cut.signal]) });
  };
}`;

describe.skipIf(chromium === undefined)("a gateway that goes away", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    console = await openConsole();
  }, 120_000);
  afterAll(() => console?.close());

  it("RB-2 a banner says that the gateway is gone, typed text stays, and everything returns by itself", async () => {
    const page = await console.open("/chat");
    await page.addInitScript(BREAKABLE);
    await page.reload();
    const field = page.getByRole("textbox", { name: "Message" });
    await field.fill("half a thought");
    await page.getByText("live", { exact: true }).first().waitFor();
    await page.evaluate("breakStreams(true)");
    const banner = page.getByText("The gateway cannot be reached.");
    await banner.waitFor();
    await page.evaluate("breakStreams(false)");
    await expect.poll(() => banner.count(), { timeout: 40_000 }).toBe(0);
    expect(await field.inputValue()).toBe("half a thought");
  });

  it("RB-3 a screen that cannot be loaded waits for the gateway and then opens by itself", async () => {
    const page = await console.open("/");
    await page.route("**/assets/**", (route) => route.abort());
    await page.route("**/api/health", (route) => route.abort());
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Coverage" }).click();
    await page.getByText("This page could not be loaded").waitFor();
    expect(await page.getByText("Something went wrong").count()).toBe(0);
    await page.unroute("**/assets/**");
    await page.unroute("**/api/health");
    await page.getByRole("heading", { name: "Coverage" }).waitFor({ timeout: 20_000 });
  });

  it("RB-4 two tabs agree: a directive that is added in one appears in the other", async () => {
    const [one, two] = [await console.open("/contract"), await console.open("/contract")];
    await console.world.client.call("POST /api/contract/directives", {
      body: { type: "stop", text: "cheerful openings" },
    });
    for (const page of [one, two]) await page.getByText("cheerful openings").first().waitFor();
  });

  it("RB-5 the search finds messages, rules, people and actions, and runs the action", async () => {
    const session = await console.world.start("demo");
    await console.world.say(session, "remember the zanzibar shipment");
    const page = await console.open("/");
    const find = async (text: string) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: /^Search pages/ }).fill(text);
    };
    const options = page.getByRole("listbox", { name: "Results" }).getByRole("option");
    await find("zanzibar");
    await options.filter({ hasText: "message" }).filter({ hasText: "zanzibar" }).first().waitFor();
    await page.keyboard.press("Escape");
    await find("ask-before-writing");
    await options.filter({ hasText: "rule" }).first().click();
    await page.waitForURL(/rules\?rule=ask-before-writing/);
    await find("operator");
    await options.filter({ hasText: "user" }).first().waitFor();
    await page.keyboard.press("Escape");
    await find("pause");
    await options.filter({ hasText: "Pause enforcement for 10 minutes" }).click();
    await expect
      .poll(async () => (await console.world.client.call("GET /api/switches")).paused)
      .toMatchObject({ by: "user:operator" });
    await find("resume");
    await options.filter({ hasText: "Resume enforcement" }).click();
    await expect.poll(async () => (await console.world.client.call("GET /api/switches")).paused).toBeNull();
    expect(console.errors.filter((text) => !/Failed to fetch|preload|ERR_/.test(text))).toEqual([]);
  });
});
