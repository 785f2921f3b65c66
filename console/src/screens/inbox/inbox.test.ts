import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChangeRequest } from "../../../../src/behavior/contract/decide/change-request.ts";
import { chromium, openConsole, overflowOf, unnamedControls } from "../../../test/browser.ts";
import { HOSTILE } from "../../../test/world.ts";
import { inOrder, matches, nextAfter, type Shown, titleOf } from "./candidates.ts";

const candidate = (id: string, more: Partial<Shown> = {}): Shown =>
  ({
    ...{
      id,
      type: "stop",
      text: `text of ${id}`,
      scope: "global",
      confidence: 0.5,
      evidence: [],
      quotes: [],
      would: "",
    },
    ...{ createdAt: "2026-11-15T00:00:00.000Z", expiresAt: "2026-11-22T00:00:00.000Z", status: "pending" },
    ...more,
  }) as Shown;

describe("candidates", () => {
  it("IN-1 new candidates come first, then by confidence; after a decision the next one is selected, at the end the previous", () => {
    const list = inOrder(
      [candidate("a"), candidate("b", { confidence: 0.9 }), candidate("c", { confidence: 0.6 })],
      new Set(["c"]),
    );
    expect(list.map(({ id }) => id)).toEqual(["c", "b", "a"]);
    expect(["c", "b", "a"].map((id) => nextAfter(list, id))).toEqual(["b", "a", "b"]);
    expect(nextAfter([candidate("a")], "a")).toBe("");
  });

  it("IN-2 the search covers a candidate's text and its quotes, and a demotion is labelled as one", () => {
    const one = candidate("a", { demotes: "d_1", quotes: [{ quote: "No more Poems" }] });
    expect(titleOf(one)).toBe("drop STOP: text of a");
    expect(matches(one, "poems text")).toBe(true);
    expect(matches(one, "poems prose")).toBe(false);
  });
});

describe.skipIf(chromium === undefined)("the inbox in a browser", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    console = await openConsole();
    await console.world.person("vic", "viewer");
  }, 120_000);
  afterAll(() => console?.close());

  const item = (page: Page, text: string) =>
    page
      .getByRole("list", { name: /candidates$/ })
      .locator("> li")
      // By its own line: an open one shows the contract, and so the others' words.
      .filter({ has: page.locator("button[data-row]", { hasText: text }) });
  let seeded = false;
  const propose = (text: string, more: Partial<Extract<ChangeRequest, { kind: "propose" }>> = {}) =>
    console.world.conduct.contracts?.change(
      { kind: "propose", type: "less", text, confidence: 0.8, evidence: ["s_past1/s_past1-e2: less of it"], ...more },
      "daily-review",
    );
  const statusOf = async (text: string) =>
    (await console.world.client.call("GET /api/candidates")).candidates.find((one) => one.text === text)?.status;
  const lines = async () => {
    const { all } = await console.world.client.call("GET /api/contract");
    return all.map(({ type, text }) => `${String(type).toUpperCase()}: ${text}`);
  };

  it("IN-3 an empty inbox explains itself; a review run now proposes with a person's quote, which links to its source", async () => {
    const ann = await console.world.person("ann", "user");
    const { id: session } = await ann.call("POST /api/sessions", { body: { agent: "demo" } });
    const said = "Please stop sending me long status reports, always keep it short.";
    await ann.call("POST /api/sessions/{id}/messages", {
      params: { id: session },
      query: { wait: "true" },
      body: { text: said },
    });
    const page = await console.open("/inbox");
    await page.getByRole("heading", { name: "No candidates to decide" }).waitFor();
    await page.getByText("The review runs on demand. No review has run yet.").waitFor();
    await page.getByRole("button", { name: "Run review" }).click();
    const found = page.getByRole("list", { name: "Waiting candidates" }).locator("> li").first();
    await found.getByRole("button").first().click();
    const evidence = found.getByRole("region", { name: "Evidence" });
    expect(said).toContain((await evidence.getByRole("blockquote").first().textContent())?.replace(/…$/, ""));
    expect(await evidence.getByRole("link").first().getAttribute("href")).toMatch(
      new RegExp(`^/sessions/${session}\\?event=`),
    );
    await found.getByRole("region", { name: "What it would change" }).getByText(/^- /).first().waitFor();
    await page.getByText(/The last review, just now, read \d+ session/).waitFor();
    const { candidates } = await console.world.client.call("GET /api/candidates");
    for (const { id } of candidates)
      await console.world.client.call("POST /api/candidates/{id}/reject", { params: { id: String(id) }, body: {} });
    await page.getByRole("heading", { name: "No candidates to decide" }).waitFor();
  });

  it("IN-4 with the keyboard alone a candidate is promoted, the next one is selected, and the promotion is undone", async () => {
    if (!seeded) await console.world.seed();
    seeded = true;
    const page = await console.open("/inbox");
    await item(page, "asking for permission").waitFor();
    await page.keyboard.press("j");
    await item(page, "asking for permission").getByText("- STOP: asking for permission to read files").waitFor();
    await page.keyboard.press("p");
    await item(page, "asking for permission").waitFor({ state: "detached" });
    expect(await lines()).toContain("STOP: asking for permission to read files");
    expect(await statusOf("asking for permission to read files")).toBe("promoted");
    await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toContain("giving the reason");
    await page.keyboard.press("u");
    await page.getByRole("list", { name: "Changes", exact: true }).getByText("STOP: asking for permission").waitFor();
    await page.keyboard.press("Enter");
    await item(page, "asking for permission").waitFor();
    expect(await lines()).not.toContain("STOP: asking for permission to read files");
    await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toContain("giving the reason");
    await page.keyboard.press("k");
    await page.keyboard.press("e");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("asking before you read");
    await page
      .getByRole("list", { name: "Prompt block with changes" })
      .getByText("- STOP: asking before you read")
      .waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(lines).toContain("STOP: asking before you read");
    await page.keyboard.press("?");
    for (const does of ["Promote", "Reject", "Snooze", "Next"])
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText(does, { exact: true }).waitFor();
  });

  it("IN-5 candidates that were rejected with a reason, snoozed or edited are found with their filter", async () => {
    const page = await console.open("/inbox");
    await item(page, "giving the reason").getByRole("button").first().focus();
    await page.keyboard.press("r");
    await page.getByLabel("Reason").fill("it is clear enough");
    await page.keyboard.press("Enter");
    await item(page, "giving the reason").waitFor({ state: "detached" });
    await item(page, "apologies").getByRole("button").first().focus();
    await page.keyboard.press("e");
    await page.getByLabel("Text", { exact: true }).fill("apologies and excuses");
    await page.getByRole("button", { name: "Save as candidate" }).click();
    await item(page, "apologies and excuses").getByRole("button").first().focus();
    await page.keyboard.press("s");
    await page.getByRole("button", { name: "3 days" }).click();
    await item(page, "apologies").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Rejected" }).click();
    await item(page, "giving the reason").getByText("it is clear enough").waitFor();
    await page.getByRole("button", { name: "Snoozed" }).click();
    await item(page, "apologies and excuses")
      .getByText(/snoozed until .*\(in [23] days\)/)
      .waitFor();
    await page.getByRole("button", { name: "Promoted" }).click();
    const link = item(page, "asking before you read").getByRole("link", { name: /^d_/ });
    expect(await link.getAttribute("href")).toMatch(/^\/contract\?directive=d_/);
    await page.getByLabel("Search candidates").fill("nothing like it");
    await page.getByText("Nothing matches “nothing like it”.").waitFor();
  });

  it("IN-6 a conflicting directive is shown and removed by one click, and a demotion names the directive it removes", async () => {
    await propose("answers short and in plain words", { type: "stop" });
    const { all } = await console.world.client.call("GET /api/contract");
    const old = all.find(({ text }) => text === "tests before every release");
    await propose("tests before every release", { type: "more", demotes: String(old?.id) });
    const page = await console.open("/inbox");
    await item(page, "STOP answers short").getByRole("button").first().click();
    await page.keyboard.press("p");
    await item(page, "STOP answers short").getByText("blocked").waitFor();
    await item(page, "STOP answers short")
      .getByRole("button", { name: "Remove KEEP: answers short and in plain words and promote" })
      .click();
    await expect.poll(lines).toContain("STOP: answers short and in plain words");
    expect(await lines()).not.toContain("KEEP: answers short and in plain words");
    const demotion = item(page, "drop MORE tests before every release");
    await demotion.getByRole("button", { name: /^Promote and remove directive/ }).click();
    await expect.poll(lines).not.toContain("MORE: tests before every release");
  });

  it("IN-7 a candidate becomes a rule in shadow mode after a preview, which asks for tool names that the text lacks", async () => {
    await propose("the tests before deploying", { type: "start" });
    await propose("calm releases", { type: "keep" });
    const page = await console.open("/inbox");
    await item(page, "the tests before deploying").getByRole("button").first().click();
    await page.getByRole("button", { name: "Create rule…" }).click();
    const yaml = page.getByRole("region", { name: "Rule text" });
    await expect.poll(() => yaml.textContent()).toContain("on: deploy");
    await page.getByRole("button", { name: "Create rule", exact: true }).click();
    await item(page, "the tests before deploying").waitFor({ state: "detached" });
    // What is next is open already.
    await item(page, "calm releases").getByRole("button", { name: "Create rule…" }).click();
    await page.getByText("NO_TOOL_ORDER").waitFor();
    expect(await page.getByRole("button", { name: "Create rule", exact: true }).isDisabled()).toBe(true);
    await page.getByLabel("Required first").fill("build");
    await page.getByLabel("Allowed afterwards").fill("deploy");
    await page.getByLabel("End of shadow mode").selectOption("when I decide");
    await expect.poll(() => yaml.textContent()).toContain("build-before-deploy");
    await page.getByRole("button", { name: "Create rule", exact: true }).click();
    await page.getByText("The rule build-before-deploy is in shadow mode").waitFor();
    const { rules } = await console.world.client.call("GET /api/rules/standing");
    expect(rules).toMatchObject([
      { id: "test-before-deploy", status: "shadow", until: expect.any(String) },
      { id: "build-before-deploy", status: "shadow" },
    ]);
    expect(rules[1]).not.toHaveProperty("until");
  });

  it("IN-8 hostile text stays text, new candidates appear without a reload, and a viewer cannot decide", async () => {
    const page = await console.open("/inbox", { as: "vic" });
    await page.getByText("You have read-only access.").waitFor();
    await page.getByText("live", { exact: true }).first().waitFor();
    await propose("shouting", { evidence: [`s_past1/s_past1-e2: ${HOSTILE}`] });
    await item(page, "shouting").getByRole("button").first().click();
    expect(await item(page, "shouting").textContent()).toContain('<img src=x onerror="window.hacked=1">');
    expect(await item(page, "shouting").textContent()).toContain("RLOgnp.exePDF");
    expect(await page.locator("main img, main b").count()).toBe(0);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    await item(page, "shouting").getByText("would add for everybody: LESS: shouting").waitFor();
    for (const name of [/^Promote(?!d)/, /^Edit/, /^Reject…/, /^Snooze…/, /^Create rule/, /^Undo/, /^Run review/])
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    await page.keyboard.press("p");
    expect(await statusOf("shouting")).toBe("pending");
  });

  it("IN-10 the inbox shows when the next review runs, and which rules were in shadow mode long enough", async () => {
    const page = await console.open("/contract");
    await page.route("**/api/review/*", async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const more = route.request().url().includes("digest")
        ? { rules: ["test-before-deploy"] }
        : { nextAt: Date.now() + 3 * 3_600_000 + 60_000 };
      await route.fulfill({ response, json: { ...body, ...more } });
    });
    await page.goto(`${console.world.url}/inbox`);
    await page.getByText("The next review is in 3 h.").waitFor();
    const due = page.getByText("Shadow mode has ended").getByRole("link", { name: "test-before-deploy" });
    expect(await due.getAttribute("href")).toBe("/rules?rule=test-before-deploy");
    await page.unrouteAll();
  });

  it.each(["light", "dark"] as const)(
    "IN-9 on a phone in %s the inbox is not wider than the screen, and the browser logs no errors",
    async (scheme) => {
      const page = await console.open("/inbox", { width: 390, height: 780, scheme });
      await item(page, "shouting").getByRole("button").first().click();
      await item(page, "shouting").getByText("- LESS: shouting").waitFor();
      expect(await overflowOf(page)).toBe(0);
      expect(await unnamedControls(page)).toEqual([]);
      expect(console.errors).toEqual([]);
    },
  );
});
