import { describe, expect, it } from "vitest";
import { withLevel } from "./pack-level.ts";
import { STARTER_CONFIG } from "./starter-config.ts";

const agent = (rules: string) => `# mine\nagents:\n  a: # first\n    rules:\n${rules}\n    actions: {}\n`;

describe("withLevel", () => {
  it.each([
    ["      - packs/coding # why", "      - { pack: packs/coding, level: gentle } # why"],
    ["      - 'packs/coding'", "      - { pack: packs/coding, level: gentle }"],
    ["      - { pack: packs/coding, off: [a] }", "      - { pack: packs/coding, level: gentle, off: [a] }"],
    ["      - { level: strict, pack: packs/coding }", "      - { level: gentle, pack: packs/coding }"],
    ["      - pack: packs/ops\n        off: [a]", "      - pack: packs/ops\n        level: gentle\n        off: [a]"],
    ["      - ./own.yaml\n      - { id: r, on: shell }", "      - ./own.yaml\n      - { id: r, on: shell }"],
  ])("LVL-30 in %j only the level changes", (before, after) => {
    expect(withLevel(agent(before), "gentle")).toBe(agent(after));
  });

  it("LVL-31 the starter file keeps every other line", () => {
    const lines = STARTER_CONFIG.split("\n");
    const changed = withLevel(STARTER_CONFIG, "strict").split("\n");
    expect(changed.filter((line, at) => line !== lines[at])).toEqual(["      - { pack: packs/coding, level: strict }"]);
    expect(withLevel("agents: [", "strict")).toBe("agents: [");
  });
});
