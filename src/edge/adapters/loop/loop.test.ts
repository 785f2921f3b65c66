import { describe, it } from "vitest";
import { conformanceSuite } from "../../../testing/kit/conformance.ts";
import { loopDriver } from "./driver.ts";

conformanceSuite(loopDriver(), { describe, it, cannot: (title) => it.runIf(false)(title, () => {}) });
