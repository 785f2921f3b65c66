import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromium, openConsole, overflowOf } from "./browser.ts";

describe.skipIf(chromium === undefined)("the console around its screens", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  let seeded: Awaited<ReturnType<(typeof console)["world"]["seed"]>>;
  beforeAll(async () => {
    console = await openConsole();
    seeded = await console.world.seed();
    await console.world.person("ann", "user");
    await console.world.person("vic", "viewer");
  }, 120_000);
  afterAll(() => console?.close());

  it("SH-1 a person who is not signed in sees how to get a link, and a used link is reported as used", async () => {
    const context = await console.browser.newContext();
    const page = await context.newPage();
    await page.goto(`${console.world.url}/sessions`);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.getByText("conduct gateway login", { exact: true }).count()).toBe(1);
    await page.goto(`${console.world.url}/login#code=cl_nothing`);
    await page.getByText("was already used, or has expired").waitFor();
    expect(new URL(page.url()).hash).toBe("");
    const link = await console.world.loginLink("operator");
    await page.goto(`${console.world.url}/`);
    await page.goto(link);
    await page.getByRole("heading", { name: "Home" }).waitFor();
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
    expect(page.url()).not.toContain("cl_");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await context.close();
  });

  it.each([
    [
      "operator",
      [
        "Home",
        "Chat",
        "Contract",
        "Inbox",
        "Sessions",
        "Activity",
        "Prompt",
        "Rules",
        "Replay",
        "Coverage",
        "Agents",
        "Gateways",
        "Users",
        "System",
      ],
    ],
    [
      "vic",
      [
        "Home",
        "Chat",
        "Contract",
        "Inbox",
        "Sessions",
        "Activity",
        "Prompt",
        "Rules",
        "Replay",
        "Coverage",
        "Agents",
        "Gateways",
        "System",
      ],
    ],
    ["ann", ["Chat", "Agents"]],
  ])("SH-2 %s sees only the screens of their role", async (as, names) => {
    const page = await console.open("/", { as });
    const nav = page.getByRole("navigation", { name: "Pages" });
    await expect
      .poll(() => nav.locator("a[href]:not([title])").allTextContents())
      .toEqual(["Conduct", ...names.map((name) => expect.stringMatching(new RegExp(`^${name}`)))]);
    await page.goto(`${console.world.url}/contract`);
    await page
      .getByRole("heading", { name: as === "ann" ? "This page does not exist" : "Contract" })
      .first()
      .waitFor();
    await page.close();
  });

  it("SH-3 the page frame shows the waiting candidates and the contract in force, and updates without a reload", async () => {
    const page = await console.open("/");
    const inbox = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: /^Inbox/ });
    const { candidates } = await console.world.client.call("GET /api/candidates", { query: { status: "pending" } });
    expect(candidates.length).toBeGreaterThan(0);
    await expect.poll(() => inbox.textContent()).toBe(`Inbox${candidates.length} waiting`);
    const { contract } = await console.world.client.call("GET /api/contract");
    await page.getByRole("link", { name: new RegExp(`^contract v${contract.version} [0-9a-f]{6}$`) }).waitFor();
    await page.getByText("live", { exact: true }).first().waitFor();
    const session = await console.world.start("demo");
    await console.world.say(session, "MORE: pictures in answers");
    const { contract: next } = await console.world.client.call("GET /api/contract");
    expect(next.version).toBeGreaterThan(contract.version);
    await page.getByRole("link", { name: new RegExp(`^contract v${next.version} [0-9a-f]{6}$`) }).waitFor();
    await page.close();
  });

  it("SH-4 the search finds everything by name or id with the keyboard alone", async () => {
    const page = await console.open("/");
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: /^Search pages/ });
    await field.waitFor();
    for (const [text, found] of [
      ["cover", "Coverage"],
      ["clerk", "clerk"],
      ["status rep", "LESS: status reports"],
      [seeded.demo, seeded.demo],
      ["d_s_past1_1", "why d_s_past1_1"],
    ] as const) {
      await field.fill(text);
      await page.getByRole("option", { selected: true }).filter({ hasText: found }).waitFor();
    }
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Why d_s_past1_1" }).waitFor();
    await page.getByText("deploy needs test and build").first().waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Search pages/ }).fill("no such thing anywhere");
    await page.getByText("No results.").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("combobox", { name: /^Search pages/ }).count()).toBe(0);
    await page.close();
  });

  it("SH-5 keys open screens, ? lists them, and they do not interrupt typing", async () => {
    const page = await console.open("/");
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.waitForURL("**/chat");
    await page.getByRole("textbox", { name: "Message" }).fill("");
    await page.keyboard.type("go g o ?");
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("go g o ?");
    expect(page.url()).toMatch(/\/chat$/);
    await page.getByRole("log").focus();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("New conversation").waitFor();
    await page.close();
  });

  it("SH-6 the theme follows the system until the user selects one, and the selection is saved", async () => {
    const page = await console.open("/", { scheme: "dark" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(await ground()).toBe("rgb(21, 22, 23)");
    await page.getByLabel("Theme").selectOption("light");
    expect(await ground()).toBe("rgb(251, 251, 250)");
    await page.reload();
    await page.waitForSelector("h1");
    expect(await ground()).toBe("rgb(251, 251, 250)");
    await page.getByLabel("Theme").selectOption("system");
    expect(await ground()).toBe("rgb(21, 22, 23)");
    await page.close();
  });

  it.each([
    "/",
    "/chat",
    "/contract",
    "/inbox",
    "/sessions",
    "/prompt",
    "/rules",
    "/replay",
    "/coverage",
    "/agents",
    "/why/d_s_past1_1",
    "/nowhere",
  ])("SH-7 on a phone %s is not wider than the screen, and every other screen can be reached", async (path) => {
    const page = await console.open(path, { width: 390, height: 780 });
    await page.getByRole("main").waitFor();
    expect(await overflowOf(page)).toBe(0);
    await page.getByRole("navigation", { name: "Main pages" }).getByRole("button", { name: "More" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "Coverage" }).click();
    await page.waitForURL("**/coverage");
    await page.close();
  });

  it("SH-8 the browser logs no errors, and sends requests only to the gateway", async () => {
    const page = await console.open("/");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).origin));
    await page.goto(`${console.world.url}/chat/${seeded.demo}`);
    await page.getByRole("log").getByText("deploy it").first().waitFor();
    expect(new Set(asked)).toEqual(new Set([console.world.url]));
    expect(console.errors).toEqual([]);
    await page.close();
  });
});
