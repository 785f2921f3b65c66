import { describe, it } from "vitest";
import { conformanceSuite } from "../../src/testing/kit/conformance.ts";
import { aiSdkDriver } from "./driver.ts";

for (const way of ["generateText", "streamText", "ToolLoopAgent"] as const) {
  conformanceSuite(aiSdkDriver(way), { describe, it, cannot: (title) => it.runIf(false)(title, () => {}) });
}
