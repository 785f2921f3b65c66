import { describe, it } from "vitest";
import { conformanceSuite } from "../../src/testing/kit/conformance.ts";
import { codexDriver } from "./driver.ts";

conformanceSuite(codexDriver(), { describe, it });
conformanceSuite(codexDriver({ codeMode: true }), { describe, it });
