import type { RuntimeDriver } from "./driver.ts";
import { KitFailure } from "./expect.ts";
import type { Scenario } from "./scenario.ts";
import { callScenarios } from "./scenarios-call.ts";
import { messageScenarios } from "./scenarios-message.ts";
import { promptScenarios } from "./scenarios-prompt.ts";
import { resultScenarios } from "./scenarios-result.ts";
import { stopScenarios } from "./scenarios-stop.ts";

/** Every scenario of the kit, in the order of the moments. */
export const scenarios: readonly Scenario[] = [
  ...messageScenarios,
  ...promptScenarios,
  ...callScenarios,
  ...resultScenarios,
  ...stopScenarios,
];

/** The test runner as far as the kit needs it: vitest, jest and node:test all have this. */
export type TestRunner = {
  describe(title: string, body: () => void): void;
  it(title: string, body: () => Promise<void>): void;
  /** Shows a scenario that this runtime cannot run, with the reason in its title; vitest's `it.runIf(false)` does. */
  cannot(title: string): void;
};

/** Why a driver skips a scenario; `undefined` when it runs it. Throws when no reason is given. */
export function skipReason(driver: RuntimeDriver, scenario: Scenario): string | undefined {
  for (const need of scenario.needs) {
    const capability = driver.capabilities[need];
    if (capability === true) continue;
    if (capability.cannot.trim() === "") throw new KitFailure(`${driver.name} cannot do '${need}' and gives no reason`);
    return `${need}: ${capability.cannot}`;
  }
  return undefined;
}

/** Registers the whole kit for one runtime. What its adapter declares impossible is shown with the reason, never left out. */
export function conformanceSuite(driver: RuntimeDriver, runner: TestRunner): void {
  runner.describe(`conformance: ${driver.name}`, () => {
    for (const scenario of scenarios) {
      const reason = skipReason(driver, scenario);
      const title = `${scenario.id}: ${scenario.title}`;
      if (reason === undefined) runner.it(title, () => scenario.run(driver));
      else runner.cannot(`${title} [cannot: ${reason}]`);
    }
  });
}
