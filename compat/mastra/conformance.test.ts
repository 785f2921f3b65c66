import { describe, it } from "vitest";
import { conformanceSuite } from "../../src/testing/kit/conformance.ts";
import { mastraDriver } from "./driver.ts";

for (const way of ["generate", "stream"] as const) {
  conformanceSuite(mastraDriver(way), { describe, it, cannot: (title) => it.runIf(false)(title, () => {}) });
}
