import { afterAll, expect, it } from "vitest";
import { loadTold } from "../src/edge/adapters/test/prompt-config.ts";
import { toldSuite } from "../src/edge/adapters/test/prompt-suite.ts";
import { capabilityOf } from "../src/testing/kit/conformance.ts";
import type { RuntimeDriver } from "../src/testing/kit/driver.ts";
import { toldIn } from "../src/testing/kit/expect.ts";
import type { LocalDriver } from "../src/testing/kit/local-run.ts";
import { chosenDrivers } from "./drivers.ts";

const chosen = await chosenDrivers();

function isLocal(driver: RuntimeDriver): driver is LocalDriver {
  return "runLocal" in driver;
}

for (const one of chosen) {
  if ("leftOut" in one) {
    it.runIf(false)(`told: ${one.name} [${one.leftOut}]`, () => {});
    continue;
  }
  const can = capabilityOf(one.driver, "prompt");
  // Tells its story in a developer's options, such as a clock: the kit proves the prompt of the programs that are shipped.
  if (!isLocal(one.driver)) it.runIf(false)(`told: ${one.driver.name} [set up by a user, see prompt-told]`, () => {});
  else if (can === true) toldSuite(one.driver);
  else it.runIf(false)(`told: ${one.driver.name} [cannot: ${can.cannot}]`, () => {});
}
afterAll(() => Promise.all(chosen.map((one) => ("driver" in one ? one.driver.close?.() : undefined))));

// Of the others the kit asks it where they say that they can; Claude compacts when a person types it.
const claude = chosen.find(({ name }) => name === "claude");
it.runIf(claude !== undefined)(
  "TOLD-6 claude: after a compaction the next request contains the whole prompt again",
  async () => {
    if (claude === undefined || "leftOut" in claude || !isLocal(claude.driver))
      throw new Error("there is no driver for claude");
    const { agent, ports } = await loadTold("local/rules");
    const { events, requests } = await claude.driver.runLocal({
      agent,
      ports,
      message: "go",
      further: ["/compact", "/think again"],
      script: [{ text: "Done." }, { text: "Done again." }],
    });
    expect(events.some((event) => event.type === "notice" && event.notice.kind === "compacted")).toBe(true);
    const told = requests.map(toldIn).at(-1) ?? "";
    for (const part of ["You are Ada", "<section=orders>", "<untagged>", "Think step-by-step", "## Current Time"])
      expect(told).toContain(part);
  },
);
