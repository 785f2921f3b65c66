import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromium, openConsole, overflowOf, unnamedControls } from "../../../test/browser.ts";
import { HOSTILE } from "../../../test/world.ts";

let opened: Awaited<ReturnType<typeof openConsole>>;
beforeAll(async () => {
  if (chromium === undefined) return;
  opened = await openConsole();
});
afterAll(() => opened?.close());

/** Each try has a user of its own. */
let count = 0;
const newId = () => `nina${count++}`;

describe.skipIf(chromium === undefined)("users and keys in the browser", () => {
  it("USC-1 an operator creates a user, and changes the role, time zone and Telegram ID", async () => {
    const id = newId();
    const page = await opened.open("/users");
    await page.getByRole("button", { name: "New user" }).click();
    await page.getByLabel("ID").fill(id);
    await page.getByLabel("Name").fill(`Nina ${id}`);
    await page.getByRole("button", { name: "Create user" }).click();
    await page.waitForURL(`**/users/${id}`);
    await page.getByLabel("Role").selectOption("viewer");
    await page.getByLabel("Time zone").fill("Europe/Paris");
    await page.getByLabel("Telegram ID").fill("-4");
    await page.getByRole("button", { name: "Save user" }).click();
    await page.getByText("A Telegram ID is a positive whole number.").waitFor();
    await page.getByLabel("Telegram ID").fill(String(50_000 + count));
    await page.getByRole("button", { name: "Save user" }).click();
    await page.getByText("User saved").waitFor();
    expect(await opened.world.stores.users.read(id)).toMatchObject({
      role: "viewer",
      zone: "Europe/Paris",
      telegram: 50_000 + count,
    });
    await page.close();
  });

  it("USC-2 a token is shown once, works, and stops working when it is revoked", async () => {
    const id = newId();
    await opened.world.client.call("POST /api/users", { body: { id, name: HOSTILE.slice(0, 90), role: "user" } });
    const page = await opened.open(`/users/${id}`);
    await page.getByRole("button", { name: "New token…" }).click();
    await page.getByLabel("Label").fill("build server");
    await page.getByRole("button", { name: "Create token" }).click();
    const token = (await page.locator("pre.secret").textContent()) ?? "";
    const me = async () =>
      (await fetch(`${opened.world.url}/api/me`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await me()).toBe(200);
    await page.getByRole("button", { name: "Close", exact: true }).last().click();
    const row = page.getByRole("row", { name: /build server/ });
    await row.getByRole("button", { name: "Revoke…" }).click();
    await page.getByRole("button", { name: "Revoke key" }).click();
    await row.waitFor({ state: "detached" });
    expect(await me()).toBe(401);
    await page.close();
  });

  it("USC-3 only operators have the screen; it fits a phone, and every control has a name", async () => {
    const id = newId();
    await opened.world.person(id, "viewer");
    const other = await opened.open("/users", { as: id });
    await other.getByText("This page does not exist").waitFor();
    await other.close();
    const page = await opened.open(`/users/${id}`, { width: 390 });
    await page.getByRole("heading", { name: "Keys" }).waitFor();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await unnamedControls(page)).toEqual([]);
    await page.close();
  });

  it("USC-4 the search dialog opens a user and the form of a new agent", async () => {
    const id = newId();
    await opened.world.client.call("POST /api/users", { body: { id, name: `Omar ${id}`, role: "user" } });
    const page = await opened.open("/agents");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Search/ }).fill(`omar ${id}`);
    await page.getByRole("option", { name: `Omar ${id}` }).click();
    await page.waitForURL(`**/users/${id}`);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Search/ }).fill("new agent");
    await page.getByRole("option", { name: /^New agent/ }).click();
    await page.getByRole("dialog", { name: "New agent" }).waitFor();
    await page.close();
  });
});
