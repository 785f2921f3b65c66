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

describe("a runtime that loses the exit code", () => {
  const agent = {
    actions: { deploy: { tool: "shell", command: "sh deploy.sh" } },
    rules: [{ id: "tests-first", on: "deploy", require: "tests.run" }],
  } as const;
  const pytest = { argv: ["pytest"], cwd: "/w", file: { path: "/usr/bin/pytest", known: true } };

  it.each([
    { ends: [0], text: "12 passed", outcome: "unknown", decision: "allow" },
    { ends: [0, 1], text: "12 passed", outcome: "unknown", decision: "deny" },
    { ends: [], text: "12 passed", outcome: "unknown", decision: "deny" },
    { ends: [0], text: "12 passed", outcome: "failed", decision: "deny" },
    { ends: [0], text: " 0 passing (1ms)", outcome: "unknown", decision: "deny" },
  ] as const)(
    "EXG-52 after ends with $ends, '$text' and the outcome $outcome, what needs tests gets a $decision",
    async ({ ends, text, outcome, decision }) => {
      const session = testConduct(agent).open();
      const call = (id: string, command: string) => session.onCall({ id, tool: "shell", args: { command }, step: id });
      await call("c1", "pytest");
      for (const code of ends) session.onExecEnd(pytest, code);
      await session.onResult({ id: "c1", tool: "shell" }, { outcome, parts: [{ kind: "text", text }] });
      expect(await call("c2", "sh deploy.sh")).toMatchObject({ kind: decision });
    },
  );
});
