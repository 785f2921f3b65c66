import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUILT_IN_POLICIES } from "../../../../../behavior/policy/builtin/built-in-policies.ts";
import { CompiledAgent } from "../../../../../engine/agent/compiled-agent.ts";
import { defineAgent } from "../../../../../engine/agent/define-agent.ts";
import { httpWorld } from "../../../test/test-http.ts";

const RULES = [
  { pack: "packs/coding", level: "gentle" },
  { id: "own-one", on: "fetch" },
];
const DEFINITION = { tools: [{ name: "fetch" }], rules: RULES };
let world: Awaited<ReturnType<typeof httpWorld>>;
let olga: Awaited<ReturnType<(typeof world)["person"]>>["client"];
beforeAll(async () => {
  world = await httpWorld();
  olga = (await world.person("olga", "operator")).client;
  await olga.call("PUT /api/agents/{name}", {
    params: { name: "desk" },
    body: { definition: DEFINITION, after: 0, reason: "first" },
  });
});
afterAll(() => world.close());

const rulesOf = async (id: string) => (await olga.call("GET /api/rules/all")).rules.filter((one) => one.id === id);
const edit = (rule: string, change: { kind: "shadow" | "enforce" } | { kind: "exempt"; when: string }) =>
  olga.call("POST /api/rules/edit", { body: { agent: "desk", rule, edit: change, reason: "trying" } });
const definition = async () =>
  (await olga.call("GET /api/agents/{name}", { params: { name: "desk" } })).definition?.rules;

describe("one list of rules over the API", () => {
  it("RUL-4 shared, own, pack and built-in rules are in one list, each with its source and its counts", async () => {
    await olga.call("POST /api/rules/standing", {
      body: { text: "rules:\n  - { id: no-build, on: build, effect: deny }\n" },
    });
    const session = (await olga.call("POST /api/sessions", { body: { agent: "demo" } })).id;
    const say = { params: { id: session }, query: { wait: "true" }, body: { text: "deploy it" } } as const;
    await olga.call("POST /api/sessions/{id}/messages", say);
    const [shared] = await rulesOf("no-build");
    expect(shared).toMatchObject({ kind: "shared", status: "shadow", does: "on build · deny", editable: true });
    expect(shared?.count).toMatchObject({ blocked: 0, asked: 0 });
    expect(shared?.count.wouldHaveBlocked).toBeGreaterThan(0);
    expect(await rulesOf("own-one")).toMatchObject([{ kind: "agent", agents: ["desk"], effect: "deny" }]);
    expect((await rulesOf("own-one"))[0]).not.toHaveProperty("place");
    const [packed] = await rulesOf("publish-asks");
    expect(packed).toMatchObject({ kind: "file", agents: ["desk"], place: { file: "packs/coding/rules.yaml" } });
    const [policy] = await rulesOf("deploy-needs-proof");
    expect(policy).toMatchObject({ kind: "policy", agents: ["demo"], editable: false });
    expect(policy?.count.blocked).toBeGreaterThan(0);
    expect(policy?.count.examples[0]).toMatchObject({ session });
    expect(await rulesOf("builtin:workspace")).toMatchObject([{ kind: "built-in", editable: false }]);
  });

  it("RUL-5 every built-in policy of an agent is described in the list", () => {
    const names = new CompiledAgent(defineAgent({ name: "a" }), []).allPolicies.map(({ name }) => name);
    // The requirements' findings have a name of their own.
    const spoken = names.map((name) => (name === "builtin:requirements" ? "requirement" : name));
    expect(Object.keys(BUILT_IN_POLICIES)).toEqual(expect.arrayContaining(spoken));
  });

  it("RUL-6 the cases next to a pack are run for one rule", async () => {
    const query = { rule: "no-force-push", agent: "desk", file: "packs/coding/rules.yaml" };
    const { file, cases } = await olga.call("GET /api/rules/cases", { query });
    expect(file).toBe("packs/coding/cases.yaml");
    expect(cases.length).toBeGreaterThan(0);
    expect(cases.filter(({ failure }) => failure !== undefined)).toEqual([]);
    const none = await olga.call("GET /api/rules/cases", { query: { rule: "x", file: "/etc/passwd" } });
    expect(none).toEqual({ cases: [] });
  });

  it("RUL-7 a pack rule goes into shadow mode and back, and calls are exempt, each as a version with its author", async () => {
    await edit("publish-asks", { kind: "shadow" });
    expect(await rulesOf("publish-asks")).toMatchObject([{ status: "shadow", effect: "shadow" }]);
    await edit("publish-asks", { kind: "exempt", when: 'args.command == "npm publish --dry-run"' });
    await edit("publish-asks", { kind: "exempt", when: "false" });
    const except = { "publish-asks": '(args.command == "npm publish --dry-run") || (false)' };
    expect(await definition()).toEqual([{ ...RULES[0], shadow: ["publish-asks"], except }, RULES[1]]);
    await edit("publish-asks", { kind: "enforce" });
    expect(await definition()).toEqual([{ ...RULES[0], except }, RULES[1]]);
    expect((await rulesOf("publish-asks"))[0]?.text).toContain("--dry-run");
    const { versions } = await olga.call("GET /api/agents/{name}/versions", { params: { name: "desk" } });
    expect(versions[0]).toMatchObject({ by: "olga", reason: "trying", version: 5 });
  });

  it("RUL-8 an agent's own rule goes into shadow mode, and a rule outside the definition is refused", async () => {
    await edit("own-one", { kind: "shadow" });
    expect(await rulesOf("own-one")).toMatchObject([{ status: "shadow" }]);
    await edit("own-one", { kind: "enforce" });
    expect(await rulesOf("own-one")).toMatchObject([{ status: "enforced", effect: "deny" }]);
    await expect(edit("builtin:workspace", { kind: "shadow" })).rejects.toMatchObject({ code: "RULE_NOT_EDITABLE" });
    await expect(edit("own-one", { kind: "exempt", when: "args." })).rejects.toMatchObject({ code: "AGENT_INVALID" });
  });
});
