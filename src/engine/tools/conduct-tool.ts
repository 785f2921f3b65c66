import type { Agent } from "../../base/words/agent.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { ToolResult } from "../../base/words/result.ts";
import { CHECKPOINT_INPUT, CHECKPOINTS, checkpointResult } from "./checkpoint.ts";
import { readMemory } from "./read-memory.ts";
import { type ReadResultContext, readResult } from "./read-result.ts";
import { saveMemory } from "./save-memory.ts";
import { updateInstructions } from "./update-instructions.ts";
import { ownerOf, type UserContext } from "./user-context.ts";

/** A tool as a runtime has to declare it to the model. */
export type ToolDeclaration = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Whether it changes anything that outlasts the call. */
  readonly access: "read" | "write";
};

/** A tool that Conduct gives an agent; an adapter hosts it as its runtime hosts tools. */
export type ConductTool = ToolDeclaration & { run(args: JsonObject): Promise<ToolResult> };

type Run = (args: JsonObject) => Promise<ToolResult>;

/** Every tool that Conduct may give, the same for every agent. */
export const CONDUCT_TOOLS: readonly ToolDeclaration[] = [
  declare(readResult),
  ...CHECKPOINTS.map((checkpoint) => declare({ ...checkpoint, inputSchema: CHECKPOINT_INPUT, access: "read" })),
  ...[updateInstructions, readMemory, saveMemory].map(declare),
];

/**
 * The tools of one session. What they work with is asked at each call, because agent, budget and window change. Those of
 * a user are given where there is one, and a store for them.
 */
export function conductTools(
  agent: () => Agent,
  context: () => Promise<ReadResultContext>,
  user?: () => UserContext,
): readonly ConductTool[] {
  const runs = new Map<string, Run>([[readResult.name, async (args) => readResult.run(args, await context())]]);
  for (const checkpoint of CHECKPOINTS) {
    runs.set(checkpoint.name, async () => checkpointResult(checkpoint, agent()));
  }
  for (const [name, run] of user === undefined ? [] : userRuns(user, context)) runs.set(name, run);
  return CONDUCT_TOOLS.flatMap((tool) => {
    const run = runs.get(tool.name);
    return run === undefined ? [] : [{ ...tool, run }];
  });
}

function userRuns(user: () => UserContext, context: () => Promise<ReadResultContext>): readonly [string, Run][] {
  const now = user();
  if (ownerOf(now) === undefined) return [];
  const { instructions, memory } = now;
  const runs: [string, Run][] = [];
  if (instructions !== undefined) runs.push([updateInstructions.name, (args) => updateInstructions.run(args, user())]);
  if (memory !== undefined) runs.push([saveMemory.name, (args) => saveMemory.run(args, user())]);
  if (runs.length > 0) runs.push([readMemory.name, async (args) => readMemory.run(args, user(), await context())]);
  return runs;
}

function declare({ name, description, inputSchema, access }: ToolDeclaration): ToolDeclaration {
  return { name, description, inputSchema, access };
}
