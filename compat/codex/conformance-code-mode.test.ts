import { describe, it } from "vitest";
import { conformanceSuite } from "../../src/testing/kit/conformance.ts";
import { codexDriver } from "./driver.ts";

const driver = codexDriver({ codeMode: true });
conformanceSuite(driver, { describe, it, cannot: (title) => it.runIf(false)(title, () => {}) });
