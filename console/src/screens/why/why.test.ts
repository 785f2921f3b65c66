import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromium, openConsole, overflowOf } from "../../../test/browser.ts";

describe.skipIf(chromium === undefined)("why in a browser", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  let session: string;
  beforeAll(async () => {
    console = await openConsole();
    session = await console.world.start("demo");
    await console.world.say(session, "deploy it");
  }, 120_000);
  afterAll(() => console?.close());

  async function denial() {
    const { events } = await console.world.client.call("GET /api/events", { query: { session, denied: "true" } });
    const [event] = events;
    if (event?.type !== "call" || event.decision.kind !== "deny") throw new Error("nothing was denied");
    return event.decision;
  }

  it("WH-1 a denial shows its rule, the required and the existing evidence, the next step, and what was in force", async () => {
    const decision = await denial();
    const page = await console.open(`/why/${decision.id}`);
    await page.getByRole("heading", { name: `Why ${decision.id}` }).waitFor();
    const happened = page.getByRole("region", { name: "What happened" });
    await happened.getByRole("link", { name: decision.rule }).waitFor();
    await happened.getByText(decision.reason).waitFor();
    const grounds = page.getByRole("region", { name: "Evidence" });
    for (const text of ["test", "never ran", "proven at that time", "not elevated"])
      await grounds.getByText(text).first().waitFor();
    const { contract } = await console.world.client.call("GET /api/contract");
    await grounds.getByRole("link", { name: `v${contract.version}`, exact: true }).waitFor();
    await happened.getByRole("link", { name: "Replay with a change…" }).waitFor();
    await page.getByRole("link", { name: "Show prompt" }).click();
    await page.waitForURL(`**/prompt?session=${session}&turn=1`);
    await page.getByText("byte for byte").waitFor();
    await page.close();
  });

  it("WH-2 a question is shown with its answer, by its own id or the decision's, and any event is found by its id", async () => {
    const { session: asked, approval } = await console.world.question("why.txt");
    await console.world.client.call("POST /api/approvals/{id}", { params: { id: approval }, body: { answer: "no" } });
    const page = await console.open(`/why/${approval}`);
    await page.getByText("May I write why.txt?").first().waitFor();
    await page.getByRole("region", { name: "Outcome" }).getByText("answered no").waitFor();
    const { events } = await console.world.client.call("GET /api/events", { query: { session: asked, limit: 100 } });
    const message = events.find(({ type }) => type === "message");
    await page.goto(`${console.world.url}/why/${message?.id}`);
    await page.getByRole("region", { name: "What happened" }).getByText("write why.txt: buy milk").waitFor();
    await page.getByRole("link", { name: "Show in timeline" }).click();
    await page.waitForURL(`**/sessions/${asked}?event=*`);
    await page.close();
  });

  it("WH-4 pages show the command that shows the same in a terminal", async () => {
    const { id } = await denial();
    const page = await console.open(`/why/${id}`);
    for (const [path, command] of [
      [`/why/${id}`, `conduct why ${id}`],
      [`/sessions/${session}`, `conduct watch --once --session ${session}`],
      [`/prompt?session=${session}&turn=1`, `conduct prompt show ${session} --turn 1`],
      ["/prompt?agent=demo", "conduct prompt preview --agent demo"],
      ["/contract", "conduct behavior list"],
      ["/contract?tab=history", "conduct behavior history"],
      ["/rules", "conduct rules list"],
      ["/inbox", "conduct review list"],
    ] as const) {
      await page.goto(`${console.world.url}${path}`);
      await page.getByRole("button", { name: `Copy ${command}`, exact: true }).waitFor();
    }
    await page.close();
  });

  it("WH-5 a login link that names a page of the console shows it, and any other address shows the start", async () => {
    const { id } = await denial();
    for (const [to, path] of [
      [`/why/${id}`, `/why/${id}`],
      ["//example.org/", "/"],
      ["https://example.org/", "/"],
    ] as const) {
      const context = await console.browser.newContext();
      const page = await context.newPage();
      const link = await console.world.loginLink("operator");
      await page.goto(link.replace("#code=", `#to=${encodeURIComponent(to)}&code=`));
      await page.waitForSelector("nav");
      expect(new URL(page.url()).pathname).toBe(path);
      expect(page.url().startsWith(console.world.url)).toBe(true);
      await context.close();
    }
  });

  it.each([390, 1280])(
    "WH-3 at %i pixels the why screen is not wider than the screen, and an unknown id is reported",
    async (width) => {
      const page = await console.open("/why/d_none", { width, height: 780, scheme: width === 390 ? "dark" : "light" });
      await page.getByText("There is no decision, approval or event 'd_none'").waitFor();
      expect(await overflowOf(page)).toBe(0);
      await page.goto(`${console.world.url}/why/${(await denial()).id}`);
      await page.getByRole("region", { name: "Evidence" }).waitFor();
      expect(await overflowOf(page)).toBe(0);
      expect(console.errors).toEqual([]);
      await page.close();
    },
  );
});
