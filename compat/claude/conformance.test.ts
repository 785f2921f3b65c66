import { describe, it } from "vitest";
import { conformanceSuite } from "../../src/testing/kit/conformance.ts";
import { claudeDriver } from "./driver.ts";

conformanceSuite(claudeDriver(), { describe, it, cannot: (title) => it.runIf(false)(title, () => {}) });
