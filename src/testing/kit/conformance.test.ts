import { describe, expect, it } from "vitest";
import type { Capabilities } from "../../base/words/hosting/capability.ts";
import { conformanceSuite, scenarios, skipReason } from "./conformance.ts";
import type { RuntimeDriver } from "./driver.ts";

const NAMES = [...new Set(scenarios.flatMap(({ needs }) => needs))];

function driver(cannot: string): RuntimeDriver {
  const capabilities = Object.fromEntries(NAMES.map((name) => [name, { cannot }])) as unknown as Capabilities;
  return {
    name: "nothing",
    capabilities,
    toolName: (tool) => tool,
    run: () => Promise.reject(new Error("it never runs")),
  };
}

describe("the kit", () => {
  it("KT-1 the kit shows unsupported scenarios with their reason, and runs the rest", () => {
    const shown: string[] = [];
    const run: string[] = [];
    conformanceSuite(driver("no hooks"), {
      describe: (_title, body) => body(),
      it: (title) => run.push(title),
      cannot: (title) => shown.push(title),
    });
    expect(shown.length + run.length).toBe(scenarios.length);
    expect(run.every((title) => title.startsWith("test_no_checker"))).toBe(true);
    expect(shown.every((title) => title.includes("no hooks]"))).toBe(true);
  });

  it("KT-2 the kit rejects an unsupported capability without a reason", () => {
    const [needy] = scenarios.filter(({ needs }) => needs.length > 0);
    if (needy === undefined) throw new Error("every scenario is free");
    expect(() => skipReason(driver(" "), needy)).toThrow("gives no reason");
  });

  it("KT-3 every scenario has a unique id", () => {
    expect(new Set(scenarios.map(({ id }) => id)).size).toBe(scenarios.length);
  });

  it("KT-4 a capability that a driver does not mention is shown as not proven", () => {
    const shown: string[] = [];
    conformanceSuite(
      { ...driver("no hooks"), capabilities: { deny: true, prompt: true } as unknown as Capabilities },
      { describe: (_title, body) => body(), it: () => undefined, cannot: (title) => shown.push(title) },
    );
    expect(shown).toContainEqual(expect.stringMatching(/^mcp-denied: .* \[cannot: mcp: not proven yet\]$/));
  });
});
