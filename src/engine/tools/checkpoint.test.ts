import { describe, expect, it } from "vitest";
import { SequentialDependencyPolicy } from "../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { type AgentInput, defineAgent } from "../agent/define-agent.ts";
import { CONDUCT_TOOLS, conductTools } from "./conduct-tool.ts";

async function say(name: string, agent: Partial<AgentInput> = {}): Promise<string> {
  const defined = defineAgent({ name: "helper", ...agent });
  const tools = conductTools(
    () => defined,
    () => Promise.reject(new Error("nothing is read")),
  );
  const result = await tools.find((tool) => tool.name === name)?.run({});
  const [part] = result?.parts ?? [];
  return part?.kind === "text" && result?.outcome === "ok" ? part.text : "";
}

describe("checkpoint tools", () => {
  it("CP-1 checkpoint tools are offered next to read_result and take no arguments", () => {
    const names = CONDUCT_TOOLS.map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(["read_result", "verify_context", "review_plan"]);
    for (const tool of CONDUCT_TOOLS.slice(1, 3)) expect(tool.inputSchema).toMatchObject({ properties: {} });
  });

  it("CP-2 checkpoint tools return instructions, and a plan is reviewed against the prerequisites", async () => {
    expect(await say("verify_context")).toContain("what do you only assume?");
    expect(await say("review_plan")).toContain("- none besides your instructions");
    const policies = [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })];
    expect(await say("review_plan", { policies })).toContain("- deploy: only after test");
  });

  it("CP-3 an agent can have its own checkpoint text, with the same placeholders", async () => {
    const checkpoints = { verify_context: "{{agent}}: who asks? {{prerequisites}} {{constructor}}" };
    const text = await say("verify_context", { checkpoints });
    expect(text).toBe("helper: who asks? - none besides your instructions {{constructor}}");
  });
});
