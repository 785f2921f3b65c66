import v8 from "@vitest/coverage-v8";
import type { CoverageProviderModule } from "vitest/node";

/** Set for the tests that are measured. */
const isMeasured = process.env.CONDUCT_COVERAGE !== undefined;

/**
 * V8's coverage, in the tests of the layers up to the engine alone. Measured code runs at two thirds of its speed, and what the tests
 * of programs, stores and servers add to the rooms' figures is nothing that the floor should rest on.
 */
const rooms: CoverageProviderModule = {
  getProvider: () => v8.getProvider(),
  startCoverage: (options) => (isMeasured ? v8.startCoverage?.(options) : undefined),
  takeCoverage: (options) => (isMeasured ? v8.takeCoverage?.(options) : undefined),
  stopCoverage: (options) => (isMeasured ? v8.stopCoverage?.(options) : undefined),
};

export default rooms;
