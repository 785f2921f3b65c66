import type { Can, Capability } from "../../base/words/hosting/capability.ts";
import type { KitFailing, RuntimeDriver } from "./driver.ts";
import { check, checkContains, checkLacks, decisionsOn, KitFailure, resultOf, stops } from "./expect.ts";
import { approvalScenarios } from "./scenarios/approval.ts";
import { beyondScenarios } from "./scenarios/beyond.ts";
import { callScenarios } from "./scenarios/call.ts";
import { messageScenarios } from "./scenarios/message.ts";
import { promptScenarios } from "./scenarios/prompt.ts";
import { resultScenarios } from "./scenarios/result.ts";
import { commands, configOf, numberedLines, releaseConfig, type Scenario, shell } from "./scenarios/scenario.ts";
import { stopScenarios } from "./scenarios/stop.ts";
import { toldScenarios } from "./scenarios/told.ts";

const files = { "run.sh": "echo ran > ran.txt; echo it ran" };
const run = { calls: [shell("call_1", "sh run.sh")] };

/** A call of an agent without rules, so only the failure can have blocked it. */
async function playFailing(driver: RuntimeDriver, failing: KitFailing): Promise<void> {
  const outcome = await driver.run({
    config: configOf("plain"),
    message: "run it",
    files,
    failing,
    script: [run, { text: "It did not run." }],
  });
  check(outcome.file("ran.txt") === undefined, "the call ran, although nobody had decided on it");
  const text = resultOf(outcome, "call_1");
  checkContains(text, "Conduct", "what the model is told of the blocked call");
  check(!text.includes("it ran"), "the model was given the output of a call that must not run");
}

function policyPlugin(policy: string): string {
  return `export default { name: "broken", setup: (api) => void api.registerPolicy(${policy}) };\n`;
}

/** Policies that never decide, by name. */
const BROKEN: { readonly [name: string]: string } = {
  throwing: policyPlugin('{ name: "throwing", check() { throw new Error("the policy is broken"); } }'),
  hanging: policyPlugin('{ name: "hanging", gather: () => new Promise(() => {}), check: () => ({ kind: "allow" }) }'),
};

/** A call that cannot be decided does not run. */
const failingScenarios: readonly Scenario[] = [
  {
    id: "failing-policy",
    title: "a policy that throws, or waits for ever, denies, and the model is told which",
    needs: ["deny"],
    async run(driver) {
      const config = configOf("broken", { limits: { gather: "100ms" } });
      for (const [name, plugin] of Object.entries(BROKEN)) {
        const outcome = await driver.run({ config, plugin, message: "run it", files, script: [run, { text: "No." }] });
        check(decisionsOn(outcome, "call_1").join() === "deny", `${name}: the call was not denied`);
        checkContains(resultOf(outcome, "call_1"), name, "the result of the denied call");
        check(outcome.file("ran.txt") === undefined, `${name}: the denied command ran all the same`);
      }
    },
  },
  {
    id: "failing-crash",
    title: "when Conduct fails at a call, the call does not run and the model is told why",
    needs: ["fail-closed"],
    run: (driver) => playFailing(driver, "crash"),
  },
  {
    id: "failing-hang",
    title: "when Conduct never answers, the call does not run and the model is told why",
    needs: ["fail-closed"],
    run: (driver) => playFailing(driver, "hang"),
  },
  {
    id: "failing-gone",
    title: "when there is nobody to ask, the call does not run and the model is told why",
    needs: ["no-daemon"],
    run: (driver) => playFailing(driver, "gone"),
  },
];

/** Each text, denial, truncation and refusal has a unique marker. */
const strict = releaseConfig({
  soul: "SHADOW-SOUL",
  sections: [{ heading: "Task", content: "SHADOW-SECTION" }],
  feedback: [{ static: "SHADOW-FEEDBACK", every: { calls: 1 } }],
  completion: { files: ["shadow-report.md"] },
  limits: { window: 2_000 },
});

const NEVER = ["SHADOW-", "GATEWAY_BEHAVIOR_CONTRACT", "requires: test", "Output truncated", "shadow-report.md"];

const shadowScenarios: readonly Scenario[] = [
  {
    id: "shadow-notices-nothing",
    title:
      "a session in shadow: the model is sent what it would be without Conduct, and all that would have been is on record",
    needs: ["shadow"],
    async run(driver) {
      const message = "/think:high /verbose deploy it, and keep  this";
      const outcome = await driver.run({
        config: strict,
        window: 2_000,
        shadow: true,
        message,
        files: { "deploy.sh": "echo deployed > deployed.txt; cat big.txt", "big.txt": numberedLines(300) },
        script: commands("sh deploy.sh"),
      });
      check(outcome.requests.length === 2, `two model requests expected, ${outcome.requests.length} seen`);
      for (const { raw } of outcome.requests) for (const mark of NEVER) checkLacks(raw, mark, "a model request");
      checkContains(outcome.requests[0]?.lastUserText ?? "", message, "what the model was sent");
      checkLacks(outcome.requests[0]?.raw ?? "", "Think step-by-step", "a model request");
      check(outcome.file("deployed.txt") !== undefined, `in shadow the call runs: ${resultOf(outcome, "call_1")}`);
      for (const line of ["line 1: ", "line 150: ", "line 300: "])
        checkContains(resultOf(outcome, "call_1").replace(/\\n/g, "\n"), line, "the result");
      check(outcome.shown.join("") === "", `the person was shown: ${outcome.shown.join(" / ")}`);
      const calls = outcome.events.flatMap((event) => (event.type === "call" ? [event] : []));
      check(
        calls.length === 1 && calls[0]?.shadows?.[0]?.code === "missing-prerequisite",
        `what would have been denied is not on record: ${JSON.stringify(calls.map(({ shadows }) => shadows))}`,
      );
      check(
        stops(outcome).join() === "refused",
        `the stop that would have been refused is recorded as ${stops(outcome)}`,
      );
      const enforced = outcome.events.filter(({ observing }) => observing !== "shadow");
      check(enforced.length === 0, `events that say nothing of shadow: ${enforced.map(({ type }) => type).join()}`);
    },
  },
];

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

/** The part of a test runner that the kit needs; vitest, jest and node:test all have it. */
export type TestRunner = {
  /** Groups tests, as in vitest. */
  describe(title: string, body: () => void): void;
  /** Declares a test, as in vitest. */
  it(title: string, body: () => Promise<void>): void;
  /**
   * Reports a scenario that this runtime cannot run, with the reason in its title; for example vitest's
   * `it.runIf(false)`.
   */
  cannot(title: string): void;
};

/** A driver's statement on a capability; one that it does not list counts as not proven. */
export function capabilityOf({ capabilities }: Pick<RuntimeDriver, "capabilities">, name: Capability): Can {
  return capabilities[name] ?? { cannot: "not proven yet" };
}

/** Why a driver skips a scenario; `undefined` if it runs. Throws if the driver gives no reason. */
export function skipReason(driver: RuntimeDriver, scenario: Scenario): string | undefined {
  for (const need of scenario.needs) {
    const capability = capabilityOf(driver, need);
    if (capability === true) continue;
    if (capability.cannot.trim() === "") throw new KitFailure(`${driver.name} cannot do '${need}' and gives no reason`);
    return `${need}: ${capability.cannot}`;
  }
  return undefined;
}

/**
 * Registers the whole kit for one runtime. Scenarios that the adapter declares impossible are reported with the
 * reason.
 */
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
