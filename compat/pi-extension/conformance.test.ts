import { describe, it } from "vitest";
import { conformanceSuite } from "../../src/testing/kit/conformance.ts";
import { piExtensionDriver } from "./driver.ts";

conformanceSuite(piExtensionDriver(), { describe, it, cannot: (title) => it.runIf(false)(title, () => {}) });
