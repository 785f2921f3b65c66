import { describe, it } from "vitest";
import { conformanceSuite } from "../../src/testing/kit/conformance.ts";
import type { RuntimeDriver } from "../../src/testing/kit/driver.ts";

/** Scenarios that mostly wait for a time limit of the runtime: they start first, next to others that need the processor. */
const WAITING = /^(?:failing-hang|approval-unanswered): /;

/** The kit on one driver, several scenarios at a time: each has its own home and processes, so one cannot fail another. */
export function shippedSuite(driver: RuntimeDriver): void {
  const scenarios: { readonly title: string; readonly body: () => Promise<void> }[] = [];
  conformanceSuite(driver, {
    describe: (name, body) =>
      describe(name, () => {
        body();
        const [waiting, others] = [true, false].map((waits) =>
          scenarios.filter(({ title }) => WAITING.test(title) === waits),
        );
        for (const { title, body } of [...(waiting ?? []), ...(others ?? [])]) it.concurrent(title, body);
      }),
    it: (title, body) => scenarios.push({ title, body }),
    cannot: (title) => it.runIf(false)(title, () => {}),
  });
}
