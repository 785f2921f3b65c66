import { afterAll, expect, it } from "vitest";
import { loadTold } from "../src/edge/adapters/test/prompt-config.ts";
import { toldSuite } from "../src/edge/adapters/test/prompt-suite.ts";
import { capabilityOf } from "../src/testing/kit/conformance.ts";
import { toldIn } from "../src/testing/kit/expect.ts";
import { chosenDrivers } from "./drivers.ts";

const chosen = await chosenDrivers();

for (const one of chosen) {
  if ("leftOut" in one) {
    it.runIf(false)(`told: ${one.name} [${one.leftOut}]`, () => {});
    continue;
  }
  const can = capabilityOf(one.driver, "prompt");
  if (can === true) toldSuite(one.driver);
  else it.runIf(false)(`told: ${one.driver.name} [cannot: ${can.cannot}]`, () => {});
}
afterAll(() => Promise.all(chosen.map((one) => ("driver" in one ? one.driver.close?.() : undefined))));

// Of the others the kit asks it where they say that they can; Claude compacts when a person types it.
const claude = chosen.find(({ name }) => name === "claude");
it.runIf(claude !== undefined)(
  "TOLD-6 claude: after a compaction the next request contains the whole prompt again",
  async () => {
    if (claude === undefined || "leftOut" in claude) throw new Error("there is no driver for claude");
    const { agent, ports } = await loadTold("local/rules");
    const { events, requests } = await claude.driver.run({
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
