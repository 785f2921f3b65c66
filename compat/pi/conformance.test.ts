import { describe, it } from "vitest";
import { conformanceSuite } from "../../src/testing/kit/conformance.ts";
import { piDriver } from "./driver.ts";

for (const api of ["anthropic-messages", "openai-completions", "openai-responses"] as const) {
  conformanceSuite(piDriver({ api }), { describe, it, cannot: (title) => it.runIf(false)(title, () => {}) });
}
