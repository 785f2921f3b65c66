import type { AgentTool } from "@earendil-works/pi-agent-core";
import type { SystemMessage } from "@earendil-works/pi-ai";
import type { JsonObject } from "../../../base/words/json.ts";
import type { ConductTool } from "../../../engine/tools/conduct-tool.ts";
import { contentOf } from "./translate.ts";

/** Conduct's tool as one of Pi's; like every call of Pi's it passes the moments `call` and `result`. */
export function asAgentTool(tool: ConductTool): AgentTool {
  return {
    name: tool.name,
    label: tool.name,
    description: tool.description,
    parameters: tool.inputSchema,
    async execute(_id, params) {
      const { outcome, parts } = await tool.run(params as JsonObject);
      const content = contentOf(parts);
      // In Pi a tool that fails throws.
      if (outcome !== "ok")
        throw new Error(content.map((block) => (block.type === "text" ? block.text : "")).join("\n"));
      return { content, details: undefined };
    },
  };
}

/** The head of a transcript that also declares these tools. */
export function withTools(head: SystemMessage, tools: readonly AgentTool[]): SystemMessage {
  const declared = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return { ...head, toolsAdded: [...(head.toolsAdded ?? []), ...declared] };
}
