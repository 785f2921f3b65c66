import { expect, it } from "vitest";
import { loadTold } from "../src/edge/adapters/loop/told-config.ts";
import { toldSuite } from "../src/edge/adapters/loop/told-suite.ts";
import { capabilityOf } from "../src/testing/kit/conformance.ts";
import { toldIn } from "../src/testing/kit/expect.ts";
import { chosenDrivers } from "./drivers.ts";

const chosen = await chosenDrivers();

/** In its usual way: how else a runtime can be run changes nothing of what the agent is told. */
for (const one of chosen) {
  if ("leftOut" in one) it.runIf(false)(`told: ${one.name} [${one.leftOut}]`, () => {});
  for (const driver of "drivers" in one ? one.drivers.slice(0, 1) : []) {
    const can = capabilityOf(driver, "prompt");
    if (can === true) toldSuite(driver);
    else it.runIf(false)(`told: ${driver.name} [cannot: ${can.cannot}]`, () => {});
  }
}

// Of the others the kit asks it where they say that they can; Claude compacts when a person types it.
const claude = chosen.flatMap((one) => ("drivers" in one ? one.drivers : [])).find(({ name }) => name === "claude");
it.runIf(claude !== undefined)("TOLD-6 claude: after a compaction everything is in the bytes again", async () => {
  if (claude === undefined) throw new Error("there is no driver for claude");
  const { agent, ports } = await loadTold("local/rules");
  const { events, requests } = await claude.run({
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
});
