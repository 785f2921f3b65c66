import { describe, it } from "vitest";
import { conformanceSuite } from "../../src/testing/kit/conformance.ts";
import { openAiAgentsDriver } from "./driver.ts";

for (const wire of ["responses", "chat"] as const) {
  conformanceSuite(openAiAgentsDriver(wire), { describe, it, cannot: (title) => it.runIf(false)(title, () => {}) });
}
