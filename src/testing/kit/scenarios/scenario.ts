import type { Capability, RuntimeDriver } from "../driver.ts";

/** One behaviour that every adapter must show, or say why its runtime cannot. Throws a `KitFailure`. */
export type Scenario = {
  readonly id: string;
  readonly title: string;
  readonly needs: readonly Capability[];
  run(driver: RuntimeDriver): Promise<void>;
};
