import { describe, expect, it } from "vitest";
import { testConduct } from "../session/test/test-conduct.ts";

const rules = [
  { id: "no-settings", on: "git.config" },
  { id: "no-force-push", on: "git.push", when: "args.force" },
] as const;

describe("programs that nobody's call started", () => {
  it("EXG-50 a runtime that reads the repository for itself is neither stopped nor recorded", async () => {
    const { open, events } = testConduct({ rules });
    const session = open();
    const argv = ["git", "-c", "core.hooksPath=/dev/null", "ls-files"];
    expect(await session.onExec({ argv, cwd: "/w" })).toMatchObject({ kind: "allow" });
    expect(events.filter(({ type }) => type === "call")).toEqual([]);
  });

  it("EXG-51 a program with an effect is judged also when its call is over", async () => {
    const { open } = testConduct({ rules });
    const decision = await open().onExec({ argv: ["git", "push", "-f"], cwd: "/w" });
    expect(decision).toMatchObject({ kind: "deny", rule: "no-force-push" });
  });
});
