import { afterAll, describe, it } from "vitest";
import { conformanceSuite } from "../../src/testing/kit/conformance.ts";
import { opencodeDriver, opencodeRunDriver } from "./driver.ts";

for (const driver of [opencodeDriver(), opencodeRunDriver()]) {
  conformanceSuite(driver, { describe, it, cannot: (title) => it.runIf(false)(title, () => {}) });
  afterAll(() => driver.close?.());
}
