/**
 * Conduct in LangChain and LangGraph: a middleware for `createAgent`, and guarded tools for `ToolNode`.
 * @module langchain
 */

export { langChainCapabilities } from "../capabilities.ts";
export type { Ask, TurnEnd } from "../shared/ask-session.ts";
export type { GuardOptions } from "../shared/framework/agent-moments.ts";
export type { MappedCall, ToolMap } from "../shared/pi/tool-map.ts";
export { type ConductedLangChain, conductLangChain, type LangChainOptions } from "./adapter.ts";
