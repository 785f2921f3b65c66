import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { Capabilities, CoverageColumn } from "../src/base/words/hosting/capability.ts";
import * as adapters from "../src/edge/adapters/capabilities.ts";
import { loopDriver } from "../src/edge/adapters/test/loop-driver.ts";
import { scenarios } from "../src/testing/kit/conformance.ts";
import { BESIDE_KIT, CAPABILITIES, type Coverage, columnOf, mergeCoverage, unprovenClaims } from "./coverage.ts";
import { renderCoverage } from "./coverage-page.ts";

const root = resolve(import.meta.dirname, "..");
const about = { runtime: "loop", package: "scripted", version: "1.0.0", run: "2026-11-15" };
const loop = loopDriver();
/** What adapters claim, by driver or runtime. The MCP proxy has no model for the kit to script; its own tests prove it. */
const CLAIMS: { readonly [driver: string]: Capabilities } = {
  acp: adapters.acpCapabilities,
  "ai-sdk": adapters.aiSdkCapabilities,
  claude: adapters.claudeCapabilities,
  "claude-code": adapters.claudeCodeCapabilities,
  codex: adapters.codexCapabilities,
  "codex in code mode": adapters.codexCodeModeCapabilities,
  copilot: adapters.copilotCapabilities,
  gemini: adapters.geminiCapabilities,
  langchain: adapters.langChainCapabilities,
  mastra: adapters.mastraCapabilities,
  "openai-agents": adapters.openAiAgentsCapabilities,
  openclaw: adapters.openclawCapabilities,
  opencode: adapters.opencodeCapabilities,
  "opencode run": adapters.opencodeRunCapabilities,
  pi: adapters.piCapabilities,
  "pi-extension": adapters.piExtensionCapabilities,
};

/** A run of the loop's kit in which these did not pass. */
function results(...failed: readonly string[]) {
  return scenarios.map(({ id, title }) => ({
    ancestorTitles: ["", `conformance: ${loop.name}`],
    title: `${id}: ${title}`,
    status: failed.includes(id) ? "failed" : "passed",
  }));
}

function same(driver: string, what: string, status: string) {
  return { ancestorTitles: ["", `same-decisions: ${what}`], title: driver, status };
}

describe("what a run has shown", () => {
  it("CV-1 a capability is proven if all scenarios that need it passed", () => {
    const { capabilities } = columnOf(loop, about, results());
    expect(Object.keys(capabilities)).toEqual([...CAPABILITIES]);
    expect(capabilities.batch).toEqual({ proven: ["call-batch"] });
    expect(capabilities["no-daemon"]).toEqual({ impossible: "Conduct runs in the same process" });
  });

  it("CV-2 if one scenario is missing, every capability that it proves is marked as failed", () => {
    for (const { id, needs } of scenarios) {
      if (needs.includes("no-daemon")) continue;
      const { capabilities } = columnOf(loop, about, results(id));
      for (const need of needs) expect(capabilities[need]).toEqual({ failed: [id] });
    }
  });

  it("CV-3 a scenario that did not run proves nothing, and neither does a scenario of another driver", () => {
    const { capabilities } = columnOf({ ...loop, name: "another" }, about, results());
    expect(capabilities.batch).toEqual({ failed: ["call-batch"] });
  });

  it("CV-4 a capability that a driver does not mention is neither proven nor impossible", () => {
    const { shadow: _shadow, ...spokenOf } = loop.capabilities;
    const column = columnOf({ ...loop, capabilities: spokenOf }, about, results());
    expect(column.capabilities).not.toHaveProperty("shadow");
    expect(unprovenClaims(spokenOf, column)).toEqual([]);
    expect(unprovenClaims(loop.capabilities, column)).toEqual(["shadow is claimed and not proven"]);
    expect(unprovenClaims({ ...spokenOf, shadow: { cannot: "no way to watch" } }, column)).toHaveLength(1);
  });

  it("CV-5 a claim is marked as failed if no scenario can check it because each needs another missing capability", () => {
    const driver = { ...loop, capabilities: { ...loop.capabilities, truncate: { cannot: "no hook" } } };
    const { capabilities } = columnOf(driver, about, results());
    expect(capabilities["read-result"]).toEqual({ failed: ["no scenario that needs it can run here"] });
  });

  it.each([
    { tests: [], cell: undefined },
    { tests: [same(loop.name, "a", "passed"), same("pi", "a", "failed")], cell: { proven: ["same-decisions: a"] } },
    {
      tests: [same(loop.name, "a", "passed"), same(loop.name, "b", "failed")],
      cell: { failed: ["same-decisions: b"] },
    },
    {
      tests: [same(loop.name, "a", "passed"), same(`${loop.name} [cannot: no step]`, "b", "skipped")],
      cell: { impossible: "no step" },
    },
  ])("CV-6 the result of the same-decisions scenarios becomes the cell $cell", ({ tests, cell }) => {
    expect(columnOf(loop, about, tests).capabilities["same-decisions"]).toEqual(cell);
  });
});

describe("the map", () => {
  const column = (runtime: string, driver: string, version: string): CoverageColumn => ({
    ...columnOf({ ...loop, name: driver }, { ...about, runtime, version }, []),
  });

  it("CV-7 a run rewrites only the columns of the runtimes that it tested", () => {
    const before = mergeCoverage(undefined, [
      column("pi", "pi", "1"),
      column("pi", "pi 2", "1"),
      column("acp", "acp", "1"),
    ]);
    const after = mergeCoverage(before, [column("pi", "pi", "2")]);
    expect(after.columns.map(({ driver, version }) => `${driver} ${version}`)).toEqual(["acp 1", "pi 2"]);
  });

  it("CV-8 the coverage page marks every cell, lists the reasons below, and merges drivers with identical results", () => {
    const one = columnOf(loop, about, results("call-batch"));
    const page = renderCoverage(mergeCoverage(undefined, [one, { ...one, driver: "the loop again" }]));
    expect(page).toMatch(/^\| \| loop \| cursor \|$/m);
    expect(page).toMatch(/^\| \*\*deny\*\*: .+ \| ‼\[\^\d+\] \| \? \|$/m);
    expect(page).toMatch(/^\| \*\*mcp\*\*: .+ \| ✓ \| \? \|$/m);
    expect(page).toMatch(/^\| \*\*no-daemon\*\*: .+ \| ✗\[\^\d+\] \| \? \|$/m);
    expect(page).toMatch(/^\[\^\d+\]: failed: call-batch$/m);
    expect(page).toContain(
      "| scripted-loop, the loop again | `scripted` | 1.0.0 | a daemon in the test's process | 2026-11-15 |",
    );
    const rows = [...page.matchAll(/^\| \*\*([\w-]+)\*\*: \w/gm)].map(([, name]) => name);
    // Every row is proven by some scenario, and every scenario's needs have a row.
    expect(rows.toSorted()).toEqual([...CAPABILITIES, ...BESIDE_KIT].toSorted());
  });
});

describe("docs/coverage", () => {
  const map: Coverage = JSON.parse(readFileSync(join(root, "docs/coverage.json"), "utf8"));

  it("CV-9 docs/coverage.md matches docs/coverage.json", () => {
    expect(readFileSync(join(root, "docs/coverage.md"), "utf8")).toBe(renderCoverage(map));
  });

  it("CV-10 docs/coverage.json contains no failed capability", () => {
    const failed = map.columns.flatMap(({ driver, capabilities }) =>
      Object.entries(capabilities).flatMap(([name, cell]) => ("failed" in cell ? [`${driver}: ${name}`] : [])),
    );
    expect(failed).toEqual([]);
  });

  // A runtime that was never run has no column. One without `setUp` is from an older run, which the page says.
  const current = map.columns.filter(({ setUp }) => setUp !== undefined);
  const columns = current.map((column) => ({ column, claims: CLAIMS[column.driver] ?? CLAIMS[column.runtime] }));
  it.each(columns)(
    "CV-11 the adapter of $column.driver claims no capability that is not proven",
    ({ column, claims }) => {
      expect(claims, `CLAIMS has no entry for ${column.driver}`).toBeDefined();
      expect(unprovenClaims(claims ?? loop.capabilities, column), `run npm run compat -- ${column.runtime}`).toEqual(
        [],
      );
    },
  );
});
