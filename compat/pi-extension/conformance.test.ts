import { describe, it } from "vitest";
import { scenarios } from "../../src/testing/kit/conformance.ts";
import { shippedSuite } from "../shipped/suite.ts";
import { piExtensionDriver } from "./driver.ts";

shippedSuite(piExtensionDriver());

/** What depends on the wire: ids of calls, where the prompt goes, how a message looks. */
const WIRE = ["prompt-every-request", "call-batch", "message-rewritten", "message-think-level", "result-truncated"];

describe.each(["openai-completions", "openai-responses"] as const)("PE-18 the wire scenarios pass over %s", (api) => {
  const wire = scenarios.filter(({ id }) => WIRE.includes(id));
  it.concurrent.each(wire)("$id: $title", ({ run }) => run(piExtensionDriver({ api })));
});
