import { afterAll, describe, it } from "vitest";
import { conformanceSuite } from "../../src/testing/kit/conformance.ts";
import { acpDriver } from "./driver.ts";

const driver = acpDriver();
conformanceSuite(driver, { describe, it, cannot: (title) => it.runIf(false)(title, () => {}) });
afterAll(() => driver.close?.());
