import { describe, it } from "vitest";
import { conformanceSuite } from "../../src/testing/kit/conformance.ts";
import { codexDriver } from "./driver.ts";

conformanceSuite(codexDriver(), { describe, it, cannot: (title) => it.runIf(false)(title, () => {}) });
