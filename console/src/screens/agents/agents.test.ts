import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromium, openConsole, overflowOf, unnamedControls } from "../../../test/browser.ts";
import { HOSTILE } from "../../../test/world.ts";
import { faultsAt, faultsOfWhole, otherFaults, toSave, withValue } from "./form/definition.ts";
import { orderOf, orderText, pathsOf, pathsText, tagsOf, tagsText } from "./form/text-forms.ts";

describe("a definition as fields", () => {
  it("AGS-1 empty fields are not saved, except those that set a type; inline rules and unknown fields stay in order", () => {
    const written = {
      soul: "x",
      policies: [{ readBeforeWrite: { readTools: [] }, name: "" }, { sequential: {} }],
      feedback: [{ static: "", every: { calls: "" } }, { deadline: null }],
      sections: [{ heading: "", content: "c", policies: [{ readBeforeWrite: null }] }],
      trustedTools: [{ tool: "" }, { tool: "b" }],
      newer: { a: "" },
      identity: { name: "A", vibe: "" },
      tools: [],
      rules: ["packs/coding ", "", { id: "r", on: "x", set: { a: "" } }],
      limits: { tokens: "" },
    };
    expect(Object.entries(toSave(written))).toEqual([
      ["soul", "x"],
      ["policies", [{ readBeforeWrite: null }, { sequential: {} }]],
      ["feedback", [{ static: "" }, { deadline: null }]],
      ["sections", [{ content: "c", policies: [{ readBeforeWrite: null }] }]],
      // An empty one stays where it is: the gateway says what it lacks, at its place.
      ["trustedTools", [{}, { tool: "b" }]],
      ["newer", { a: "" }],
      ["identity", { name: "A" }],
      ["rules", ["packs/coding", { id: "r", on: "x", set: { a: "" } }]],
    ]);
  });

  it("AGS-2 setting a value at a path does not modify the original object", () => {
    const before = { tools: [{ name: "a" }, { name: "b" }] };
    expect(withValue(before, ["tools", 1, "name"], "c")).toEqual({ tools: [{ name: "a" }, { name: "c" }] });
    expect(withValue({}, ["identity", "name"], "A")).toEqual({ identity: { name: "A" } });
    expect(before.tools[1]?.name).toBe("b");
  });

  it("AGS-3 a fault is shown at its field, or in the list of other faults", () => {
    const faults = [
      { path: "agents.clerk.limits.window", message: "w" },
      { path: 'agents."my.clerk".tools[1].name', message: "t" },
      { path: "agents.clerk.newer[0]", message: "f" },
      { path: 'agents.clerk.actions."my.act".tool', message: "a" },
      { path: "agents.clerk.sections[0]", message: "'heading' is missing" },
      { path: "agents.clerk.sections[0]", message: "must have exactly one" },
    ];
    expect(faultsAt(faults, "clerk", ["limits", "window"]).map(({ message }) => message)).toEqual(["w"]);
    expect(faultsAt(faults, "clerk", ["limits", "win"])).toEqual([]);
    expect(faultsAt(faults, "my.clerk", ["tools", 1]).map(({ message }) => message)).toEqual(["t"]);
    expect(otherFaults(faults.slice(0, 1), "clerk")).toEqual([]);
    expect(otherFaults(faults.slice(2), "clerk").map(({ message }) => message)).toEqual(["f"]);
    expect(faultsAt(faults, "clerk", ["actions", "my.act", "tool"]).map(({ message }) => message)).toEqual(["a"]);
    // What is missing is missed at its own field, what is wrong with the whole at the whole.
    const heading = faultsAt(faults, "clerk", ["sections", 0, "heading"]);
    expect(heading.map(({ message }) => message)).toEqual(["'heading' is missing"]);
    expect(faultsAt(faults, "clerk", ["sections", 0, "content"])).toEqual([]);
    const whole = faultsOfWhole(faults, "clerk", ["sections", 0]);
    expect(whole.map(({ message }) => message)).toEqual(["must have exactly one"]);
  });

  it("AGS-4 tags, paths and orders are written as text and read back unchanged", () => {
    const tags = [
      { dimension: "topic", value: "coding" },
      { dimension: "custom", value: "a:b" },
    ];
    expect(tagsOf(tagsText(tags))).toEqual(tags);
    expect(pathsOf(pathsText({ path: "read", target: "write" }))).toEqual({ path: "read", target: "write" });
    const order = { deploy: ["test", "build"], "files/write:all": ["read"], alone: [] };
    expect(orderOf(orderText(order))).toEqual(order);
    expect(orderOf("deploy\n\n")).toEqual({ deploy: [] });
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

  it("AGS-5 the list of agents can be searched, marks agents made in code, and creates a new agent", async () => {
    const page = await console.open("/agents");
    await page.getByRole("link", { name: "clerk", exact: true }).waitFor();
    await page.getByRole("searchbox").fill("office");
    await page.getByRole("link", { name: "demo", exact: true }).waitFor({ state: "hidden" });
    await page.getByRole("searchbox").fill("");
    await page.getByRole("link", { name: "demo", exact: true }).click();
    await page.getByText("This agent is defined in code").waitFor();
    await page.goto(`${console.world.url}/agents`);
    await page.getByRole("link", { name: "clerk", exact: true }).waitFor();
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog", { name: "New agent" });
    await dialog.getByLabel("Name").fill("a b");
    await page.keyboard.press("Enter");
    await dialog
      .getByRole("alert")
      .getByText(/remove spaces/)
      .waitFor();
    await dialog.getByLabel("Name").fill("porter");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/agents/porter");
    await page.getByText("Version 1 is in force.").waitFor();
  });

  it("AGS-6 the soul is changed with a reason, a rollback restores the old one, and the next prompt contains it", async () => {
    const page = await console.open("/agents/clerk");
    const session = await console.world.start("clerk");
    await told(session, "never throw anything away");
    await page.getByLabel("Soul").fill("You shred everything.");
    expect(await page.getByRole("button", { name: "Save version 2" }).isDisabled()).toBe(true);
    await page.getByLabel("Reason").fill("shredding week");
    await page.getByRole("button", { name: "Save version 2" }).click();
    await page.getByText("Version 2 is in force.").waitFor();
    await told(session, "You shred everything.");
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByText("shredding week").waitFor();
    await page
      .getByRole("list", { name: "From v1 to v2" })
      .getByText(/You shred everything/)
      .waitFor();
    await page.getByRole("button", { name: "Roll back to v1…" }).click();
    const dialog = page.getByRole("dialog", { name: "Roll back to version 1?" });
    await dialog.getByLabel("Reason").fill("that was wrong");
    await page.keyboard.press("Enter");
    await page.getByText("v3").first().waitFor();
    expect(await told(session, "never throw anything away")).not.toContain("You shred everything.");
  });

  it("AGS-7 faults are shown at their fields, and the user's input stays", async () => {
    const page = await console.open("/agents/clerk");
    await page.getByLabel("Time", { exact: true }).fill("soon");
    await page.getByLabel("Model", { exact: true }).fill("nonsense");
    await page.getByLabel("Reason").fill("try");
    await page.getByRole("button", { name: /Save version/ }).click();
    await page.getByText("2 faults, shown at their fields.").waitFor();
    const time = page.getByLabel("Time", { exact: true });
    expect(await time.getAttribute("aria-invalid")).toBe("true");
    expect(await time.inputValue()).toBe("soon");
    await page.getByText(/must be a duration above 0/).waitFor();
    await page.getByText(/must be provider\/model/).waitFor();
  });

  it("AGS-8 a concurrent save that the page missed is reported on saving; the input stays, and nothing is overwritten", async () => {
    const page = await console.open("/agents");
    await page.route("**/api/stream", (route) => route.abort());
    await page.goto(`${console.world.url}/agents/clerk`);
    await page.getByLabel("Vibe").fill("mine");
    await page.getByLabel("Reason").fill("my change");
    const { definition = {}, version } = await clerk();
    await console.world.client.call("PUT /api/agents/{name}", {
      params: { name: "clerk" },
      body: { definition: { ...definition, soul: "Theirs." }, after: version, reason: "their change" },
    });
    await page.getByRole("button", { name: /Save version/ }).click();
    const notice = page.getByRole("alert").filter({ hasText: "was saved in the meantime" });
    await notice.getByText("their change").waitFor();
    expect(await page.getByLabel("Vibe").inputValue()).toBe("mine");
    expect((await clerk()).soul).toBe("Theirs.");
    await notice.getByRole("button", { name: /^Use version/ }).click();
    await expect.poll(() => page.getByLabel("Soul").inputValue()).toBe("Theirs.");
  });

  it("AGS-13 another person's save appears at once in an unchanged form, and is reported at once in a changed one", async () => {
    const idle = await console.open("/agents/clerk");
    const list = await console.open("/agents");
    const busy = await console.open("/agents/clerk");
    await busy.getByLabel("Vibe").fill("mine, too");
    await list.getByRole("link", { name: "clerk" }).waitFor();
    const { definition = {}, version } = await clerk();
    await console.world.client.call("PUT /api/agents/{name}", {
      params: { name: "clerk" },
      body: { definition: { ...definition, model: "demo/live", soul: "Live." }, after: version, reason: "live change" },
    });
    await expect.poll(() => idle.getByLabel("Soul").inputValue(), { timeout: 20_000 }).toBe("Live.");
    await list
      .getByText(`v${version + 1}`)
      .first()
      .waitFor();
    await busy.getByRole("alert").filter({ hasText: "live change" }).waitFor();
    expect(await busy.getByLabel("Vibe").inputValue()).toBe("mine, too");
    await console.world.client.call("PUT /api/agents/{name}", {
      params: { name: "clerk" },
      body: { definition, after: version + 1, reason: "as it was" },
    });
  });

  it("AGS-9 lists, limits and other fields are saved; a legacy system_prompt is used as the soul, with a notice", async () => {
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
    await page.getByLabel("Required files").fill("report.md");
    await page.getByLabel("Memory", { exact: true }).selectOption("off");
    expect(await page.getByLabel(/as JSON/).count()).toBe(0);
    await page.getByLabel("Reason").fill("first work");
    await page.getByRole("button", { name: "Save version 2" }).click();
    await page.getByText("Version 2 is in force.").waitFor();
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
    });
    const note = await console.world.client.call("PUT /api/agents/{name}", {
      params: { name: "porter" },
      body: { definition: { ...definition, system_prompt: "Carry bags." }, after: 2, reason: "an old one" },
    });
    expect(note.note).toContain("'system_prompt' is an older name");
    await expect.poll(() => page.getByLabel("Soul").inputValue(), { timeout: 20_000 }).toBe("Carry bags.");
  });

  it("AGS-14 sections, policies, actions and feedback are added, sorted and removed by keyboard; the next prompt has them", async () => {
    const page = await console.open("/agents/porter");
    const press = async (name: string, within = page.getByRole("main")) => {
      await within.getByRole("button", { name, exact: true }).focus();
      await page.keyboard.press("Enter");
    };
    const group = (name: string) => page.getByRole("group", { name, exact: true });
    for (const [at, heading, content] of [
      [1, "Lifts", "Take the stairs."],
      [2, "Tips", "Say thanks."],
      [3, "Drop me", "Nothing."],
    ] as const) {
      await press("Add a section");
      await group(`Section ${at}`).getByLabel("Heading").fill(heading);
      await group(`Section ${at}`).getByLabel("Content").fill(content);
    }
    await press("Move down", group("Section 1"));
    // The focus goes along with what was moved.
    await page.keyboard.press("Enter");
    await press("Remove", group("Section 2"));
    await expect.poll(() => group("Section 2").getByLabel("Heading").inputValue()).toBe("Lifts");
    await group("Section 2").getByLabel("Tools", { exact: true }).fill("carry, greet");
    await press("Add a policy", group("Section 2"));
    await group("Section 2").getByLabel("Type", { exact: true }).selectOption("sequential");
    await group("Section 2").getByLabel("Requirements, one per line", { exact: false }).fill("carry: greet");
    await press("Add an action");
    await page.getByLabel("Name of the action").fill("greet");
    await page.getByLabel("Matched tool").fill("shell");
    await page.getByLabel("Matched command").fill("echo hello");
    await page.getByRole("region", { name: "Policies (0)" }).getByRole("button", { name: "Add a policy" }).click();
    await press("Add a provider");
    await page.getByLabel("Text", { exact: true }).fill("Mind your back.");
    await page.getByLabel("Every n calls", { exact: true }).fill("3");
    await page.getByLabel("Reason").fill("how to carry");
    await page.getByRole("button", { name: "Save version 4" }).click();
    await page.getByText("Version 4 is in force.").waitFor();
    const { definition } = await console.world.client.call("GET /api/agents/{name}", { params: { name: "porter" } });
    expect(definition).toMatchObject({
      sections: [
        { heading: "Tips", content: "Say thanks." },
        {
          heading: "Lifts",
          content: "Take the stairs.",
          tools: ["carry", "greet"],
          policies: [{ sequential: { carry: ["greet"] } }],
        },
      ],
      policies: [{ readBeforeWrite: null }],
      actions: { greet: { tool: "shell", command: "echo hello" } },
      feedback: [{ static: "Mind your back.", every: { calls: 3 } }],
    });
    const session = await console.world.start("porter");
    const prompt = await told(session, "Say thanks.");
    expect(prompt.indexOf("Say thanks.")).toBeLessThan(prompt.indexOf("Take the stairs."));
  });

  it("AGS-16 links jump to each part of the agent form, and the page frame does not scroll", async () => {
    const page = await console.open("/agents/porter", { height: 600 });
    for (const [name, heading] of [
      ["policies", "Policies (1)"],
      ["memory", "Memory and classification"],
      ["identity", "Identity"],
    ] as const) {
      await page.getByRole("link", { name }).click();
      const top = () => page.getByRole("heading", { name: heading }).evaluate((it) => it.getBoundingClientRect().top);
      await expect.poll(async () => Math.round(await top())).toBeLessThan(600);
      expect(await page.evaluate(() => [document.documentElement.scrollTop, document.body.scrollTop])).toEqual([0, 0]);
      expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
    }
  });

  it("AGS-15 faults of a section, policy or feedback are shown at their field, and cleared when items are moved", async () => {
    const page = await console.open("/agents/porter");
    const group = (name: string) => page.getByRole("group", { name, exact: true });
    await page.getByRole("button", { name: "Add a section" }).click();
    await group("Section 3").getByLabel("Content").fill("Without a heading.");
    await page.getByRole("button", { name: "Add a provider" }).click();
    await group("Provider 2").getByLabel("Type", { exact: true }).selectOption("deadline");
    await group("Provider 2").getByLabel("Warn at time left", { exact: true }).fill("soon");
    await page.getByLabel("Name of the action").fill("");
    await page.getByText("Enter a name. It stays 'greet' until then.").waitFor();
    await page.getByLabel("Reason").fill("try");
    await page.getByRole("button", { name: /Save version/ }).click();
    await page.getByText("2 faults, shown at their fields.").waitFor();
    const heading = group("Section 3").getByLabel("Heading");
    expect(await heading.getAttribute("aria-invalid")).toBe("true");
    await group("Section 3").getByText("'heading' is missing").waitFor();
    await group("Provider 2")
      .getByText(/must be a duration above 0/)
      .waitFor();
    expect(await group("Section 2").getByLabel("Heading").getAttribute("aria-invalid")).toBe(null);
    await group("Section 3").getByRole("button", { name: "Move up", exact: true }).click();
    await page.getByText("'heading' is missing").waitFor({ state: "detached" });
    await expect.poll(() => group("Section 2").getByLabel("Content").inputValue()).toBe("Without a heading.");
    expect((await unnamedControls(page)).length).toBe(0);
  });

  it("AGS-10 a schedule is created with faults at their fields, switched, changed, shown with its runs, and removed", async () => {
    const page = await console.open("/agents/clerk?tab=schedules");
    await page.getByText("Morning digest").waitFor();
    await page.getByText("from conduct.yaml").waitFor();
    await page.getByRole("button", { name: "New schedule" }).click();
    const dialog = page.getByRole("dialog", { name: "New schedule" });
    await dialog.getByLabel("Message").fill("Tidy up");
    await dialog.getByLabel("Cron").fill("every day");
    await dialog.getByRole("button", { name: "Create schedule" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/is not a cron expression/)
      .waitFor();
    await dialog.getByLabel("Cron").fill("0 9 * * *");
    await dialog.getByRole("button", { name: "Create schedule" }).click();
    const row = page.getByRole("row").filter({ hasText: "Tidy up" });
    await row.waitFor();
    await row.getByRole("button", { name: "enabled: Tidy up" }).click();
    await row.getByText("never").waitFor();
    await row.getByRole("button", { name: "Edit…" }).click();
    await page.getByRole("dialog").getByLabel("Message").fill("Tidy up twice");
    await page.getByRole("button", { name: "Save schedule" }).click();
    const changed = page.getByRole("row").filter({ hasText: "Tidy up twice" });
    await changed.getByRole("button", { name: "Show runs" }).click();
    await page.getByText("No runs yet.").waitFor();
    await page.keyboard.press("Escape");
    const { schedules } = await console.world.client.call("GET /api/schedules");
    expect(schedules.find(({ say }) => say === "Tidy up twice")).toMatchObject({ enabled: false, cron: "0 9 * * *" });
    await changed.getByRole("button", { name: "Remove…" }).click();
    await page.getByRole("button", { name: "Remove schedule" }).click();
    await changed.waitFor({ state: "hidden" });
  });

  it("AGS-11 hostile names and texts of agents stay text, and a viewer has read-only access", async () => {
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

  it.each(["light", "dark"] as const)(
    "AGS-12 on a phone in %s the agents screen is not wider than the screen",
    async (scheme) => {
      for (const path of ["/agents", "/agents/clerk", "/agents/clerk?tab=versions", "/agents/clerk?tab=schedules"]) {
        const page = await console.open(path, { width: 390, height: 780, scheme });
        await page
          .getByText(path === "/agents" ? "porter" : "Definition")
          .first()
          .waitFor();
        expect(await overflowOf(page)).toBe(0);
      }
      expect(console.errors).toEqual([]);
    },
  );
});
