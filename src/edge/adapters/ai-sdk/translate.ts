import type { JsonObject } from "../../../base/words/json.ts";
import { shownText } from "../../../behavior/results/result-text.ts";
import type { ConductTool } from "../../../engine/tools/conduct-tool.ts";
import type { AiSdk, AiTool, ApprovalRequest, ApprovalStatus, Instructions, Settings } from "./native.ts";

/** The application's own instructions, then Conduct's prompt. */
export function withPrompt(own: Instructions | undefined, prompt: string): Instructions | undefined {
  if (prompt === "") return own;
  if (own === undefined || own === "") return prompt;
  if (typeof own === "string") return `${own}\n\n${prompt}`;
  return [...("role" in own ? [own] : own), { role: "system", content: prompt }];
}

/** `provider/id` of a model; a plain string is a model of the AI gateway. */
export function modelName(model: unknown): string | undefined {
  if (typeof model === "string") return model;
  const { provider, modelId } = (model ?? {}) as { readonly provider?: string; readonly modelId?: string };
  return modelId === undefined ? undefined : [provider, modelId].filter(Boolean).join("/");
}

/** The finish reason in the terms that checkers use for every runtime. */
export function stopReason(finishReason: string): string {
  const names: Readonly<Record<string, string>> = { stop: "end_turn", length: "max_tokens" };
  return names[finishReason] ?? finishReason;
}

/**
 * What the application itself says about a call. A function for all tools takes the place of every tool's
 * `needsApproval`, and Conduct sets one, so `needsApproval` is asked here.
 */
export async function ownStatus({ toolApproval, tools }: Settings, asked: ApprovalRequest): Promise<ApprovalStatus> {
  if (typeof toolApproval === "function") return toolApproval(asked);
  const { toolCall, messages, runtimeContext, toolsContext } = asked;
  const { toolName, toolCallId, input } = toolCall;
  const context = toolsContext?.[toolName];
  const own = ownOf(toolApproval, toolName);
  if (typeof own === "function") return own(input, { toolCallId, messages, toolContext: context, runtimeContext });
  if (own !== undefined) return own;
  const needs = ownOf(tools, toolName)?.needsApproval;
  const isNeeded = typeof needs === "function" ? await needs(input, { toolCallId, messages, context }) : needs;
  return isNeeded === true ? "user-approval" : undefined;
}

/** Whether Conduct need not be asked yet: the application denies the call, or a person decides first. */
export function isHeld(status: ApprovalStatus): boolean {
  const type = typeof status === "string" ? status : status?.type;
  return type === "denied" || type === "user-approval";
}

/** Conduct's tool as one of the AI SDK's. A failure throws, as tools there do. */
export function asAiTool(tool: ConductTool, sdk: AiSdk): AiTool {
  return {
    description: tool.description,
    inputSchema: sdk.jsonSchema(tool.inputSchema),
    async execute(input: unknown) {
      const { outcome, parts } = await tool.run(input as JsonObject);
      if (outcome !== "ok") throw new Error(shownText(parts));
      return shownText(parts);
    },
  } as AiTool;
}

function ownOf<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
