import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromium, openConsole, overflowOf } from "../../../test/browser.ts";

describe.skipIf(chromium === undefined)("the System screen", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    console = await openConsole();
    await console.world.person("vic", "viewer");
  }, 120_000);
  afterAll(() => console?.close());

  it("SYS-1 shows the store, the sandbox and the channels, and how to turn a channel on", async () => {
    const page = await console.open("/system");
    const health = page.getByRole("region", { name: "Health" });
    await health.getByText("SQLite on this machine").waitFor();
    expect(await health.getByText("Events are deleted after 30 days.").count()).toBe(1);
    expect(await health.getByRole("row", { name: /sandbox/ }).count()).toBe(1);
    const channels = page.getByRole("region", { name: "Channels" });
    expect(await channels.getByText("Set SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET to turn it on.").count()).toBe(1);
    expect(await page.getByText("No receivers yet").count()).toBe(1);
  });

  it("SYS-2 lists the schedules of all agents, and turns one off", async () => {
    const page = await console.open("/system");
    const schedules = page.getByRole("region", { name: "Schedules" });
    const row = schedules.getByRole("row", { name: /Morning digest/ });
    await row.getByRole("link", { name: "clerk" }).waitFor();
    await row.getByRole("button", { name: "enabled: Morning digest" }).click();
    await row.getByRole("button", { name: "enabled: Morning digest" }).getByText("off").waitFor();
    await expect
      .poll(async () => (await console.world.client.call("GET /api/schedules")).schedules.map(({ enabled }) => enabled))
      .toEqual([false]);
  });

  it("SYS-3 a viewer sees no schedules, and a phone needs no sideways scrolling", async () => {
    const page = await console.open("/system", { as: "vic" });
    await page.getByRole("region", { name: "Channels" }).waitFor();
    expect(await page.getByRole("region", { name: "Schedules" }).count()).toBe(0);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflowOf(page)).toBe(0);
  });
});
