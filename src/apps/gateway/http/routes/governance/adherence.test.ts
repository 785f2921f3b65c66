import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpWorld } from "../../../test/test-http.ts";

let world: Awaited<ReturnType<typeof httpWorld>>;
beforeAll(async () => {
  world = await httpWorld();
});
afterAll(() => world.close());

describe("adherence over the API", () => {
  it("ADH-30: a directive added with a check is measured in the chat's next turns; marks and checks can be set", async () => {
    const { secret } = await world.person("olga", "operator");
    const ask = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${world.gateway.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Record<string, never> };
    };
    const draft = { type: "less", text: "words", check: "length: at most 10000 words" };
    const added = await ask("POST", "/api/contract/directives", draft);
    const { id } = added.body.directive as unknown as { id: string };
    expect(await ask("POST", "/api/contract/directives", { ...draft, text: "x", check: "reply: (" })).toMatchObject({
      status: 409,
      body: { code: "INVALID_CHECK" },
    });
    expect(await ask("POST", `/api/contract/directives/${id}/mark`, { mark: "helpful" })).toMatchObject({
      status: 200,
    });
    const said = await ask("POST", "/api/sessions", { agent: "demo" });
    const { id: conversation } = said.body as unknown as { id: string };
    const sent = await ask("POST", `/api/sessions/${conversation}/messages`, { text: "hello" });
    expect(sent.status).toBeLessThan(300);
    await expect
      .poll(async () => (await ask("GET", `/api/adherence?directive=${id}`)).body, { timeout: 20_000 })
      .toMatchObject({
        rows: [{ id, inForce: 1, followed: 1, violated: 0, by: draft.check }],
        tallies: [{ directive: id, helpful: 1, harmful: 0 }],
      });
    expect(await ask("PUT", `/api/contract/directives/${id}/check`, {})).toMatchObject({ status: 200 });
    expect((await ask("GET", "/api/contract")).body).not.toMatchObject({ all: [{ check: expect.anything() }] });
  });
});
