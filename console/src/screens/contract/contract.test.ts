import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromium, openConsole, overflowOf, unnamedControls } from "../../../test/browser.ts";
import { HOSTILE } from "../../../test/world.ts";

describe.skipIf(chromium === undefined)("the contract in a browser", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    console = await openConsole();
    await console.world.person("vic", "viewer");
  }, 120_000);
  afterAll(() => console?.close());

  const lines = async () => {
    const { all } = await console.world.client.call("GET /api/contract");
    return all.map(({ type, text }) => `${String(type).toUpperCase()}: ${text}`);
  };
  const row = (page: Page, text: string) =>
    page
      .getByRole("listitem")
      .filter({ has: page.getByRole("button", { name: text, exact: false }).first() })
      .first();
  const verdict = (page: Page) => page.getByRole("region", { name: "Preview" }).getByRole("status");
  const told = (page: Page) => page.getByRole("region", { name: "Prompt block text" });
  const block = (page: Page) => page.getByRole("list", { name: "Prompt block with changes" });

  it("CN-6 an empty contract explains itself; with the keyboard alone a directive is added, used in the prompt, and undone", async () => {
    const page = await console.open("/contract");
    await page.getByRole("heading", { name: "No directives yet" }).waitFor();
    await page.keyboard.press("n");
    await page.getByRole("dialog", { name: "New directive" }).waitFor();
    await page.keyboard.type("LESS: long status reports");
    await verdict(page).getByText("contract v0 → v1").waitFor();
    await block(page).getByText("- LESS: long status reports").waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => told(page).textContent()).toContain("- LESS: long status reports");
    expect(await lines()).toEqual(["LESS: long status reports"]);

    const session = await console.world.start("demo");
    await console.world.say(session, "hello");
    const { contract } = await console.world.client.call("GET /api/contract", {
      query: { agent: "demo", channel: "web", user: "operator" },
    });
    // What was told is written a moment after it was.
    const prompt = () =>
      console.world.client.call("GET /api/sessions/{id}/turns/{turn}/prompt", { params: { id: session, turn: "1" } });
    await expect.poll(async () => (await prompt()).text ?? "").toContain(contract.block);
    expect(await prompt()).toMatchObject({ contract: { version: 1, hash: contract.hash } });
    expect(contract.block).toBe(await told(page).textContent());

    await page.keyboard.press("u");
    await page.getByRole("list", { name: "Changes", exact: true }).getByText("LESS: long status reports").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "No directives yet" }).waitFor();
    expect(await lines()).toEqual([]);
  });

  it("CN-7 a conflict is shown while the directive is typed, and one click replaces the old directive", async () => {
    await console.world.seed();
    const page = await console.open("/contract");
    await page.getByRole("button", { name: /^New directive/ }).click();
    await page.getByLabel("Text", { exact: true }).fill("answers short and in plain words");
    await page.getByRole("button", { name: "STOP" }).click();
    await verdict(page).getByText("✗ conflict").waitFor();
    expect(await page.getByRole("button", { name: /^Add directive/ }).isDisabled()).toBe(true);
    await block(page).getByText("- KEEP: answers short and in plain words").waitFor();
    await block(page).getByText("- STOP: answers short and in plain words").waitFor();
    await verdict(page).getByRole("button", { name: "Replace KEEP: answers short and in plain words" }).click();
    await expect.poll(() => told(page).textContent()).toContain("- STOP: answers short");
    expect(await lines()).not.toContain("KEEP: answers short and in plain words");
    expect(await lines()).toContain("STOP: answers short and in plain words");
  });

  it("CN-8 a duplicate, an invalid directive, an invalid check and an unknown scope are reported at once with a fix", async () => {
    const page = await console.open("/contract");
    await page.getByRole("button", { name: /^New directive/ }).click();
    const text = page.getByLabel("Text", { exact: true });
    await text.fill("MORE: tests before every release");
    await verdict(page).getByText("duplicate").waitFor();
    await text.fill(HOSTILE);
    await verdict(page).getByText("not a directive").waitFor();
    await text.fill("short words");
    await verdict(page).getByText("no conflict").waitFor();
    await page.getByLabel("Check", { exact: true }).selectOption("length");
    await page.getByLabel("How many").fill("80");
    expect(await page.getByLabel("Check expression").inputValue()).toBe("length: at most 80 words");
    await page.getByLabel("Check expression").fill("length: short");
    await verdict(page).getByText("not a check").waitFor();
    await page.getByLabel("Check expression").fill("order: test before deploy");
    await verdict(page).getByText("no conflict").waitFor();
    expect(await page.getByLabel("First tool").inputValue()).toBe("test");
    await page.getByLabel("Scope").selectOption("channel");
    await verdict(page).getByText("unknown scope").waitFor();
    await page.getByLabel("Name of the channel").fill("web");
    await page.getByLabel("Expires").selectOption("in a week");
    await verdict(page).getByText("no conflict").waitFor();
    await page
      .getByText(/\d+ of 24 directives/)
      .last()
      .waitFor();
    await page
      .getByText(/\d+ of 2,000 tokens/)
      .last()
      .waitFor();
    await page.getByRole("button", { name: /^Add directive/ }).click();
    await page.getByRole("heading", { name: "Channel web" }).waitFor();
    const find = async () => {
      const { all } = await console.world.client.call("GET /api/contract");
      return all.find(({ scope }) => scope === "channel:web");
    };
    await expect.poll(find).toMatchObject({ text: "short words", check: { kind: "order" } });
    const added = await find();
    expect(Date.parse(String(added?.expiresAt)) - Date.now()).toBeGreaterThan(6 * 86_400_000);
    await page.getByLabel("For channel").fill("web");
    await expect.poll(() => told(page).textContent()).toContain("short words");
  });

  it("CN-9 a directive shows its adherence, links a violation to its event, is marked by one click, and can change its check", async () => {
    const { directive: made } = await console.world.client.call("POST /api/contract/directives", {
      body: { type: "less", text: "words in an answer", check: "length: at most 0 words" },
    });
    const id = String(made?.id);
    const session = await console.world.start("demo");
    await console.world.say(session, "hello");
    const page = await console.open(`/contract?directive=${id}`);
    const open = page.getByRole("listitem").filter({ has: page.getByRole("button", { expanded: true }) });
    await open.getByText("violated 1 of 1 turn").last().waitFor();
    await open.getByRole("button", { name: /^Mark as helpful: LESS: words in an answer. So far 0/ }).click();
    await open.getByRole("button", { name: /^Mark as helpful: .* So far 1/ }).waitFor();
    await page.getByRole("button", { name: /^LESS words in an answer/ }).focus();
    await page.keyboard.press("e");
    await page.getByLabel("Check expression").fill("length: at most 500 words");
    await verdict(page).getByText("only the check changes").waitFor();
    await page.getByRole("button", { name: /^Replace directive/ }).click();
    await open.getByText("length: at most 500 words").first().waitFor();
    const { all } = await console.world.client.call("GET /api/contract");
    expect(all.find((one) => one.id === id)).toMatchObject({ check: { atMost: 500 } });
    const link = open.getByRole("link", { name: new RegExp(session) });
    expect(await link.getAttribute("href")).toMatch(new RegExp(`^/sessions/${session}\\?event=\\w+`));
  });

  it("CN-10 a directive removed with a reason is in the searchable history, and two versions can be compared", async () => {
    const page = await console.open("/contract");
    await row(page, "status reports").getByRole("button").first().click();
    await page.getByRole("button", { name: /^Remove/ }).click();
    await page.getByLabel("Reason").fill(HOSTILE);
    await page.keyboard.press("Enter");
    await expect.poll(lines).not.toContain("LESS: status reports");
    await page.getByRole("tab", { name: "History" }).click();
    const timeline = page.getByRole("list", { name: "Changes", exact: true });
    await timeline.getByText("removed for everybody").first().waitFor();
    expect(await timeline.textContent()).toContain('“<img src=x onerror="window.hacked=1">');
    expect(await timeline.textContent()).toContain("RLOgnp.exePDF");
    expect(await page.locator("main img, main b").count()).toBe(0);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    await page.getByLabel("Search the history").fill("long status");
    await expect.poll(() => timeline.getByText("tests before every release").count()).toBe(0);
    await timeline.getByText("STOP: long status reports").first().waitFor();
    await page.getByLabel("Search the history").fill("");
    const versions = timeline.getByRole("button", { name: /^Compare v/ });
    await expect.poll(() => versions.count()).toBeGreaterThan(4);
    const [newest, older] = [await versions.nth(0).textContent(), await versions.nth(3).textContent()];
    await versions.nth(0).click();
    await versions.nth(3).click();
    const compared = page.getByRole("list", { name: `From ${older} to ${newest}` });
    await compared.getByText("LESS: status reports").waitFor();
    const { removed } = await console.world.client.call("GET /api/contract/diff", {
      query: { from: Number(older?.slice(1)), to: Number(newest?.slice(1)) },
    });
    expect(removed.map(({ text }) => text)).toContain("status reports");
    expect(new URL(page.url()).search).toContain(`from=${older?.slice(1)}&to=${newest?.slice(1)}`);
  });

  it("CN-11 another person's change of the contract appears without a reload, and a viewer has read-only access", async () => {
    const page = await console.open("/contract", { as: "vic" });
    await page.getByText("You have read-only access.").waitFor();
    await page.getByText("live", { exact: true }).first().waitFor();
    await console.world.client.call("POST /api/contract/directives", { body: { type: "start", text: "a live one" } });
    await row(page, "a live one").getByRole("button").first().click();
    await page.getByText("No turn has used this directive yet.").waitFor();
    for (const name of [/^New directive/, /^Undo/, /^Edit/, /^Remove/, /^Create rule/, /^Mark as/])
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    await page.keyboard.press("n");
    await page.keyboard.press("u");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("CN-14 a failed load or save is reported, the input stays, and it can be retried", async () => {
    const page = await console.open("/inbox");
    const away = (method: string) => async (route: Route) =>
      route.request().method() !== method || route.request().url().includes("dryRun")
        ? route.fallback()
        : route.fulfill({
            status: 503,
            contentType: "application/problem+json",
            body: JSON.stringify({ code: "STORE_UNAVAILABLE", detail: "The store does not answer.", fix: "Wait." }),
          });
    await page.route("**/api/contract/history*", away("GET"));
    await page.route("**/api/contract/directives*", away("POST"));
    await page.keyboard.press("g");
    await page.keyboard.press("b");
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByRole("alert").getByText("The store does not answer.").waitFor();
    await page.unroute("**/api/contract/history*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("list", { name: "Changes", exact: true }).waitFor();
    await page.keyboard.press("n");
    await page.keyboard.type("START: trying again");
    await verdict(page).getByText("✓ no conflict").waitFor();
    await page.keyboard.press("Enter");
    await verdict(page).getByText("The store does not answer.").waitFor();
    expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe("trying again");
    await page.unroute("**/api/contract/directives*");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await lines()).toContain("START: trying again");
  });

  it("CN-12 a hash in a link opens that contract version and its audience, and a hostile stored directive stays text", async () => {
    const session = await console.world.start("demo");
    await console.world.say(session, "hello");
    const { contract } = await console.world.client.call("GET /api/contract", {
      query: { agent: "demo", channel: "web", user: "operator" },
    });
    await console.world.client.call("POST /api/contract/directives", { body: { type: "more", text: "colours" } });
    const page = await console.open(`/contract?hash=${contract.hash}`);
    await page.getByRole("heading", { name: `Prompt block at v${contract.version}` }).waitFor();
    await expect.poll(() => told(page).textContent()).toBe(contract.block);
    expect(await page.getByLabel("For agent").inputValue()).toBe("demo");
    await page.route("**/api/contract*", async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      for (const one of body.all) one.text = HOSTILE;
      body.contract.block = HOSTILE;
      await route.fulfill({ response, json: body });
    });
    await page.goto(`${console.world.url}/contract`);
    await expect.poll(() => told(page).textContent()).toContain("RLOgnp.exePDF");
    expect(await page.locator("main img, main b").count()).toBe(0);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(await page.getByRole("main").textContent()).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
    await page.unrouteAll();
  });

  it.each([
    ["light", "/contract"],
    ["dark", "/contract?tab=history"],
  ] as const)(
    "CN-13 on a phone in %s nothing in %s is wider than the screen, and the browser logs no errors",
    async (scheme, path) => {
      const page = await console.open(path, { width: 390, height: 780, scheme });
      await page.getByText("tests before every release").first().waitFor();
      expect(await overflowOf(page)).toBe(0);
      await page.getByRole("button", { name: /^New directive/ }).click();
      await page.getByLabel("Text", { exact: true }).fill("MORE: answers short and in plain words, as they were");
      await verdict(page)
        .getByText(/may conflict with/)
        .first()
        .waitFor();
      const dialog = page.getByRole("dialog");
      expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
      expect(await unnamedControls(page)).toEqual([]);
      expect(console.errors).toEqual([]);
    },
  );

  it("CN-15 a full contract is reported before anything is written, and no directive is dropped automatically", async () => {
    const { all, room } = await console.world.client.call("GET /api/contract");
    for (let at = room.fullest.items.items; at < room.most.items; at += 1)
      await console.world.client.call("POST /api/contract/directives", {
        body: { type: "more", text: `examples of kind ${"abcdefghijklmnopqrstuvwxyz".charAt(at)} in every manual` },
      });
    const page = await console.open("/contract");
    await page.getByText("24 of 24 directives").waitFor();
    await page.keyboard.press("n");
    await page.keyboard.type("START: one more than there may be");
    await verdict(page).getByText("the contract is full").waitFor();
    expect(await page.getByRole("button", { name: /^Add directive/ }).isDisabled()).toBe(true);
    await page.keyboard.press("Enter");
    expect((await lines()).length).toBe(all.length + room.most.items - room.fullest.items.items);
  });
});
