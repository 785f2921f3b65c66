import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loginCodeIn } from "../src/app/paste-link.tsx";
import { chromium, openConsole } from "./browser.ts";

describe("a pasted login link", () => {
  it.each([
    ["http://127.0.0.1:4870/login#code=cl_abc-D_9", "cl_abc-D_9"],
    ["  cl_abc \n", "cl_abc"],
    ["http://127.0.0.1:4870/login", undefined],
    ["ct_token", undefined],
    ["xcl_abc", undefined],
    ["", undefined],
  ])("SIA-1 the pasted login link %j has the code %s", (text, code) => {
    expect(loginCodeIn(text)).toBe(code);
  });
});

describe.skipIf(chromium === undefined)("a login that ends while somebody works", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    console = await openConsole();
  }, 120_000);
  afterAll(() => console?.close());

  let people = 0;
  /** A page of somebody new, whose login can be ended without ending others'. */
  async function open(path: string) {
    const as = `person${people++}`;
    await console.world.person(as, "operator");
    const page = await console.open(path, { as });
    const revoke = async () => {
      const { users } = console.world.stores;
      for (const { hash, kind } of await users.keysOf(as)) if (kind === "cookie") await users.takeKey(hash);
    };
    const notice = page.getByRole("dialog", { name: "Sign in again" });
    const signIn = async () => {
      await notice.getByRole("textbox", { name: "Login link or code" }).fill(await console.world.loginLink(as));
      await notice.getByRole("button", { name: "Sign in" }).click();
      await expect.poll(() => notice.count()).toBe(0);
    };
    return { as, page, revoke, notice, signIn };
  }
  const message = (page: Page) => page.getByRole("textbox", { name: "Message" });

  it("SIA-2 a message rejected because the login ended stays in the field, and is sent after signing in", async () => {
    const { page, revoke, notice, signIn } = await open("/chat");
    await message(page).fill("hello from before");
    await revoke();
    await page.getByRole("button", { name: "Send" }).click();
    await notice.getByText("conduct gateway login").waitFor();
    await signIn();
    expect(await message(page).inputValue()).toBe("hello from before");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("log").getByText("hello from before").first().waitFor();
    await expect.poll(() => message(page).inputValue()).toBe("");
    await page.close();
  });

  it("SIA-3 a directive in the editor stays when the login ends, and is added after signing in", async () => {
    const { page, revoke, notice, signIn } = await open("/contract");
    await page.getByRole("button", { name: "New directive" }).first().click();
    const editor = page.getByRole("dialog", { name: "New directive" });
    await editor.getByRole("textbox", { name: "Text" }).fill("answers in two languages");
    await expect.poll(() => editor.getByRole("button", { name: /^Add/ }).last().isEnabled()).toBe(true);
    await revoke();
    await editor.getByRole("button", { name: /^Add/ }).last().click();
    await notice.waitFor();
    await signIn();
    expect(await editor.getByRole("textbox", { name: "Text" }).inputValue()).toBe("answers in two languages");
    await expect.poll(() => editor.getByRole("button", { name: /^Add/ }).last().isEnabled()).toBe(true);
    await editor.getByRole("button", { name: /^Add/ }).last().click();
    await expect.poll(() => editor.count()).toBe(0);
    const { contract } = await console.world.client.call("GET /api/contract");
    expect(contract.directives.map(({ text }) => text)).toContain("answers in two languages");
    await page.close();
  });

  it("SIA-4 a changed definition stays when the login ends, and is saved after signing in", async () => {
    const { page, revoke, notice, signIn } = await open("/agents/clerk");
    const form = page.getByRole("form", { name: "Definition of clerk" });
    const field = form.getByRole("textbox", { name: "Vibe" });
    await field.fill("patient and exact");
    const reason = form.getByRole("textbox", { name: /^(Reason|Why)/ });
    await reason.fill("people asked for it");
    await revoke();
    await form.getByRole("button", { name: /^Save/ }).click();
    await notice.waitFor();
    await signIn();
    expect([await field.inputValue(), await reason.inputValue()]).toEqual(["patient and exact", "people asked for it"]);
    await form.getByRole("button", { name: /^Save/ }).click();
    await expect
      .poll(
        async () => (await console.world.client.call("GET /api/agents/{name}", { params: { name: "clerk" } })).identity,
      )
      .toMatchObject({ vibe: "patient and exact" });
    await page.close();
  });

  it("SIA-5 an unsent message survives a reload after the login ends, and signing out deletes it", async () => {
    const { as, page, revoke } = await open("/chat");
    await message(page).fill("kept over a reload");
    await revoke();
    await page.reload();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.getByRole("textbox", { name: "Login link or code" }).fill(await console.world.loginLink(as));
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await message(page).waitFor();
    await expect.poll(() => message(page).inputValue()).toBe("kept over a reload");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(
      await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith("conduct draft"))),
    ).toEqual([]);
    await page.close();
  });

  it("SIA-6 the login link may be opened in another tab, and another person does not get the unsent text", async () => {
    const { as, page, revoke, notice } = await open("/chat");
    await message(page).fill("mine alone");
    await revoke();
    await page.getByRole("button", { name: "Send" }).click();
    await notice.waitFor();
    const other = await page.context().newPage();
    await other.goto(await console.world.loginLink(as));
    await other.waitForSelector("nav");
    await other.close();
    await notice.getByRole("button", { name: "Check login" }).click();
    await expect.poll(() => notice.count()).toBe(0);
    expect(await message(page).inputValue()).toBe("mine alone");
    await revoke();
    await page.getByRole("button", { name: "Send" }).click();
    await notice.waitFor();
    await console.world.person("stranger", "operator");
    await notice.getByRole("textbox").fill(await console.world.loginLink("stranger"));
    await notice.getByRole("button", { name: "Sign in" }).click();
    await expect.poll(() => notice.count()).toBe(0);
    await message(page).waitFor();
    expect(await message(page).inputValue()).toBe("");
    await page.close();
  });
});
