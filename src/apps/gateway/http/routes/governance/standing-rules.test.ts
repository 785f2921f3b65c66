import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpWorld } from "../../../test/test-http.ts";

let world: Awaited<ReturnType<typeof httpWorld>>;
let olga: Awaited<ReturnType<(typeof world)["person"]>>;
beforeAll(async () => {
  world = await httpWorld();
  olga = await world.person("olga", "operator");
});
afterAll(() => world.close());

async function ask(method: string, path: string, body?: unknown) {
  const response = await fetch(`${world.gateway.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${olga.secret}`, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return {
    status: response.status,
    body: (await response.json()) as { readonly directive?: { readonly id: string } } & Record<string, unknown>,
  };
}

describe("standing rules over the API", () => {
  it("HRD-30: a directive becomes a rule by dry run, shadow mode, enforcement and removal; invalid steps are explained", async () => {
    const { body: added } = await ask("POST", "/api/contract/directives", {
      type: "start",
      text: "the tests before deploying",
    });
    const from = added.directive?.id ?? "";
    const shown = await ask("POST", "/api/rules/standing?dryRun=true", { from, first: "test", later: "deploy" });
    expect(shown).toMatchObject({
      status: 201,
      body: { dryRun: true, rule: { id: "test-before-deploy", text: expect.stringContaining("on: deploy") } },
    });
    expect(await ask("GET", "/api/rules/standing")).toMatchObject({ body: { rules: [] } });
    expect(await ask("POST", "/api/rules/standing", { from, first: "nosuch", later: "deploy" })).toMatchObject({
      status: 422,
      body: { code: "NO_TOOL_ORDER" },
    });
    expect(await ask("POST", "/api/rules/standing", {})).toMatchObject({
      status: 422,
      body: { code: "MISSING_DIRECTIVE_ID" },
    });
    expect(await ask("POST", "/api/rules/standing", { from: "d_x" })).toMatchObject({ status: 404 });
    expect(await ask("POST", "/api/rules/standing", { text: "rules: [" })).toMatchObject({
      status: 422,
      body: { code: "INVALID_RULE" },
    });
    expect(await ask("POST", "/api/rules/standing", { from, first: "test", later: "deploy" })).toMatchObject({
      status: 201,
      body: { rule: { status: "shadow" } },
    });
    expect(await ask("POST", "/api/rules/standing", { from, first: "test", later: "deploy" })).toMatchObject({
      status: 409,
      body: { code: "RULE_EXISTS" },
    });
    expect(await ask("POST", "/api/rules/standing/test-before-deploy/enforce")).toMatchObject({
      body: { rule: { status: "enforced" } },
    });
    expect(await ask("GET", "/api/rules/standing")).toMatchObject({
      body: { rules: [{ id: "test-before-deploy", status: "enforced", count: { wouldHaveBlocked: 0 } }] },
    });
    expect(
      await ask("POST", "/api/rules/standing/test-before-deploy/shadow", { until: "2001-01-01T00:00:00Z" }),
    ).toMatchObject({ status: 409, body: { code: "INVALID_TIME" } });
    expect(await ask("POST", "/api/rules/standing/test-before-deploy/shadow", {})).toMatchObject({
      body: { rule: { status: "shadow" } },
    });
    expect(await ask("DELETE", "/api/rules/standing/test-before-deploy")).toMatchObject({ status: 200 });
    expect(await ask("DELETE", "/api/rules/standing/test-before-deploy")).toMatchObject({
      status: 404,
      body: { code: "RULE_NOT_FOUND" },
    });
  });
});
