import { describe, it } from "vitest";
import { conformanceSuite } from "../../src/testing/kit/conformance.ts";
import { claudeCodeDriver } from "./driver.ts";

conformanceSuite(claudeCodeDriver(), { describe, it, cannot: (title) => it.runIf(false)(title, () => {}) });
