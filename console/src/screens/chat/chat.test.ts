import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromium, openConsole, overflowOf } from "../../../test/browser.ts";
import { HOSTILE } from "../../../test/world.ts";

/** Streams that a test can cut, as a machine that slept or a gateway that was started anew does. */
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

describe.skipIf(chromium === undefined)("the chat in a browser", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    console = await openConsole();
    await console.world.person("ann", "user");
    await console.world.person("vic", "viewer");
  }, 120_000);
  afterAll(() => console?.close());

  const turns = (page: Page) => page.getByRole("log").getByRole("article");
  const moments = (page: Page) =>
    page.getByRole("complementary", { name: "This turn's moments" }).getByRole("listitem");

  /** The agent is chosen where a conversation begins. */
  async function begin(agent: string, as = "operator"): Promise<Page> {
    const page = await console.open("/chat", { as });
    await page.getByLabel("Agent").selectOption(agent);
    return page;
  }

  async function say(page: Page, text: string, status = "complete"): Promise<void> {
    const before = await turns(page).count();
    await page.getByRole("textbox", { name: "Message" }).fill(text);
    await page.keyboard.press("Enter");
    await turns(page)
      .nth(before)
      .and(page.locator(`[data-status="${status}"]`))
      .waitFor({ timeout: 60_000 });
  }

  it("CH-1 'deploy it' shows the denial and the refused stop in the strip as they happen, and each opens its reason", async () => {
    const page = await begin("demo");
    await page.getByRole("button", { name: "deploy it" }).click();
    await page.locator('article[data-status="complete"]').waitFor();
    const strip = turns(page).last().getByRole("list", { name: "Moments of this turn" }).getByRole("button");
    const words = await strip.evaluateAll((found) => found.map((one) => one.getAttribute("aria-label") ?? ""));
    expect(words.slice(0, 4)).toEqual([
      "message: deploy it, said",
      expect.stringMatching(/^prompt: \d+ sections · \d+ tokens, sent/),
      "call: deploy, denied, deploy-needs-proof",
      "call: test, allowed",
    ]);
    expect(words).toContainEqual(expect.stringMatching(/^stop: attempt 1 of 5, refused/));
    expect(words.at(-1)).toMatch(/^stop: done, complete/);
    await page.getByRole("button", { name: "call: deploy, denied, deploy-needs-proof" }).click();
    const side = page.getByRole("complementary", { name: "This turn's moments" });
    await side.getByText("has not succeeded in this session").first().waitFor();
    await side.getByRole("link", { name: "why", exact: true }).click();
    await page.getByRole("heading", { name: /^Why d_/ }).waitFor();
    expect(console.errors).toEqual([]);
  });

  it("CH-2 hostile text stays text in messages, answers, file names and the timeline", async () => {
    const page = await begin("demo");
    await say(page, `write a.txt: ${HOSTILE}`);
    await say(page, "read a.txt");
    await expect.poll(() => turns(page).last().textContent()).toContain('<img src=x onerror="window.hacked=1">');
    await moments(page).filter({ hasText: "read_file" }).first().getByRole("button").first().click();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(await page.locator("article img, article b, aside img, aside b").count()).toBe(0);
    const text = (await page.getByRole("main").textContent()) ?? "";
    expect(text).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
    expect(text).toContain("RLOgnp.exePDF");
    expect(console.errors).toEqual([]);
  });

  it("CH-3 a directive sent in the chat is in the next prompt, and its contract version is in the page frame", async () => {
    const page = await begin("demo");
    const { contract } = await console.world.client.call("GET /api/contract");
    await say(page, "STOP: long status reports", "answered");
    await page.getByRole("link", { name: new RegExp(`^contract v${contract.version + 1} [0-9a-f]{6}$`) }).waitFor();
    await say(page, "hello");
    await moments(page).filter({ hasText: "sections" }).getByRole("button").first().click();
    await page
      .getByRole("complementary", { name: "This turn's moments" })
      .getByRole("link", { name: `v${contract.version + 1}` })
      .waitFor();
  });

  it("CH-4 chips show the current modes, also after a reload", async () => {
    const page = await begin("demo");
    const think = page.getByRole("group", { name: "Modes" }).getByRole("button", { name: "think" });
    expect(await think.getAttribute("aria-pressed")).toBe("false");
    await think.click();
    await expect.poll(() => think.getAttribute("aria-pressed")).toBe("true");
    await page.reload();
    await expect
      .poll(() =>
        page.getByRole("group", { name: "Modes" }).getByRole("button", { name: "think" }).getAttribute("aria-pressed"),
      )
      .toBe("true");
    await page.getByRole("group", { name: "Modes" }).getByRole("button", { name: "think" }).click();
    await expect
      .poll(() =>
        page.getByRole("group", { name: "Modes" }).getByRole("button", { name: "think" }).getAttribute("aria-pressed"),
      )
      .toBe("false");
  });

  it.each([
    ["Yes, once", "complete", "Done."],
    ["No", "complete", "I was not allowed to"],
  ])("CH-5 a question is answered in the chat with '%s', and the turn continues", async (name, status, answer) => {
    const { session } = await console.world.question(`${name.slice(0, 2)}.txt`);
    const page = await console.open(`/chat/${session}`);
    await page.getByRole("region", { name: /^Question: May I write/ }).waitFor();
    await page.getByRole("button", { name, exact: true }).click();
    await page.locator(`article[data-status="${status}"]`).waitFor();
    expect(await turns(page).last().textContent()).toContain(answer);
    expect(await page.getByText("Yes, once").count()).toBe(0);
  });

  it("ASK2-19 'Always in this session' is listed with the session, and ended there", async () => {
    const { session } = await console.world.question("always.txt");
    const page = await console.open(`/chat/${session}`);
    await page.getByRole("button", { name: "Always in this session", exact: true }).click();
    await page.locator('article[data-status="complete"]').waitFor();
    const allowed = page.getByRole("region", { name: /^Always allowed: May I write/ });
    await allowed.waitFor();
    await allowed.getByRole("button", { name: "Ask again from now on" }).click();
    await expect.poll(() => allowed.count()).toBe(0);
  });

  it("CH-6 a message sent during a turn is queued; Escape cancels both turns and the open question", async () => {
    const { session } = await console.world.question("c.txt");
    const page = await console.open(`/chat/${session}`);
    await page.getByRole("region", { name: "Question: May I write c.txt?" }).waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill("read c.txt");
    await page.getByRole("button", { name: "Queue" }).click();
    await page.getByText("queued").waitFor();
    await page.getByRole("textbox", { name: "Message" }).press("Escape");
    await expect.poll(() => page.locator('article[data-status="cancelled"]').count()).toBe(2);
    await expect.poll(() => page.getByRole("button", { name: "Send" }).count()).toBe(1);
  });

  it("CH-7 a message that the gateway rejects shows the error, and its text is not lost", async () => {
    const page = await begin("demo");
    await say(page, "hello");
    await page.route("**/messages", (route) =>
      route.fulfill({
        status: 429,
        contentType: "application/problem+json",
        body: JSON.stringify({ code: "BUSY", detail: "20 messages are waiting already.", fix: "Wait for an answer." }),
      }),
    );
    await page.getByRole("textbox", { name: "Message" }).fill("one more");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("20 messages are waiting already.").waitFor();
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("one more");
    await page.unroute("**/messages");
    await page.keyboard.press("Enter");
    await expect.poll(() => turns(page).count()).toBe(2);
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
  });

  it("CH-8 events that happened during a lost connection appear after it is restored", async () => {
    const page = await begin("demo");
    await page.addInitScript(BREAKABLE);
    await say(page, "hello");
    const id = decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1) ?? "");
    await page.reload();
    await turns(page).first().waitFor();
    await page.evaluate("breakStreams(true)");
    await page.getByText("not connected, trying again").waitFor();
    await console.world.say(id, "read README.md");
    expect(await turns(page).count()).toBe(1);
    await page.evaluate("breakStreams(false)");
    await expect.poll(() => turns(page).count(), { timeout: 40_000 }).toBe(2);
    await expect.poll(() => moments(page).count()).toBeGreaterThan(3);
    await page.getByText("not connected, trying again").waitFor({ state: "detached" });
  });

  it("CH-9 a user writes in their own conversation and sees it live, and a viewer can read it", async () => {
    const page = await begin("demo", "ann");
    await say(page, "deploy it");
    await moments(page).filter({ hasText: "deploy-needs-proof" }).first().waitFor();
    expect(await page.getByRole("button", { name: "elevated" }).count()).toBe(0);
    const id = decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1) ?? "");
    const viewer = await console.open(`/chat/${id}`, { as: "vic" });
    await viewer.getByText("You have read-only access.").waitFor();
    await turns(viewer).filter({ hasText: "deploy it" }).waitFor();
    const operator = await console.open(`/chat/${id}`);
    await operator.getByText("Only the conversation's own user can write").waitFor();
  });

  it("CH-10 a conversation, a message, its denial and another conversation can be opened with the keyboard alone", async () => {
    const page = await begin("demo");
    await page.getByRole("textbox", { name: "Message" }).focus();
    await page.keyboard.type("deploy it");
    await page.keyboard.press("Enter");
    await page.locator('article[data-status="complete"]').waitFor();
    const denied = page.getByRole("button", { name: "call: deploy, denied, deploy-needs-proof" });
    await denied.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => denied.getAttribute("aria-pressed")).toBe("true");
    await page.keyboard.press("Space");
    await expect.poll(() => denied.getAttribute("aria-pressed")).toBe("false");
    await page.keyboard.press("n");
    await page.waitForURL("**/chat");
    await expect.poll(() => page.evaluate("document.activeElement?.getAttribute('aria-label')")).toBe("Message");
  });

  it("CH-11 a conversation is deleted after a confirmation", async () => {
    const page = await begin("demo");
    await say(page, "hello");
    await page.getByRole("button", { name: "Delete this conversation" }).click();
    await page.getByRole("button", { name: "Delete conversation" }).click();
    await page.waitForURL("**/chat");
    await page.goBack();
    await page.getByText("Loading failed").waitFor();
  });

  it("CH-12 on a phone the strip stays visible, moments open above it, and nothing is wider than the screen", async () => {
    const session = await console.world.start("demo");
    await console.world.say(session, "deploy it");
    const page = await console.open(`/chat/${session}`, { width: 390, height: 780 });
    await page.getByRole("button", { name: "call: deploy, denied, deploy-needs-proof" }).click();
    await page
      .getByRole("dialog", { name: "This turn" })
      .getByText("has not succeeded in this session")
      .first()
      .waitFor();
    expect(await overflowOf(page)).toBe(0);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Conversations" }).click();
    await page.getByRole("dialog", { name: "Conversations" }).getByRole("link").first().waitFor();
    expect(console.errors).toEqual([]);
  });

  it("CH-13 a long conversation opens at its end, loads earlier turns by page, and does not scroll while somebody reads", async () => {
    const session = await console.world.start("demo");
    for (let at = 0; at < 34; at += 1) await console.world.say(session, `/think ${at % 2 === 0 ? "on" : "off"}`);
    const page = await console.open(`/chat/${session}`);
    await expect.poll(() => turns(page).count()).toBe(30);
    const log = page.getByRole("log");
    const gap = () => log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    await expect.poll(gap).toBeLessThan(2);
    await page.getByRole("button", { name: "Earlier turns" }).click();
    await expect.poll(() => turns(page).count()).toBe(34);
    expect(await log.evaluate((box) => box.scrollTop)).toBeGreaterThan(100);
    expect(await page.getByRole("button", { name: "Earlier turns" }).count()).toBe(0);
    await log.evaluate((box) => box.scrollTo({ top: 0 }));
    await console.world.say(session, "hello");
    await page.getByRole("button", { name: "Newest" }).waitFor();
    expect(await log.evaluate((box) => box.scrollTop)).toBeLessThan(2);
    await page.getByRole("button", { name: "Newest" }).click();
    await expect.poll(gap).toBeLessThan(2);
    expect(await page.getByRole("button", { name: "Newest" }).count()).toBe(0);
  });

  it("CH-14 a steered message is shown in the running turn, also after a reload, and does not become a separate turn", async () => {
    const { session } = await console.world.question("d.txt");
    const page = await console.open(`/chat/${session}`);
    await page.getByRole("region", { name: "Question: May I write d.txt?" }).waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill("and hurry");
    await page.getByRole("button", { name: "Steer" }).click();
    await turns(page).last().getByText("added, not read yet").waitFor();
    await turns(page).last().getByText("and hurry").waitFor();
    expect(await turns(page).count()).toBe(1);
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("");
    await page.getByRole("button", { name: "No", exact: true }).click();
    await page.locator('article[data-status="complete"]').waitFor();
    const heard = turns(page).last().getByText("added", { exact: true });
    await heard.waitFor();
    await page.reload();
    await heard.waitFor();
    expect(await turns(page).last().getByText("and hurry").count()).toBe(1);
    expect(await turns(page).count()).toBe(1);
    // Its moments and who said it stand in the journal.
    const { events } = await console.world.client.call("GET /api/events", { query: { session, text: "hurry" } });
    expect(events).toMatchObject([{ type: "message", text: "and hurry", sender: { user: "operator" } }]);
    expect(console.errors).toEqual([]);
  });

  it("CH-15 conversations are found by the events in them", async () => {
    const session = await console.world.start("demo");
    await console.world.say(session, "remember that the zeppelin leaves at nine");
    const page = await console.open("/chat");
    const list = page.getByRole("navigation", { name: "Conversations" });
    await list.getByRole("searchbox", { name: "Search conversations" }).fill("zeppelin");
    await expect.poll(() => list.getByRole("link").count(), { timeout: 20_000 }).toBe(1);
    await list.getByRole("link").click();
    await page.waitForURL(`**/chat/${session}`);
    await list.getByRole("searchbox").fill("nobody said this");
    await list.getByText("No conversation matches").waitFor();
  });
});
