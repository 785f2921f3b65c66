import type { ToolPolicy } from "../../src/base/words/policy.ts";
import { SequentialDependencyPolicy } from "../../src/behavior/policy/builtin/sequential-dependency-policy.ts";
import { type AgentInput, defineAgent } from "../../src/engine/agent/define-agent.ts";
import type { KitCall } from "../../src/testing/kit/driver.ts";
import type { LocalRun } from "../../src/testing/kit/local-run.ts";
import { type ClaudeCodeOutcome, type ClaudeCodeRunOptions, runKit } from "./in-process.ts";

/** A shell call of the scripted model. */
export const shell = (id: string, command: string): KitCall => ({ id, tool: "shell", args: { command } });
/** Deploying needs a test that succeeded. */
export const release: Partial<AgentInput> = {
  actions: { test: { tool: "shell", command: "sh test.sh" }, deploy: { tool: "shell", command: "sh deploy.sh" } },
  policies: [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })],
};
/** What the release agent runs. */
export const scripts = { "deploy.sh": "echo deployed > deployed.txt; echo deployed", "test.sh": "echo all green" };
/** Every command is a question to a person. */
export const asking: ToolPolicy = {
  name: "careful",
  check: (call) => (call.tool === "shell" ? { kind: "ask", question: "May it run this?" } : { kind: "allow" }),
};

/** One run of an agent made of these parts. */
export function play(
  agent: Partial<AgentInput>,
  run: Partial<LocalRun>,
  more: ClaudeCodeRunOptions = {},
): Promise<ClaudeCodeOutcome> {
  return runKit({ message: "go", script: [], ...run, agent: defineAgent({ name: "kit", ...agent }) }, more);
}

/** How each call ended, in order. */
export function outcomes(outcome: ClaudeCodeOutcome): readonly string[] {
  return outcome.events.flatMap((event) => (event.type === "result" ? [`${event.call} ${event.outcome}`] : []));
}
