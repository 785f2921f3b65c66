import { expect, it } from "vitest";
import type { JsonObject } from "../../../base/words/json.ts";
import { thinkingAsked } from "./request-kind.ts";

/** As the runtimes really send it. */
it.each<[string, JsonObject, string | undefined]>([
  ["Claude by effort", { thinking: { type: "adaptive" }, output_config: { effort: "high" } }, "high"],
  ["Claude by budget", { thinking: { type: "enabled", budget_tokens: 4000 } }, "4000"],
  ["Claude without", { thinking: { type: "disabled" }, output_config: { effort: "high" } }, "off"],
  ["Responses", { reasoning: { effort: "low", context: "all_turns" } }, "low"],
  ["Chat", { reasoning_effort: "minimal" }, "minimal"],
  ["nothing said", { model: "x" }, undefined],
])("MS-T1 the requested thinking level is read from the request: %s", (_name, body, asked) => {
  expect(thinkingAsked(body)).toBe(asked);
});
