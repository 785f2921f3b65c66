import { isObject } from "../../base/kernel/json.ts";
import type { Json } from "../../base/words/json.ts";

/** Is it one, as it was kept? What it says is read again, so that nothing is kept that could not be said. */
export function isCheck(value: Json | undefined): boolean {
  if (!isObject(value)) return false;
  const { kind, holds, first, later, unit, atMost, atLeast, withinMs } = value;
  const count = (one: Json | undefined) => one === undefined || (Number.isSafeInteger(one) && Number(one) >= 0);
  switch (kind) {
    case "reply":
      return typeof holds === "string";
    case "order":
      return typeof first === "string" && typeof later === "string";
    case "length":
      return ["words", "characters", "lines"].includes(String(unit)) && count(atMost) && count(atLeast);
    case "cadence":
      return count(atMost) && count(atLeast) && (withinMs === undefined || typeof withinMs === "number");
    default:
      return false;
  }
}
