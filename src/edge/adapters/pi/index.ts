export { type ConductedPi, conductPi, type PiOptions, type PiTurn } from "./adapter.ts";
export { piCapabilities } from "./capabilities.ts";
export type { Ask, Question } from "./decide.ts";
export type { TurnEnd } from "./moments.ts";
export { type MappedCall, piToolMap, type ToolMap } from "./tool-map.ts";
