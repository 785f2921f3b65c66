import { asObject } from "../../base/kernel/json.ts";
import type { JsonObject } from "../../base/words/json.ts";

/** How much a request asks the model to think, in the words of its wire: an effort, a budget in tokens, or `off`. */
export function thinkingAsked(body: JsonObject): string | undefined {
  const thinking = asObject(body.thinking);
  if (thinking.type === "disabled") return "off";
  const effort = asObject(body.output_config).effort ?? asObject(body.reasoning).effort ?? body.reasoning_effort;
  const asked = effort ?? thinking.budget_tokens;
  return typeof asked === "string" || typeof asked === "number" ? String(asked) : undefined;
}
