/**
 * Conduct in the AI SDK (`ai`): guard `generateText`, `streamText` and `ToolLoopAgent`.
 * @module ai-sdk
 */

export { aiSdkCapabilities } from "../capabilities.ts";
export type { Ask, TurnEnd } from "../shared/ask-session.ts";
export type { GuardOptions } from "../shared/framework/agent-moments.ts";
export type { MappedCall, ToolMap } from "../shared/pi/tool-map.ts";
export { type AiSdkOptions, type ConductedAiSdk, conductAiSdk } from "./adapter.ts";
