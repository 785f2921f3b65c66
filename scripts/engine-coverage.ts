import v8 from "@vitest/coverage-v8";
import type { CoverageProviderModule } from "vitest/node";

/** Set for the measured tests. */
const isMeasured = process.env.CONDUCT_COVERAGE !== undefined;

/**
 * V8 coverage only for the tests of the layers up to the engine. Measured code runs at two thirds of its speed, and
 * the coverage floor should not depend on tests of programs, stores and servers.
 */
const engineCoverage: CoverageProviderModule = {
  getProvider: () => v8.getProvider(),
  startCoverage: (options) => (isMeasured ? v8.startCoverage?.(options) : undefined),
  takeCoverage: (options) => (isMeasured ? v8.takeCoverage?.(options) : undefined),
  stopCoverage: (options) => (isMeasured ? v8.stopCoverage?.(options) : undefined),
};

export default engineCoverage;
