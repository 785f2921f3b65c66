import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromium, openConsole, overflowOf } from "../../../test/browser.ts";
import { HOSTILE } from "../../../test/world.ts";

/** A file name that would like to be more. */
const FILE = '<img/src=x/onerror="window.hacked=1">\u202Egnp.txt';

describe.skipIf(chromium === undefined)("the replay screen", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  let session = "";
  beforeAll(async () => {
    console = await openConsole();
    session = await console.world.start("demo");
    await console.world.say(session, "deploy it");
  }, 120_000);
  afterAll(() => console?.close());

  /** `does`: what the gateway says of it when it has read it. */
  async function write(page: Page, text: string, does?: string) {
    await page.getByRole("textbox", { name: "Rules to replay" }).click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(text);
    if (does !== undefined) await page.getByText(does).waitFor();
  }
  const events = async () =>
    (await console.world.client.call("GET /api/events", { query: { limit: 200 } })).events.length;

  it("RP-1 a changed rule shows which past decisions change and why, each with its session, and nothing is written", async () => {
    const before = await events();
    const page = await console.open("/replay");
    await page.getByText("No replay yet").waitFor();
    await write(page, "rules:\n  - { id: no-build, on: build, say: Never build. }\n", "no-build: on build · deny.");
    const run = page.getByRole("button", { name: "Run replay" });
    await expect.poll(() => run.isEnabled()).toBe(true);
    await run.click();
    const summary = page.getByRole("region", { name: "Summary" });
    await summary.getByText(/newly denied/).waitFor();
    const changes = page.getByRole("list", { name: "Sessions that change" });
    await changes.getByText("was allowed, would be denied by no-build").first().waitFor();
    await changes.getByText("because no-build").first().waitFor();
    // The deployment needs the build that would not have been: it follows.
    await changes
      .getByText(/follows from/)
      .first()
      .waitFor();
    const link = changes.getByRole("link", { name: session });
    expect(await link.getAttribute("href")).toBe(`/sessions/${session}`);
    expect(await events()).toBe(before);
  });

  it("RP-2 a replay opened from a decision selects its session and rule, and Ctrl+Enter runs it", async () => {
    await console.world.client.call("POST /api/rules/standing", {
      body: { text: "rules:\n  - { id: no-tests, on: test }\n" },
    });
    await console.world.client.call("POST /api/rules/standing/{id}/enforce", { params: { id: "no-tests" } });
    const other = await console.world.start("demo");
    await console.world.say(other, "deploy it");
    const { events: denied } = await console.world.client.call("GET /api/events", {
      query: { denied: "true", limit: 50, session: other },
    });
    const [decision = ""] = denied.flatMap((event) =>
      event.type === "call" && event.decision.kind === "deny" && event.decision.rule === "no-tests"
        ? [event.decision.id]
        : [],
    );
    const page = await console.open(`/why/${decision}`);
    await page.getByRole("link", { name: "Replay with a change…" }).click();
    await page.waitForURL(`**/replay?decision=${decision}`);
    await page.getByText("no-tests: on test · deny.").waitFor();
    expect(await page.getByLabel("Session").inputValue()).toBe(other);
    await write(page, "rules:\n  - { id: no-tests, on: test, effect: warn }\n", "no-tests: on test · warn.");
    const run = page.getByRole("button", { name: "Run replay" });
    await expect.poll(() => run.isEnabled()).toBe(true);
    await page.keyboard.press("ControlOrMeta+Enter");
    await page
      .getByRole("region", { name: "Summary" })
      .getByText(/no longer denied/)
      .waitFor();
    await console.world.client.call("DELETE /api/rules/standing/{id}", { params: { id: "no-tests" } });
  });

  it("RP-3 a replay with another contract shows which turns would have had other directives", async () => {
    await console.world.client.call("POST /api/contract/directives", { body: { type: "keep", text: "short answers" } });
    await console.world.say(session, "hello again");
    const page = await console.open("/replay?contract=0");
    await page.getByLabel("Contract version").fill("0");
    await page.getByRole("button", { name: "Run replay" }).click();
    await page.getByText(/would have had other directives under/).waitFor();
    await page
      .getByRole("list", { name: "Sessions that change" })
      .getByText(/short answers/)
      .first()
      .waitFor();
  });

  it("RP-4 faults are shown at their line, a failed replay explains what to do and can be retried, and no result is reported", async () => {
    const page = await console.open(`/replay?session=${session}`);
    await write(page, "rules:\n  - { id: x }\n");
    await page.getByRole("list", { name: "Faults" }).getByRole("button", { name: "line 2" }).first().waitFor();
    expect(await page.getByRole("button", { name: "Run replay" }).isDisabled()).toBe(true);
    await write(page, "rules:\n  - { id: x, on: nothing-at-all }\n", "x: on nothing-at-all · deny.");
    await page.route("**/api/replay", (route) =>
      route.fulfill({
        status: 409,
        contentType: "application/problem+json",
        body: JSON.stringify({
          code: "REPLAY_RUNNING",
          detail: "Another replay is under way.",
          fix: "Wait until it is over.",
        }),
      }),
    );
    const run = page.getByRole("button", { name: "Run replay" });
    await expect.poll(() => run.isEnabled()).toBe(true);
    await run.click();
    await page.getByText("Wait until it is over.").waitFor();
    await page.unroute("**/api/replay");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Nothing would change").waitFor();
  });

  it("RP-5 hostile arguments stay text, and viewers see why they cannot run a replay", async () => {
    const clerk = "s_hostile";
    const own = console.world.conduct.session({ agent: "clerk", id: clerk, channel: "web" });
    await own.onMessage({ text: "read it" });
    await own.onPrompt();
    const call = { id: "c1", tool: "read_file", args: { path: FILE } };
    if ((await own.onCall(call)).kind === "allow") await own.onResult(call, { outcome: "ok", parts: [] });
    const kept = () => console.world.client.call("GET /api/events", { query: { session: clerk } });
    await expect.poll(async () => (await kept()).events.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(4);
    const page = await console.open(`/replay?session=${clerk}`);
    await write(
      page,
      `rules:\n  - { id: no-read, on: read_file, say: ${JSON.stringify(HOSTILE)} }\n`,
      "no-read: on read_file · deny.",
    );
    const run = page.getByRole("button", { name: "Run replay" });
    await expect.poll(() => run.isEnabled()).toBe(true);
    await run.click();
    const changes = page.getByRole("list", { name: "Sessions that change" });
    await changes.getByText("no-read").first().waitFor();
    expect(await changes.textContent()).toContain("<img/src=x");
    expect(await changes.locator("img, b").count()).toBe(0);
    await console.world.person("vera", "viewer");
    const seen = await console.open("/replay", { as: "vera" });
    await seen.getByText("Only operators can run replays").waitFor();
  });

  it("RP-7 a replay shows its progress in percent, reconnects a broken stream, and can be cancelled", async () => {
    const page = await console.open("/replay");
    await write(page, "rules:\n  - { id: no-build, on: build, say: Never build. }\n", "no-build: on build · deny.");
    const run = page.getByRole("button", { name: "Run replay" });
    await expect.poll(() => run.isEnabled()).toBe(true);
    // The gateway is done before anybody could look: what it tells on the way is held back, and the connection breaks.
    const told = { done: 30, of: 120 };
    await page.route("**/api/replay/*/stream", (route) =>
      route.fulfill({
        contentType: "text/event-stream",
        body: `event: progress\ndata: ${JSON.stringify({ id: "rp", ...told })}\n\n`,
      }),
    );
    await run.click();
    await page.getByText("25 % · 30 of 120 sessions").waitFor();
    const bar = page.getByRole("progressbar", { name: "Replay progress" });
    expect([await bar.getAttribute("value"), await bar.getAttribute("max")]).toEqual(["30", "120"]);
    await page.unroute("**/api/replay/*/stream");
    await page.getByRole("list", { name: "Sessions that change" }).waitFor();
    expect(await bar.count()).toBe(0);
    // Called off: the gateway is asked to, and says so at the end of the stream.
    const ends: string[] = [];
    await page.route("**/api/replay/*/stream", (route) =>
      route.fulfill({
        contentType: "text/event-stream",
        body:
          ends.length === 0
            ? `event: progress\ndata: ${JSON.stringify({ id: "rp", ...told })}\n\n`
            : 'event: end\ndata: {"state":"called-off"}\n\n',
      }),
    );
    page.on("request", (request) => {
      if (request.method() === "DELETE") ends.push(request.url());
    });
    await run.click();
    await page.getByRole("button", { name: "Cancel replay" }).click();
    await page.getByText("Replay cancelled").waitFor();
    expect(ends).toHaveLength(1);
    expect(ends[0]).toMatch(/\/api\/replay\/rp_\w+$/);
    expect(console.errors).toEqual([]);
  });

  it("RP-8 another person's running replay can be followed, and a failed one shows the reason", async () => {
    const page = await console.open("/replay");
    await write(page, "rules:\n  - { id: x, on: nothing-at-all }\n", "x: on nothing-at-all · deny.");
    const { id } = await console.world.client.call("POST /api/replay", {
      body: { rules: "rules:\n  - { id: y, on: build }\n" },
    });
    await page.route("**/api/replay", (route) =>
      route.fulfill({
        status: 409,
        contentType: "application/problem+json",
        body: JSON.stringify({ code: "REPLAY_RUNNING", detail: "Another replay is under way.", fix: "Wait.", id }),
      }),
    );
    const run = page.getByRole("button", { name: "Run replay" });
    await expect.poll(() => run.isEnabled()).toBe(true);
    await run.click();
    await page.getByRole("button", { name: "Follow that replay" }).click();
    await page.getByRole("list", { name: "Sessions that change" }).getByText("because y").first().waitFor();
    await page.unroute("**/api/replay");
    const failed = {
      state: "failed",
      code: "REPLAY_TOO_LONG",
      detail: "It took longer than 10 minutes.",
      fix: "Choose less.",
    };
    await page.route("**/api/replay/*/stream", (route) =>
      route.fulfill({ contentType: "text/event-stream", body: `event: end\ndata: ${JSON.stringify(failed)}\n\n` }),
    );
    await run.click();
    await page.getByText("It took longer than 10 minutes.").waitFor();
    await page.getByText("Choose less.").waitFor();
  });

  it("RP-9 a replay of rules for one agent does not change decisions of other agents", async () => {
    const page = await console.open(`/replay?session=${session}`);
    await write(page, "rules:\n  - { id: no-build, on: build, say: Never build. }\n", "no-build: on build · deny.");
    const run = page.getByRole("button", { name: "Run replay" });
    await page.getByLabel("Rules for").selectOption("clerk");
    await expect.poll(() => run.isEnabled()).toBe(true);
    await run.click();
    await page.getByText("Nothing would change").waitFor();
    await page.getByLabel("Rules for").selectOption("demo");
    await run.click();
    await page
      .getByRole("region", { name: "Summary" })
      .getByText(/newly denied/)
      .waitFor();
  });

  it.each(["light", "dark"] as const)(
    "RP-6 on a phone in %s the replay screen is not wider than the screen",
    async (scheme) => {
      const page = await console.open("/replay", { width: 390, height: 780, scheme });
      await page.getByText("No replay yet").waitFor();
      await write(page, "rules:\n  - { id: no-build, on: build, say: Never build. }\n", "no-build: on build · deny.");
      const run = page.getByRole("button", { name: "Run replay" });
      await expect.poll(() => run.isEnabled()).toBe(true);
      await run.click();
      await page.getByRole("list", { name: "Sessions that change" }).waitFor();
      expect(await overflowOf(page)).toBe(0);
      expect(console.errors).toEqual([]);
    },
  );
});
