import type { Agent } from "../../base/words/agent.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { ToolResult } from "../../base/words/result.ts";
import { CHECKPOINT_INPUT, CHECKPOINTS, checkpointResult } from "./checkpoint.ts";
import { type ReadResultContext, readResult } from "./read-result.ts";

/** A tool as a runtime has to declare it to the model. */
export type ToolDeclaration = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
};

/** A tool that Conduct gives an agent; an adapter hosts it as its runtime hosts tools. */
export type ConductTool = ToolDeclaration & { run(args: JsonObject): Promise<ToolResult> };

/** Every tool that Conduct gives, the same for every agent. */
export const CONDUCT_TOOLS: readonly ToolDeclaration[] = [
  { name: readResult.name, description: readResult.description, inputSchema: readResult.inputSchema },
  ...CHECKPOINTS.map(({ name, description }) => ({ name, description, inputSchema: CHECKPOINT_INPUT })),
];

/** The tools of one session; `agent` and `context` are asked at each call, because agent, budget and window change. */
export function conductTools(agent: () => Agent, context: () => Promise<ReadResultContext>): readonly ConductTool[] {
  return CONDUCT_TOOLS.map((tool) => {
    const checkpoint = CHECKPOINTS.find(({ name }) => name === tool.name);
    return {
      ...tool,
      run: async (args) =>
        checkpoint === undefined ? readResult.run(args, await context()) : checkpointResult(checkpoint, agent()),
    };
  });
}
