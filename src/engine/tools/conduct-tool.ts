import type { JsonObject } from "../../base/words/json.ts";
import type { ToolResult } from "../../base/words/result.ts";
import { type ReadResultContext, readResult } from "./read-result.ts";

/** A tool that Conduct gives an agent; an adapter hosts it as its runtime hosts tools. */
export type ConductTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  run(args: JsonObject): Promise<ToolResult>;
};

/** The tools of one session; `context` is asked at each call, because budget and window change. */
export function conductTools(context: () => Promise<ReadResultContext>): readonly ConductTool[] {
  const { name, description, inputSchema } = readResult;
  return [{ name, description, inputSchema, run: async (args) => readResult.run(args, await context()) }];
}
