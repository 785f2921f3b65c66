import { expect, it } from "vitest";
import { loadTold } from "../src/edge/adapters/loop/told-config.ts";
import { toldSuite } from "../src/edge/adapters/loop/told-suite.ts";
import { toldIn } from "../src/testing/kit/expect.ts";
import { claudeDriver } from "./claude/driver.ts";
import { codexDriver } from "./codex/driver.ts";
import { piDriver } from "./pi/driver.ts";

for (const driver of [piDriver(), claudeDriver(), codexDriver()]) toldSuite(driver);

// Pi and Codex are made to compact in tests of their own: pi/turns.test.ts, codex/codex.test.ts.
it("TOLD-6 claude: after a compaction everything is in the bytes again", async () => {
  const { agent, ports } = await loadTold("local/rules");
  const { events, requests } = await claudeDriver().run({
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
