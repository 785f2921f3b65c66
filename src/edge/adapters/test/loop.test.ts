import { describe, it } from "vitest";
import { conformanceSuite } from "../../../testing/kit/conformance.ts";
import { loopDriver } from "./loop-driver.ts";

for (const remote of [false, true]) {
  conformanceSuite(loopDriver({ remote }), { describe, it, cannot: (title) => it.runIf(false)(title, () => {}) });
}
