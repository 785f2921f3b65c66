import { describe, it } from "vitest";
import { conformanceSuite } from "../../src/testing/kit/conformance.ts";
import { langChainDriver } from "./driver.ts";

conformanceSuite(langChainDriver(), { describe, it, cannot: (title) => it.runIf(false)(title, () => {}) });
