/**
 * Conduct in Mastra: a processor and tool hooks for `new Agent`.
 * @module mastra
 */

export { mastraCapabilities } from "../capabilities.ts";
export type { Ask, TurnEnd } from "../shared/ask-session.ts";
export type { GuardOptions } from "../shared/framework/agent-moments.ts";
export type { MappedCall, ToolMap } from "../shared/pi/tool-map.ts";
export { type ConductedMastra, conductMastra, type MastraOptions } from "./adapter.ts";
