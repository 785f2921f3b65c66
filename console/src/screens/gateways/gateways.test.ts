import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromium, openConsole, overflowOf, unnamedControls } from "../../../test/browser.ts";

let opened: Awaited<ReturnType<typeof openConsole>>;
beforeAll(async () => {
  if (chromium === undefined) return;
  opened = await openConsole();
});
afterAll(() => opened?.close());

const SELF = "11111111-1111-4111-8111-111111111111";
const gateway = (id: string, more: object = {}) => ({
  ...{ id, host: "machine-one", pid: 42, version: "0.1.0", since: Date.now(), url: `http://10.0.0.1:8080/${id[0]}` },
  ...{ draining: false, running: 0, silentMs: 300, owns: [] as string[], redis: true },
  ...more,
});

describe.skipIf(chromium === undefined)("gateways in the browser", () => {
  it("GWS-1 one gateway on SQLite is told so, and Ctrl K opens the screen", async () => {
    const page = await opened.open("/");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Search pages/ }).fill("gatew");
    await page.getByRole("option", { name: /Gateways/ }).click();
    await page.waitForURL("**/gateways");
    await page.getByRole("heading", { name: "One gateway" }).waitFor();
    expect(await page.getByText("CONDUCT_STORE").count()).toBe(1);
    await page.close();
  });

  it("GWS-2 each gateway is shown with its state, turns and conversations, also on a phone", async () => {
    const page = await opened.open("/users");
    await page.route("**/api/replicas", (route) =>
      route.fulfill({
        json: {
          self: SELF,
          replicas: [
            gateway(SELF, { running: 2, owns: ["s_one", "s_two", "conduct:telegram"] }),
            gateway("22222222", { draining: true, redis: false }),
            gateway("33333333", { silentMs: 5_400 }),
          ],
        },
      }),
    );
    await page.goto(`${opened.world.url}/gateways`);
    const rows = page.getByRole("table", { name: "Gateways" }).getByRole("row");
    await expect.poll(() => rows.count()).toBe(4);
    expect(await rows.nth(1).textContent()).toMatch(/this one.*running.*2.*s_one.*s_two.*Redis/);
    expect(await rows.nth(1).textContent()).not.toContain("conduct:telegram");
    expect(await rows.nth(2).textContent()).toMatch(/shutting down.*no conversation.*PostgreSQL/);
    expect(await rows.nth(3).textContent()).toContain("silent for 5 s");
    expect(await rows.nth(1).getByRole("link", { name: "s_two" }).getAttribute("href")).toBe("/sessions/s_two");
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await overflowOf(page)).toBe(0);
    expect(await unnamedControls(page)).toEqual([]);
    await page.close();
  });
});
