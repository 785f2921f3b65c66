import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpWorld } from "../../../test/test-http.ts";

const DEFINITION = {
  tools: [{ name: "fetch" }, { name: "login" }],
  actions: { tested: { tool: "shell", command: "npm test *" } },
  rules: ["packs/support-desk", { id: "own-one", on: "fetch", require: { call: "login", within: "10m" } }],
};
let world: Awaited<ReturnType<typeof httpWorld>>;
let olga: Awaited<ReturnType<(typeof world)["person"]>>["client"];
let vic: typeof olga;
beforeAll(async () => {
  world = await httpWorld();
  olga = (await world.person("olga", "operator")).client;
  vic = (await world.person("vic", "viewer")).client;
});
afterAll(() => world.close());

describe("rules over the API", () => {
  it("RUL-1 the API returns each agent's rules with text and location, own rules as a file for operators, and known names", async () => {
    await olga.call("PUT /api/agents/{name}", {
      params: { name: "desk" },
      body: { definition: DEFINITION, after: 0, reason: "first" },
    });
    const { agents, known } = await olga.call("GET /api/rules");
    const desk = agents.find(({ agent }) => agent === "desk");
    const own = desk?.rules.find(({ id }) => id === "own-one");
    expect(own).toMatchObject({ effect: "deny", does: "on fetch · needs login within 10m · deny" });
    expect(own).not.toHaveProperty("place");
    const packed = desk?.rules.find(({ id }) => id !== "own-one");
    expect(packed?.place?.file).toMatch(/support-desk.rules\.yaml$/);
    expect(packed?.text).toContain(`id: ${packed?.id}`);
    expect(desk?.own).toContain("own-one");
    expect(desk?.own).not.toContain(String(packed?.id));
    expect(agents.find(({ agent }) => agent === "demo")).toMatchObject({
      version: 0,
      own: "",
      rules: [],
      policies: expect.arrayContaining(["deploy-needs-proof"]),
    });
    expect(known).toEqual(expect.arrayContaining(["deploy", "fetch", "tested"]));
    const seen = await vic.call("GET /api/rules");
    expect(seen.agents.every((one) => one.own === undefined)).toBe(true);
  });

  it("RUL-2 a valid rule file is also returned as JSON that fits into an agent's definition", async () => {
    const { agents } = await olga.call("GET /api/rules");
    const text = agents.find(({ agent }) => agent === "desk")?.own ?? "";
    const checked = await olga.call("POST /api/rules/check", { body: { text } });
    expect(checked.written).toEqual({ actions: DEFINITION.actions, rules: [DEFINITION.rules[1]] });
    const faulty = await olga.call("POST /api/rules/check", { body: { text: "rules:\n  - { id: x, onn: y }\n" } });
    expect(faulty).not.toHaveProperty("written");
    expect(faulty.faults[0]).toMatchObject({ line: 2 });
  });

  it("RUL-3 a name that an agent declares causes no warning, and an unknown one does", async () => {
    const warningsOf = async (on: string) => {
      const text = `rules:\n  - { id: x, on: ${on} }\n`;
      return (await olga.call("POST /api/rules/check", { body: { text } })).warnings.map(({ line }) => line);
    };
    expect(await warningsOf("build")).toEqual([]);
    expect(await warningsOf("biuld")).toEqual([2]);
  });
});
