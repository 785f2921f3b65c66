import { describe, it } from "vitest";
import { conformanceSuite, scenarios } from "../../src/testing/kit/conformance.ts";
import { piExtensionDriver } from "./driver.ts";

conformanceSuite(piExtensionDriver(), { describe, it, cannot: (title) => it.runIf(false)(title, () => {}) });

/** What depends on the wire: ids of calls, where the prompt goes, how a message looks. */
const WIRE = ["prompt-every-request", "call-batch", "message-rewritten", "message-think-level", "result-truncated"];

describe.each(["openai-completions", "openai-responses"] as const)("PE-18 the wire scenarios pass over %s", (api) => {
  it.each(scenarios.filter(({ id }) => WIRE.includes(id)))("$id: $title", ({ run }) => run(piExtensionDriver({ api })));
});
