/**
 * Conduct in the OpenAI Agents SDK (`@openai/agents`): guard an `Agent` and its runs.
 * @module openai-agents
 */

export { openAiAgentsCapabilities } from "../capabilities.ts";
export type { Ask, TurnEnd } from "../shared/ask-session.ts";
export type { GuardOptions } from "../shared/framework/agent-moments.ts";
export type { MappedCall, ToolMap } from "../shared/pi/tool-map.ts";
export { type ConductedAgents, type ConductedRun, conductAgents, type OpenAiAgentsOptions } from "./adapter.ts";
