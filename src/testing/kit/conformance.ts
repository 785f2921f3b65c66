import type { Can, Capability, RuntimeDriver } from "./driver.ts";
import { KitFailure } from "./expect.ts";
import type { Scenario } from "./scenario.ts";
import { approvalScenarios } from "./scenarios-approval.ts";
import { beyondScenarios } from "./scenarios-beyond.ts";
import { callScenarios } from "./scenarios-call.ts";
import { failingScenarios } from "./scenarios-failing.ts";
import { messageScenarios } from "./scenarios-message.ts";
import { promptScenarios } from "./scenarios-prompt.ts";
import { resultScenarios } from "./scenarios-result.ts";
import { shadowScenarios } from "./scenarios-shadow.ts";
import { stopScenarios } from "./scenarios-stop.ts";
import { toldScenarios } from "./scenarios-told.ts";

/** Every scenario of the kit, in the order of the moments. */
export const scenarios: readonly Scenario[] = [
  ...messageScenarios,
  ...promptScenarios,
  ...toldScenarios,
  ...callScenarios,
  ...approvalScenarios,
  ...beyondScenarios,
  ...failingScenarios,
  ...resultScenarios,
  ...stopScenarios,
  ...shadowScenarios,
];

/** The test runner as far as the kit needs it: vitest, jest and node:test all have this. */
export type TestRunner = {
  describe(title: string, body: () => void): void;
  it(title: string, body: () => Promise<void>): void;
  /** Shows a scenario that this runtime cannot run, with the reason in its title; vitest's `it.runIf(false)` does. */
  cannot(title: string): void;
};

/** What a driver says of a capability; of one that it does not speak of, that it is not proven. */
export function capabilityOf({ capabilities }: Pick<RuntimeDriver, "capabilities">, name: Capability): Can {
  return capabilities[name] ?? { cannot: "not proven yet" };
}

/** Why a driver skips a scenario; `undefined` when it runs it. Throws when no reason is given. */
export function skipReason(driver: RuntimeDriver, scenario: Scenario): string | undefined {
  for (const need of scenario.needs) {
    const capability = capabilityOf(driver, need);
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
