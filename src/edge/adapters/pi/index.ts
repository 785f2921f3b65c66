/**
 * Conduct in pi-agent-core: guard an `Agent`.
 * @module pi
 */

export type { Question } from "../../../base/words/decision.ts";
export { piCapabilities } from "../capabilities.ts";
export type { Ask, TurnEnd } from "../shared/ask-session.ts";
export { type MappedCall, piToolMap, type ToolMap } from "../shared/pi/tool-map.ts";
export { type ConductedPi, conductPi, type PiOptions, type PiTurn } from "./adapter.ts";
