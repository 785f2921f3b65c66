import { isObject } from "../../../base/kernel/json.ts";
import type { ConductTool } from "../../../engine/tools/conduct-tool.ts";
import type { NativeTool } from "./native.ts";
import { blocksOf } from "./translate.ts";

/** Conduct's tool as one of OpenClaw's; like every call it passes the moments `call` and `result`. */
export function asNativeTool(tool: ConductTool): NativeTool {
  return {
    name: tool.name,
    label: tool.name,
    description: tool.description,
    parameters: tool.inputSchema,
    // The prompt names it: it must not have to be searched for.
    catalogMode: "direct-only",
    async execute(_id, params) {
      const { outcome, parts } = await tool.run(isObject(params) ? params : {});
      return { content: blocksOf(parts), details: { status: outcome === "ok" ? "ok" : "error" } };
    },
  };
}
