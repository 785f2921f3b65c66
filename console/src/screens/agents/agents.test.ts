import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromium, openConsole, overflowOf } from "../../../test/browser.ts";
import { HOSTILE } from "../../../test/world.ts";
import { faultsAt, otherFaults, pathsOf, pathsText, tagsOf, tagsText, toSave, withValue } from "./definition.ts";

describe("a definition as fields", () => {
  it("AGS-1 empty fields say nothing; rules of its own and the rest stay as they are, in their order", () => {
    const written = {
      soul: "x",
      policies: [{ readBeforeWrite: null }],
      identity: { name: "A", vibe: "" },
      tools: [],
      rules: ["packs/coding ", "", { id: "r", on: "x", set: { a: "" } }],
      limits: { tokens: "" },
    };
    expect(Object.entries(toSave(written))).toEqual([
      ["soul", "x"],
      ["policies", [{ readBeforeWrite: null }]],
      ["identity", { name: "A" }],
      ["rules", ["packs/coding", { id: "r", on: "x", set: { a: "" } }]],
    ]);
  });

  it("AGS-2 values are put at their place without touching what was there", () => {
    const before = { tools: [{ name: "a" }, { name: "b" }] };
    expect(withValue(before, ["tools", 1, "name"], "c")).toEqual({ tools: [{ name: "a" }, { name: "c" }] });
    expect(withValue({}, ["identity", "name"], "A")).toEqual({ identity: { name: "A" } });
    expect(before.tools[1]?.name).toBe("b");
  });

  it("AGS-3 a fault belongs to its field, or to the rest", () => {
    const faults = [
      { path: "agents.clerk.limits.window", message: "w" },
      { path: 'agents."my.clerk".tools[1].name', message: "t" },
      { path: "agents.clerk.feedback[0]", message: "f" },
    ];
    expect(faultsAt(faults, "clerk", ["limits", "window"]).map(({ message }) => message)).toEqual(["w"]);
    expect(faultsAt(faults, "clerk", ["limits", "win"])).toEqual([]);
    expect(faultsAt(faults, "my.clerk", ["tools", 1]).map(({ message }) => message)).toEqual(["t"]);
    expect(otherFaults(faults.slice(0, 1), "clerk")).toEqual([]);
    expect(otherFaults(faults.slice(2), "clerk").map(({ message }) => message)).toEqual(["f"]);
  });

  it("AGS-4 tags and paths are written as texts and read back", () => {
    const tags = [
      { dimension: "topic", value: "coding" },
      { dimension: "custom", value: "a:b" },
    ];
    expect(tagsOf(tagsText(tags))).toEqual(tags);
    expect(pathsOf(pathsText({ path: "read", target: "write" }))).toEqual({ path: "read", target: "write" });
  });
});

describe.skipIf(chromium === undefined)("the agents screen", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    console = await openConsole();
  }, 120_000);
  afterAll(() => console?.close());

  const clerk = () => console.world.client.call("GET /api/agents/{name}", { params: { name: "clerk" } });
  /** What the agent is told in its next turn. */
  const told = async (session: string, soul: string): Promise<string> => {
    await console.world.say(session, "hello");
    const { prompts } = await console.world.client.call("GET /api/sessions/{id}/prompts", { params: { id: session } });
    const event = prompts[0]?.event ?? "";
    const read = async () =>
      JSON.stringify(await console.world.client.call("GET /api/prompts/{event}", { params: { event } }));
    // The texts of sections are kept a moment after their event.
    await expect.poll(read, { timeout: 20_000 }).toContain(soul);
    return read();
  };

  it("AGS-5 a list that can be searched; an agent made in code says so; a new one is made", async () => {
    const page = await console.open("/agents");
    await page.getByRole("link", { name: "clerk", exact: true }).waitFor();
    await page.getByRole("searchbox").fill("office");
    await page.getByRole("link", { name: "demo", exact: true }).waitFor({ state: "hidden" });
    await page.getByRole("searchbox").fill("");
    await page.getByRole("link", { name: "demo", exact: true }).click();
    await page.getByText("This agent is made in code").waitFor();
    await page.goto(`${console.world.url}/agents`);
    await page.getByRole("link", { name: "clerk", exact: true }).waitFor();
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog", { name: "New agent" });
    await dialog.getByLabel("Name").fill("a b");
    await page.keyboard.press("Enter");
    await dialog
      .getByRole("alert")
      .getByText(/leave out spaces/)
      .waitFor();
    await dialog.getByLabel("Name").fill("porter");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/agents/porter");
    await page.getByText("Version 1, as it is in force.").waitFor();
  });

  it("AGS-6 the soul is changed with a reason, a rollback brings the old one back, and the next prompt has it", async () => {
    const page = await console.open("/agents/clerk");
    const session = await console.world.start("clerk");
    await told(session, "never throw anything away");
    await page.getByLabel("Soul").fill("You shred everything.");
    expect(await page.getByRole("button", { name: "Save version 2" }).isDisabled()).toBe(true);
    await page.getByLabel("Why").fill("shredding week");
    await page.getByRole("button", { name: "Save version 2" }).click();
    await page.getByText("Version 2, as it is in force.").waitFor();
    await told(session, "You shred everything.");
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByText("shredding week").waitFor();
    await page
      .getByRole("list", { name: "From v1 to v2" })
      .getByText(/You shred everything/)
      .waitFor();
    await page.getByRole("button", { name: "Roll back to v1…" }).click();
    const dialog = page.getByRole("dialog", { name: "Roll back to version 1?" });
    await dialog.getByLabel("Why").fill("that was wrong");
    await page.keyboard.press("Enter");
    await page.getByText("v3").first().waitFor();
    expect(await told(session, "never throw anything away")).not.toContain("You shred everything.");
  });

  it("AGS-7 faults stand at their field, and what was written stays", async () => {
    const page = await console.open("/agents/clerk");
    await page.getByLabel("Time", { exact: true }).fill("soon");
    await page.getByLabel("Model").fill("nonsense");
    await page.getByLabel("Why").fill("try");
    await page.getByRole("button", { name: /Save version/ }).click();
    await page.getByText("2 faults: each stands at its field.").waitFor();
    const time = page.getByLabel("Time", { exact: true });
    expect(await time.getAttribute("aria-invalid")).toBe("true");
    expect(await time.inputValue()).toBe("soon");
    await page.getByText(/must be a duration above 0/).waitFor();
    await page.getByText(/must be provider\/model/).waitFor();
  });

  it("AGS-8 somebody else saves meanwhile: it is said, what was written stays, and nothing is written over unseen", async () => {
    const page = await console.open("/agents/clerk");
    await page.getByLabel("Vibe").fill("mine");
    await page.getByLabel("Why").fill("my change");
    const { definition = {}, version } = await clerk();
    await console.world.client.call("PUT /api/agents/{name}", {
      params: { name: "clerk" },
      body: { definition: { ...definition, soul: "Theirs." }, after: version, reason: "their change" },
    });
    await page.getByRole("button", { name: /Save version/ }).click();
    const notice = page.getByRole("alert").filter({ hasText: "was saved meanwhile" });
    await notice.getByText("their change").waitFor();
    expect(await page.getByLabel("Vibe").inputValue()).toBe("mine");
    expect((await clerk()).soul).toBe("Theirs.");
    await notice.getByRole("button", { name: /^Take version/ }).click();
    await expect.poll(() => page.getByLabel("Soul").inputValue()).toBe("Theirs.");
  });

  it("AGS-9 lists, limits and the rest are saved; a legacy system_prompt is taken as the soul, and it says so", async () => {
    const page = await console.open("/agents/porter");
    await page.getByRole("button", { name: "Add a tool" }).click();
    await page.getByLabel("Tool", { exact: true }).fill("carry");
    await page.getByLabel("Arguments").fill("bag, room");
    await page.getByRole("button", { name: "Add a contributor" }).click();
    await page.getByLabel("Id", { exact: true }).fill("manners");
    await page.getByLabel("Tags").fill("channel:web");
    await page.getByLabel("Heading").fill("Manners");
    await page.getByLabel("Content").fill("Say please.");
    await page.getByLabel("Calls", { exact: true }).fill("40");
    await page.getByLabel("Deadline").fill("30m");
    await page.getByLabel("Files that must exist").fill("report.md");
    await page.getByLabel(/as JSON/).fill('{ "system_prompt": "Carry bags.", "memory": "off" }');
    await page.getByLabel("Why").fill("first work");
    await page.getByRole("button", { name: "Save version 2" }).click();
    await page.getByText(/'system_prompt' is an older name/).waitFor();
    const { definition } = await console.world.client.call("GET /api/agents/{name}", { params: { name: "porter" } });
    expect(definition).toEqual({
      identity: { name: "porter" },
      tools: [{ name: "carry", args: ["bag", "room"] }],
      promptContributors: [
        { id: "manners", content: "Say please.", tags: [{ dimension: "channel", value: "web" }], heading: "Manners" },
      ],
      limits: { calls: 40, deadline: "30m" },
      completion: { files: ["report.md"] },
      memory: "off",
      soul: "Carry bags.",
    });
    await page.reload();
    await expect.poll(() => page.getByLabel("Soul").inputValue()).toBe("Carry bags.");
  });

  it("AGS-10 schedules: made with its faults at their field, switched, changed, its runs shown, removed", async () => {
    const page = await console.open("/agents/clerk?tab=schedules");
    await page.getByText("Morning digest").waitFor();
    await page.getByText("from conduct.yaml").waitFor();
    await page.getByRole("button", { name: "New schedule" }).click();
    const dialog = page.getByRole("dialog", { name: "New schedule" });
    await dialog.getByLabel("Say").fill("Tidy up");
    await dialog.getByLabel("Cron").fill("every day");
    await dialog.getByRole("button", { name: "Schedule it" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/is no cron expression/)
      .waitFor();
    await dialog.getByLabel("Cron").fill("0 9 * * *");
    await dialog.getByRole("button", { name: "Schedule it" }).click();
    const row = page.getByRole("row").filter({ hasText: "Tidy up" });
    await row.waitFor();
    await row.getByRole("button", { name: "enabled: Tidy up" }).click();
    await row.getByText("never").waitFor();
    await row.getByRole("button", { name: "Edit…" }).click();
    await page.getByRole("dialog").getByLabel("Say").fill("Tidy up twice");
    await page.getByRole("button", { name: "Change it" }).click();
    const changed = page.getByRole("row").filter({ hasText: "Tidy up twice" });
    await changed.getByRole("button", { name: "Runs" }).click();
    await page.getByText("It has not run yet.").waitFor();
    await page.keyboard.press("Escape");
    const { schedules } = await console.world.client.call("GET /api/schedules");
    expect(schedules.find(({ say }) => say === "Tidy up twice")).toMatchObject({ enabled: false, cron: "0 9 * * *" });
    await changed.getByRole("button", { name: "Remove…" }).click();
    await page.getByRole("button", { name: "Remove it" }).click();
    await changed.waitFor({ state: "hidden" });
  });

  it("AGS-11 hostile names and texts stay text; a viewer sees and cannot act", async () => {
    await console.world.client.call("PUT /api/agents/{name}", {
      params: { name: "<b>x</b>".replaceAll("/", "") },
      body: { definition: { identity: { name: HOSTILE, description: HOSTILE } }, after: 0, reason: HOSTILE },
    });
    await console.world.person("vera", "viewer");
    const page = await console.open("/agents", { as: "vera" });
    await page.getByRole("link", { name: "<b>x<b>" }).click();
    await page.getByText("RLO").first().waitFor();
    expect(await page.locator("main img, main b").count()).toBe(0);
    expect(await page.getByRole("button", { name: /Save|Roll/ }).count()).toBe(0);
    expect(await page.getByRole("tab").count()).toBe(1);
    const own = await console.open(`/agents/${encodeURIComponent("<b>x<b>")}?tab=versions`);
    await own.getByText("RLO").first().waitFor();
    expect(await own.locator("main img, main b").count()).toBe(0);
    expect(await own.evaluate(() => "hacked" in window)).toBe(false);
  });

  it.each(["light", "dark"] as const)("AGS-12 on a phone in %s nothing is wider than the screen", async (scheme) => {
    for (const path of ["/agents", "/agents/clerk", "/agents/clerk?tab=versions", "/agents/clerk?tab=schedules"]) {
      const page = await console.open(path, { width: 390, height: 780, scheme });
      await page
        .getByText(path === "/agents" ? "porter" : "Definition")
        .first()
        .waitFor();
      expect(await overflowOf(page)).toBe(0);
    }
    expect(console.errors).toEqual([]);
  });
});
