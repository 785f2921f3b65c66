import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromium, openConsole, overflowOf } from "../../../test/browser.ts";
import { HOSTILE } from "../../../test/world.ts";

describe.skipIf(chromium === undefined)("the rules screen", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    console = await openConsole();
  }, 120_000);
  afterAll(() => console?.close());

  const editor = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });

  async function write(page: Page, name: string, text: string) {
    await editor(page, name).click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(text);
  }

  it("RS-1 one list has the agents' own rules, policies and built-in policies, and a rule opens with its text", async () => {
    const page = await console.open("/rules");
    const table = page.getByRole("table", { name: "Rules" });
    for (const name of ["ask-before-writing", "deploy-needs-proof", "builtin:workspace"])
      await table.getByRole("link", { name, exact: true }).waitFor();
    await page.getByLabel("Source").selectOption("Built-in policies");
    await table.getByRole("link", { name: "ask-before-writing" }).waitFor({ state: "hidden" });
    await page.getByLabel("Source").selectOption("All sources");
    await table.getByRole("link", { name: "ask-before-writing" }).click();
    const drawer = page.getByRole("dialog", { name: "Rule ask-before-writing" });
    await drawer.getByText("on: write_file").waitFor();
    await drawer.getByRole("link", { name: "Edit here" }).waitFor();
    expect(page.url()).toContain("rule=ask-before-writing");
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "hidden" });
  });

  it("RS-9 a rule of a pack shows its file, its cases and its counts, is tried on the last 30 days, and is exempted", async () => {
    const { client } = console.world;
    await client.call("PUT /api/agents/{name}", {
      params: { name: "coder" },
      body: { definition: { rules: ["packs/coding"] }, after: 0, reason: "first" },
    });
    const page = await console.open("/rules?rule=no-force-push");
    const drawer = page.getByRole("dialog", { name: "Rule no-force-push" });
    await drawer.getByText(/^packs\/coding\/rules\.yaml:\d+$/).waitFor();
    await drawer.getByRole("region", { name: "Cases" }).getByText("passed").first().waitFor();
    await drawer.getByRole("button", { name: "Exempt calls…" }).click();
    const exempt = page.getByRole("dialog", { name: "Exempt calls from this rule" });
    await exempt.getByLabel("Calls to exempt").fill('args.remote == "mine"');
    await exempt.getByLabel("Reason").fill("my own branch");
    await exempt.getByRole("button", { name: "Exempt calls" }).click();
    await drawer.getByText('args.remote == "mine"').waitFor();
    await drawer.getByRole("button", { name: "Use shadow mode…" }).click();
    const shadow = page.getByRole("dialog", { name: "Put this rule into shadow mode?" });
    await shadow.getByLabel("Reason").fill("look first");
    await shadow.getByRole("button", { name: "Use shadow mode" }).click();
    await drawer.getByText("in shadow").waitFor();
    const { definition } = await client.call("GET /api/agents/{name}", { params: { name: "coder" } });
    expect(definition?.rules).toEqual([
      { pack: "packs/coding", except: { "no-force-push": 'args.remote == "mine"' }, shadow: ["no-force-push"] },
    ]);
    await drawer.getByRole("link", { name: "Try on the last 30 days" }).click();
    await expect.poll(() => editor(page, "Rules to replay").textContent()).toContain("no-force-push");
    expect(await editor(page, "Rules to replay").textContent()).toContain("effect: deny");
    await page
      .getByText(/decision|session/)
      .first()
      .waitFor();
    expect(await page.getByLabel("Since").inputValue()).toBe("30d");
  });

  it("RS-2 a rule error is marked in the editor and listed below with a link to its line, and styles pass the CSP", async () => {
    const page = await console.open("/rules/edit");
    await write(page, "Rules", "rules:\n  - id: x\n    onn: test\n");
    const wrong = page.getByRole("list", { name: "Faults" });
    await wrong.getByText(/'onn'/).first().waitFor();
    await page.locator(".cm-lint-marker-error").first().waitFor();
    expect(await page.getByRole("button", { name: "Save rule" }).isDisabled()).toBe(true);
    await wrong
      .getByRole("button", { name: /^line 3$/ })
      .first()
      .click();
    await page.keyboard.insertText("HERE");
    expect(await editor(page, "Rules").textContent()).toContain("HEREonn");
    // Without its style sheets the gutter would stand above the text.
    const gutter = await page.locator(".cm-gutters").first().boundingBox();
    const content = await editor(page, "Rules").boundingBox();
    expect(gutter?.y).toBeCloseTo(content?.y ?? 0, -1);
    expect(gutter?.x ?? 0).toBeLessThan(content?.x ?? 0);
  });

  it("RS-3 the rule editor works with the keyboard alone: completion, Tab indents, Escape then Tab leaves, cases run", async () => {
    const page = await console.open("/rules");
    await page.getByRole("table", { name: "Rules" }).waitFor();
    await page.keyboard.press("n");
    await editor(page, "Rules").focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText("rules:\n  - id: my-rule\n    on: write_file\n    eff");
    await page.keyboard.press("Control+Space");
    await page.getByRole("option", { name: /effect/ }).waitFor();
    // What has only just appeared cannot be taken by mistake.
    await page.waitForTimeout(200);
    await page.keyboard.press("Enter");
    await expect.poll(() => editor(page, "Rules").textContent()).toContain("effect: ");
    await page.keyboard.type("de");
    await page.getByRole("option", { name: "deny", exact: true }).waitFor();
    await page.waitForTimeout(200);
    await page.keyboard.press("Enter");
    const line = () => page.locator(".cm-line").nth(3).textContent();
    await expect.poll(line).toBe("    effect: deny");
    await page.keyboard.press("Tab");
    await expect.poll(line).toBe("      effect: deny");
    await page.keyboard.press("Shift+Tab");
    await expect.poll(line).toBe("    effect: deny");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("data-editor"))).not.toBe("Rules");
    await page.getByText("on write_file · deny").waitFor();
    await editor(page, "Cases").focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(
      "cases:\n  - name: no writing\n    calls:\n      - write_file: a.txt\n        expect: deny my-rule\n  - name: wrong on purpose\n    calls:\n      - write_file: a.txt\n",
    );
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.getByText("1 passed").waitFor();
    const failed = page.getByRole("list", { name: "Failed cases" });
    await failed.getByText("wrong on purpose").waitFor();
    expect(await failed.textContent()).toContain("deny my-rule");
  });

  it("RS-4 a rule edited to deny only counts in shadow mode, and denies in the next chat turn once enforced", async () => {
    const page = await console.open("/rules/edit");
    await write(
      page,
      "Rules",
      'rules:\n  - id: no-tests\n    on: test\n    effect: remind\n    say: "Tests are off."\n',
    );
    await page.getByText("on test · remind").waitFor();
    await write(page, "Rules", 'rules:\n  - id: no-tests\n    on: test\n    effect: deny\n    say: "Tests are off."\n');
    await page.getByText("on test · deny").waitFor();
    await page.getByRole("button", { name: "Save rule" }).click();
    const drawer = page.getByRole("dialog", { name: "Rule no-tests" });
    await drawer.getByText("in shadow").first().waitFor();
    const session = await console.world.start("demo");
    await console.world.say(session, "deploy it");
    await drawer.getByText(/would have blocked [1-9]/).waitFor();
    await drawer.getByRole("button", { name: "Enforce…" }).click();
    await page
      .getByRole("dialog", { name: "Enforce this rule?" })
      .getByRole("button", { name: "Enforce rule" })
      .click();
    await drawer.getByText(/^enforced since/).waitFor();

    const chat = await console.open("/chat");
    await chat.getByLabel("Agent").selectOption("demo");
    await chat.getByRole("textbox", { name: "Message" }).fill("deploy it");
    await chat.keyboard.press("Enter");
    const moments = chat.getByRole("complementary", { name: "This turn's moments" });
    await moments.getByText("no-tests").first().waitFor();
    const { events } = await console.world.client.call("GET /api/events", { query: { denied: "true", limit: 5 } });
    expect(JSON.stringify(events)).toContain('"rule":"no-tests"');
    const { rules } = await console.world.client.call("GET /api/rules/standing");
    expect(rules[0]).toMatchObject({ id: "no-tests", status: "enforced" });
  });

  it("RS-5 a standing rule returns to shadow mode for a limited time, or is removed, each after a confirmation", async () => {
    const page = await console.open("/rules?rule=no-tests");
    const drawer = page.getByRole("dialog", { name: "Rule no-tests" });
    await drawer.getByRole("button", { name: "Back to shadow mode…" }).click();
    const dialog = page.getByRole("dialog", { name: "Put this rule into shadow mode?" });
    await dialog.getByLabel("Duration").selectOption("one week");
    await dialog.getByRole("button", { name: "Use shadow mode" }).click();
    await drawer.getByText("in shadow").waitFor();
    const { rules } = await console.world.client.call("GET /api/rules/standing");
    const until = rules[0]?.status === "shadow" ? rules[0].until : undefined;
    expect(Date.parse(String(until)) - Date.now()).toBeGreaterThan(6 * 86_400_000);
    await drawer.getByRole("button", { name: "Remove…" }).click();
    await page.getByRole("dialog", { name: "Remove this rule?" }).getByRole("button", { name: "Remove rule" }).click();
    await drawer.waitFor({ state: "hidden" });
    expect((await console.world.client.call("GET /api/rules/standing")).rules).toEqual([]);
  });

  it("RS-6 an agent's own rules are saved into its definition as a version with a reason", async () => {
    const page = await console.open("/rules/edit?agent=clerk");
    await expect.poll(() => editor(page, "Rules").textContent()).toContain("ask-before-writing");
    await write(page, "Rules", "rules:\n  - { id: ask-before-writing, on: write_file, effect: deny }\n");
    await page.getByText("on write_file · deny").waitFor();
    await page.getByLabel("Reason").fill("no writing for now");
    await page.getByRole("button", { name: "Save version 2" }).click();
    await page.waitForURL("**/rules");
    const { definition, version } = await console.world.client.call("GET /api/agents/{name}", {
      params: { name: "clerk" },
    });
    expect(version).toBe(2);
    expect(definition).toMatchObject({
      rules: [{ id: "ask-before-writing", effect: "deny" }],
      identity: { name: "Clerk" },
    });
    const { versions } = await console.world.client.call("GET /api/agents/{name}/versions", {
      params: { name: "clerk" },
    });
    expect(versions[0]).toMatchObject({ by: "operator", reason: "no writing for now" });
  });

  it("RS-7 a hostile rule stays text in the list and the editor, and viewers have read-only access", async () => {
    const text = `rules:\n  - id: hostile\n    on: fetch\n    say: ${JSON.stringify(HOSTILE)}\n`;
    await console.world.client.call("POST /api/rules/standing", { body: { text } });
    await console.world.person("vera", "viewer");
    const page = await console.open("/rules", { as: "vera" });
    await page.getByRole("link", { name: "hostile" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByText("RLO").first().waitFor();
    expect(await drawer.locator("b, img").count()).toBe(0);
    expect(await drawer.getByRole("button", { name: /Enforce|Remove|Shadow/ }).count()).toBe(0);
    await page.goto(`${console.world.url}/rules/edit`);
    await page.getByText("Only operators can write rules").waitFor();
    const own = await console.open("/rules/edit?standing=hostile");
    await expect.poll(() => editor(own, "Rules").textContent()).toContain("<img src=x");
    expect(await own.evaluate(() => "hacked" in window)).toBe(false);
  });

  it.each(["light", "dark"] as const)(
    "RS-8 on a phone in %s the rules screen is not wider than the screen, and the browser logs no errors",
    async (scheme) => {
      for (const path of ["/rules", "/rules?rule=ask-before-writing", "/rules/edit"]) {
        const page = await console.open(path, { width: 390, height: 780, scheme });
        await page
          .getByText(path === "/rules/edit" ? "What it does" : "ask-before-writing")
          .first()
          .waitFor();
        expect(await overflowOf(page)).toBe(0);
      }
      expect(console.errors).toEqual([]);
    },
  );
});
