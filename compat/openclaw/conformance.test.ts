import { afterAll, describe, it } from "vitest";
import { conformanceSuite } from "../../src/testing/kit/conformance.ts";
import { openclawDriver } from "./driver.ts";

const driver = openclawDriver();
afterAll(() => driver.close());

conformanceSuite(driver, { describe, it, cannot: (title) => it.runIf(false)(title, () => {}) });
