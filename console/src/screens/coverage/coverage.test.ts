import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CoverageColumn } from "../../../../src/base/words/hosting/capability.ts";
import { chromium, openConsole, overflowOf } from "../../../test/browser.ts";
import { HOSTILE } from "../../../test/world.ts";
import { rowsOf, shownOf } from "./cells.ts";

const column = (capabilities: CoverageColumn["capabilities"]): CoverageColumn => ({
  runtime: "x",
  driver: "x",
  package: "x",
  version: "1",
  run: "2026-11-15",
  capabilities,
});

describe("the cells of the map", () => {
  it.each([
    [{ proven: ["call-deny"] }, "proven", ""],
    [{ impossible: "no hook" }, "impossible", "no hook"],
    [{ failed: ["call-deny"] }, "failed", "its tests failed in the last run"],
    [undefined, "untold", "not tested"],
  ] as const)("CVS-1 the coverage cell %j is classified as %s", (cell, kind, reason) => {
    expect(shownOf(column(cell === undefined ? {} : { deny: cell }), "deny")).toMatchObject({ kind, reason });
  });

  it("CVS-2 a capability without a description is still shown, last", () => {
    expect(rowsOf([column({ brandNew: { proven: [] }, deny: { proven: [] } })])).toEqual(["deny", "brandNew"]);
  });
});

describe.skipIf(chromium === undefined)("the coverage screen", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    console = await openConsole();
  }, 120_000);
  afterAll(() => console?.close());

  it("CVS-3 a capability that is not enforced is shown in red with the runtime's reason and the date of the run", async () => {
    const page = await console.open("/coverage");
    const columns = (await console.world.client.call("GET /api/coverage")).columns;
    const cell = page.getByRole("link", { name: "not enforced: end-turn in codex", exact: true });
    await cell.waitFor();
    const colours = await cell.evaluate((link) => {
      const probe = document.createElement("i");
      probe.style.color = "var(--denied)";
      document.body.append(probe);
      return [getComputedStyle(link).color, getComputedStyle(probe).color];
    });
    expect(colours[0]).toBe(colours[1]);
    const reason = columns.find(({ driver }) => driver === "codex")?.capabilities["end-turn"];
    const told = reason !== undefined && "impossible" in reason ? reason.impossible : "?";
    const gaps = page.getByRole("list", { name: "What is not enforced" });
    await gaps.getByText(told).first().waitFor();
    await page
      .getByRole("columnheader", { name: new RegExp(columns[0]?.run ?? "?") })
      .first()
      .waitFor();
    const proven = columns.flatMap(({ capabilities }) => Object.values(capabilities)).filter((one) => "proven" in one);
    await page.getByText(`${proven.length} proven`).waitFor();
  });

  it("CVS-4 filters are in the URL, a cell opens its details, and the keyboard filters for gaps", async () => {
    const page = await console.open("/coverage");
    await page.getByRole("link", { name: "proven: deny in codex", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/coverage?runtime=codex&capability=deny");
    await page.getByRole("list", { name: "Scenarios of deny in codex" }).getByText("call-deny").first().waitFor();
    await page.getByRole("searchbox", { name: "Capability" }).fill("");
    await page.getByRole("row", { name: /^think-level/ }).waitFor();
    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("e");
    await page.getByRole("row", { name: /^deny/ }).waitFor({ state: "hidden" });
    expect(page.url()).toContain("open=not");
  });

  it("CVS-5 hostile names in the coverage map stay text, and without a run the page explains how to start one", async () => {
    const page = await console.open("/why/none");
    await page.route("**/api/coverage", (route) =>
      route.fulfill({ json: { columns: [{ ...column({ deny: { impossible: HOSTILE } }), driver: HOSTILE }] } }),
    );
    await page.getByRole("link", { name: "Coverage" }).click();
    await page.getByText("RLO").first().waitFor();
    expect(await page.locator("main img, main b").count()).toBe(0);
    await page.unroute("**/api/coverage");
    const empty = await console.open("/why/none");
    await empty.route("**/api/coverage", (route) => route.fulfill({ json: { columns: [] } }));
    await empty.getByRole("link", { name: "Coverage" }).click();
    await empty.getByText("No runtime tested yet").waitFor();
  });

  it.each(["light", "dark"] as const)(
    "CVS-6 on a phone in %s the coverage screen is not wider than the screen",
    async (scheme) => {
      const page = await console.open("/coverage", { width: 390, height: 780, scheme });
      await page.getByRole("list", { name: "What is not enforced" }).waitFor();
      expect(await overflowOf(page)).toBe(0);
      expect(console.errors).toEqual([]);
    },
  );
});
