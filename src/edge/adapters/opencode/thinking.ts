import { isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Modes } from "../../../base/words/modes.ts";

/** The names under which OpenCode keeps how much a model may think, from least to most. */
const LEVELS = ["minimal", "low", "medium", "high", "xhigh", "max"];

/**
 * The request options of the level that think mode asks for, in the provider's own words; `undefined` leaves them to the person. A
 * level that was named holds, or the nearest that the model has; /think alone asks for some, and takes none away.
 */
export function thinkingOptions(modes: Modes, variants: JsonObject, own: string | undefined): JsonObject | undefined {
  if (!modes.think) return undefined;
  const wanted = LEVELS.indexOf(modes.thinkLevel ?? "medium");
  if (modes.thinkLevel === undefined && LEVELS.indexOf(own ?? "") >= wanted) return undefined;
  const [nearest] = LEVELS.filter((level) => isObject(variants[level])).sort(
    (a, b) => Math.abs(LEVELS.indexOf(a) - wanted) - Math.abs(LEVELS.indexOf(b) - wanted),
  );
  const options = nearest === undefined ? undefined : variants[nearest];
  return isObject(options) ? options : undefined;
}

/** The options with others laid over them, as OpenCode itself lays a level over a model's. */
export function overlaid(options: JsonObject, over: JsonObject): JsonObject {
  const entries = Object.entries(over).map(([name, value]) => {
    const below = options[name];
    return [name, isObject(below) && isObject(value) ? overlaid(below, value) : value] as const;
  });
  return { ...options, ...Object.fromEntries(entries) };
}
