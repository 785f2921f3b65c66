import { Agent, type AgentTool } from "@earendil-works/pi-agent-core";
import { Type } from "@earendil-works/pi-ai";
import { streamSimple } from "@earendil-works/pi-ai/compat";
import { expect, it } from "vitest";
import { SequentialDependencyPolicy } from "../../src/behavior/policy/builtin/sequential-dependency-policy.ts";
import { conductPi } from "../../src/edge/adapters/pi/adapter.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import type { KitReply } from "../../src/testing/kit/driver.ts";
import { resultOf } from "../../src/testing/kit/expect.ts";
import { agentTools } from "./agent-tools.ts";
import { runPi } from "./driver.ts";

const release = defineAgent({
  name: "release",
  sections: [{ heading: "Task", content: "Marker BELOW-9C." }],
  actions: { test: { tool: "shell", command: "sh test.sh" }, deploy: { tool: "shell", command: "sh deploy.sh" } },
  policies: [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })],
});
const files = { "deploy.sh": "echo deployed > deployed.txt", "test.sh": "echo all green" };
const shell = (id: string, command: string): KitReply => ({ calls: [{ id, tool: "shell", args: { command } }] });

it("an agent that a tool starts under session.child() is told the same and held to the same; what it proves is its own", async () => {
  const outcome = await runPi(
    {
      agent: release,
      message: "have it deployed",
      files,
      script: [
        shell("call_1", "hand it down"),
        shell("sub_1", "sh deploy.sh"),
        shell("sub_2", "sh test.sh"),
        { text: "Tested." },
        shell("call_2", "sh deploy.sh"),
        { text: "No." },
      ],
    },
    {
      async drive({ agent, session }, { message }, { workspace }) {
        const tools = agentTools(workspace);
        const task: AgentTool = {
          name: "bash",
          label: "bash",
          description: "A command, or a hand.",
          parameters: Type.Object({ command: Type.String() }),
          async execute(id, args, signal) {
            const { command } = args as { command: string };
            const own = tools.find(({ name }) => name === "bash");
            if (command !== "hand it down" && own !== undefined) return own.execute(id, args, signal);
            const { model } = agent.state;
            const below = new Agent({
              streamFn: (...given) => streamSimple(...given),
              getApiKey: () => "none",
              initialState: { model, tools },
            });
            const { text } = await conductPi(below, await session.child("below")).prompt("deploy it");
            return { content: [{ type: "text", text }], details: undefined };
          },
        };
        agent.state.tools = agent.state.tools.map((tool) => (tool.name === "bash" ? task : tool));
        await agent.prompt(message);
        return { status: "complete", text: "", notes: [], debug: [] };
      },
    },
  );
  expect(resultOf(outcome, "sub_1")).toContain("requires: test");
  expect(resultOf(outcome, "sub_2")).toContain("all green");
  expect(resultOf(outcome, "call_2")).toContain("requires: test");
  expect(outcome.file("deployed.txt")).toBeUndefined();
  for (const { raw } of outcome.requests) expect(raw).toContain("BELOW-9C");
  const below = outcome.events.flatMap((event) => (event.type === "call" && event.parent ? [event.call.id] : []));
  expect(below).toEqual(["sub_1", "sub_2"]);
});

it("in shadow Conduct brings no tools along", async () => {
  const outcome = await runPi({
    agent: release,
    message: "go",
    session: { enforcement: "shadow" },
    script: [{ text: "Hi." }],
  });
  expect(outcome.requests[0]?.raw).not.toContain("read_result");
});
