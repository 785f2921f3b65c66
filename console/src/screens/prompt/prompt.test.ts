import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConductEvent } from "../../../../src/base/words/event.ts";
import { shortHash } from "../../../../src/behavior/prompt/section-measures.ts";
import { chromium, openConsole, overflowOf } from "../../../test/browser.ts";
import { HOSTILE } from "../../../test/world.ts";
import { foldSame } from "./compare.tsx";
import { sourceOf, sourceText } from "./prompt-source.ts";

/** Waited for as long as it takes on a machine that is busy. */
const soon = <T>(look: () => T) => expect.poll(look, { timeout: 20_000 });

describe("which prompt is meant", () => {
  it.each([
    ["", { kind: "none" }],
    ["session=s&turn=2", { kind: "turn", session: "s", turn: "2" }],
    ["session=s", { kind: "newest", session: "s" }],
    ["session=s&event=e", { kind: "event", session: "s", event: "e" }],
    ["agent=a", { kind: "preview", body: { agent: "a" } }],
    ["agent=a&mode=odd&think=true&channel=web", { kind: "preview", body: { agent: "a", think: true, channel: "web" } }],
    [
      "agent=a&topic=ops&domain=x,%20y,z,w",
      {
        kind: "preview",
        body: {
          agent: "a",
          classification: { topic: "ops", complexity: "moderate", domain: ["x", "y", "z"], flags: [] },
        },
      },
    ],
  ])("PR-1 the URL query selects the prompt: %s", (text, source) => {
    const address = new URLSearchParams(text);
    expect(sourceOf(address)).toEqual(source);
    expect(sourceOf(new URLSearchParams(sourceText(address)))).toEqual(source);
  });

  it("PR-2 a comparison shows unchanged lines only around a change, and how many were left out", () => {
    const same = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => ({ kind: "same" as const, text: `${from + at}` }));
    const folded = foldSame([...same(0, 9), { kind: "new", text: "!" }, ...same(10, 12)], 2);
    expect(folded.map(({ text }) => text)).toEqual(["… 7 lines unchanged", "7", "8", "!", "10", "11"]);
    expect(foldSame(same(0, 4))).toEqual([{ kind: "same", text: "… 4 lines unchanged" }]);
  });
});

describe.skipIf(chromium === undefined)("the prompt in a browser", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  let session: string;
  beforeAll(async () => {
    console = await openConsole();
    session = await console.world.start("demo");
    await console.world.say(session, "hello");
    await console.world.client.call("POST /api/contract/directives", {
      body: { type: "stop", text: "long reports" },
    });
    await console.world.say(session, "hello again");
    await console.world.say(session, "deploy it");
  }, 120_000);
  afterAll(() => console?.close());

  const shownLines = (page: Page) =>
    page
      .getByRole("list", { name: "Prompt" })
      .locator("[data-line]")
      .evaluateAll((lines) => lines.length);
  const copied = async (page: Page) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy as text" }).click();
    await page
      .getByText(/^Copied [\d,]+ characters$/)
      .first()
      .waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };

  it("PR-3 a past turn's prompt is shown byte for byte as the model got it, each line under its contributor", async () => {
    const { events } = await console.world.client.call("GET /api/events", { query: { session, limit: 200 } });
    const told = events.find(({ type, turn }) => type === "prompt" && turn === 2);
    if (told?.type !== "prompt") throw new Error("turn 2 has no prompt");
    const texts = await console.world.stores.events.readSections(told.sections.map(({ hash }) => hash));
    const whole = told.sections.map(({ hash }) => texts.get(hash)).join("\n\n");
    // Over the bytes that were sent: it was worked out before the model was asked.
    expect(shortHash(whole)).toBe(told.hash);
    const page = await console.open(`/prompt?session=${session}&turn=2`);
    await page.getByText("byte for byte").waitFor();
    expect(await copied(page)).toBe(whole);
    for (const text of [told.hash, told.prefixHash]) await page.getByText(text, { exact: true }).waitFor();
    const sections = page.getByRole("list", { name: "Prompt" }).locator(":scope > li:has([data-line])");
    expect(await sections.count()).toBe(told.sections.length);
    for (const [at, { contributor, hash }] of told.sections.entries()) {
      const section = sections.nth(at);
      expect(await section.textContent()).toContain(contributor);
      expect((await section.locator("[data-line] bdi").allTextContents()).join("\n")).toBe(texts.get(hash));
    }
    const stable = Math.floor((told.prefixTokens / told.tokens) * 100);
    await page.getByText(`end of the cache: ${stable} % is cacheable`, { exact: false }).waitFor();
    await page.close();
  });

  it("PR-4 two turns are compared by keyboard, which shows the new directive and that the cacheable part changed", async () => {
    const page = await console.open(`/prompt?session=${session}&turn=1`);
    await page.getByText("byte for byte").waitFor();
    await page.getByRole("button", { name: "Next" }).waitFor();
    await soon(() => page.getByRole("button", { name: "Next" }).isEnabled()).toBe(true);
    await page.keyboard.press("]");
    await page.waitForURL("**turn=2**");
    await page.getByText(/turn 2 of/).waitFor();
    await page.keyboard.press("c");
    const changes = page.getByRole("region", { name: "Changes" });
    await changes.getByText("the cacheable part has changed", { exact: false }).waitFor();
    await changes.getByRole("list", { name: "Changed lines" }).getByText("STOP: long reports").waitFor();
    await page.keyboard.press("]");
    await page.getByText(/turn 3 of/).waitFor();
    await page.keyboard.press("c");
    const { prompts } = await console.world.client.call("GET /api/sessions/{id}/prompts", { params: { id: session } });
    const [third, second] = [3, 2].map((turn) => prompts.find((one) => one.turn === turn));
    const word =
      third?.hash === second?.hash
        ? "identical"
        : third?.prefixHash === second?.prefixHash
          ? "the cacheable part is unchanged"
          : "the cacheable part has changed";
    await changes.getByText("compared with prompt", { exact: false }).waitFor();
    await changes.getByText(word, { exact: false }).waitFor();
    const address = page.url();
    expect(new URLSearchParams(new URL(address).searchParams.get("base") ?? "").get("session")).toBe(session);
    await page.reload();
    await changes.getByText(word, { exact: false }).waitFor();
    expect(page.url()).toBe(address);
    await page.close();
  });

  it("PR-5 a preview follows the selected options, shows omitted sections with the reason, and can be compared", async () => {
    const page = await console.open("/prompt");
    await page.getByLabel("Agent", { exact: true }).selectOption("demo");
    await page.waitForURL("**agent=demo**");
    await page.getByRole("list", { name: "Prompt" }).getByText("You are Demo", { exact: false }).waitFor();
    const full = await shownLines(page);
    const body = { agent: "demo" };
    const preview = await console.world.client.call("POST /api/prompt/preview", { body });
    const left = preview.trace.filter(({ reason }) => reason !== "included");
    expect(left.length).toBeGreaterThan(0);
    await soon(() => page.getByRole("table", { name: "Left out" }).locator("tbody tr").count()).toBe(
      left.length + preview.cuts.length,
    );
    await page.getByRole("button", { name: "Keep for comparison" }).click();
    await page.getByText("identical").or(page.getByText("the cacheable part is unchanged")).first().waitFor();
    await page.getByLabel("Prompt mode").selectOption("none");
    await soon(() => shownLines(page)).toBeLessThan(full);
    await page.getByRole("list", { name: "Changed sections" }).getByText("gone", { exact: false }).first().waitFor();
    await page.getByLabel("Find in this prompt").fill("You are Demo");
    await soon(() => shownLines(page)).toBe(1);
    await page.close();
  });

  it("PR-6 a new turn can be selected without a reload, and an expired text is marked as expired", async () => {
    const page = await console.open(`/prompt?session=${session}`);
    await page.getByText(/turn 3 of/).waitFor();
    await console.world.say(session, "and once more");
    await page.getByText(/turn 4 of/).waitFor();
    const long = await console.world.longSession(6);
    await page.goto(`${console.world.url}/prompt?session=${long}&turn=1`);
    await page.getByText("not exact").waitFor();
    await page.getByText("The text has expired.").first().waitFor();
    await page.close();
  });

  it("PR-8 hostile contributor names and texts stay text, and are copied unchanged", async () => {
    const told = await console.world.start("demo");
    const text = `## Notes\n\n${HOSTILE}`;
    const section = { contributor: HOSTILE, tokens: 9, hash: shortHash(text) };
    await console.world.stores.events.keepSections([{ session: told, at: Date.now(), hash: section.hash, text }]);
    await console.world.stores.events.append([
      {
        ...{ v: 1, id: "p_hostile", seq: 1, at: Date.now(), session: told, agent: "demo", run: "r", turn: 1 },
        ...{ type: "prompt", hash: section.hash, prefixHash: "p", tokens: 9, prefixTokens: 0, sections: [section] },
        cuts: [{ contributor: HOSTILE, limit: "maxChars", kept: 1, of: 2 }],
        left: [{ contributor: "shy", reason: "failed", detail: HOSTILE }],
      } as ConductEvent,
    ]);
    const page = await console.open(`/prompt?session=${told}&turn=1`);
    await page.getByText("byte for byte").waitFor();
    expect(await copied(page)).toBe(text);
    expect(await page.getByText("RLO", { exact: true }).count()).toBeGreaterThan(3);
    const found = await page.evaluate(() => ["hacked" in window, document.querySelectorAll("main img, main b").length]);
    expect(found).toEqual([false, 0]);
    await page.close();
  });

  it.each(["light", "dark"] as const)(
    "PR-7 on a phone in %s the prompt screen is not wider than the screen",
    async (scheme) => {
      for (const path of [
        "/prompt",
        `/prompt?session=${session}&turn=2&base=${encodeURIComponent(`session=${session}&turn=1`)}`,
      ]) {
        const page = await console.open(path, { width: 390, height: 780, scheme });
        await page.getByRole("list", { name: "Prompt" }).waitFor();
        expect(await overflowOf(page)).toBe(0);
        await page.close();
      }
      expect(console.errors).toEqual([]);
    },
  );
});
