import { describe, expect, it } from "vitest";
import { SeenResults } from "./moments.ts";
import { piToolMap, toolNames } from "./tool-map.ts";
import { outcomeOf } from "./translate.ts";

describe("tool map", () => {
  it.each([
    { name: "read", tool: "read_file", access: "read" },
    { name: "write", tool: "write_file", access: "write" },
    { name: "edit", tool: "edit_file", access: "write" },
    { name: "grep", tool: "search", access: "read" },
    { name: "find", tool: "search", access: "read" },
    { name: "ls", tool: "ls", access: "read" },
  ])("$name is $tool and does a $access", ({ name, tool, access }) => {
    expect(piToolMap(name, { path: "a.txt" })).toEqual({
      tool,
      args: { path: "a.txt" },
      paths: [{ path: "a.txt", access }],
    });
  });

  it("bash is shell, and a tool it does not know keeps its name", () => {
    for (const shell of ["bash", "powershell"])
      expect(piToolMap(shell, { command: "ls" })).toEqual({ tool: "shell", args: { command: "ls" } });
    expect(piToolMap("deploy", { to: "prod" })).toEqual({ tool: "deploy", args: { to: "prod" } });
    expect(piToolMap("constructor", {}).tool).toBe("constructor");
  });

  it.each([
    { given: "@a.txt", opened: "a.txt" },
    { given: "a\u00A0b.txt", opened: "a b.txt" },
    { given: "\u3000a", opened: " a" },
    { given: "@@a.txt", opened: "@a.txt" },
  ])("a path that Pi's tools open as another ($given) counts as both", ({ given, opened }) => {
    const { args, paths } = piToolMap("write", { path: given, content: "" });
    expect(args.path).toBe(opened);
    expect(paths?.map(({ path }) => path)).toEqual([opened, given]);
  });

  it("a path that is no text names no file", () => {
    expect(piToolMap("write", { path: 7 })).toEqual({ tool: "write_file", args: { path: 7 } });
  });
});

describe("outcome map", () => {
  const fine = { isError: false, aborted: false, details: undefined, text: "" };
  const exited = "broken\n\nCommand exited with code 3";
  it.each([
    { title: "a return", tool: "shell", executed: fine, outcome: { outcome: "ok" } },
    { title: "a throw", tool: "read_file", executed: { ...fine, isError: true }, outcome: { outcome: "failed" } },
    {
      title: "a throw of an aborted run",
      tool: "shell",
      executed: { ...fine, isError: true, aborted: true },
      outcome: { outcome: "cancelled" },
    },
    {
      title: "Pi's failing command",
      tool: "shell",
      executed: { ...fine, isError: true, text: exited },
      outcome: { outcome: "failed", exitCode: 3 },
    },
    {
      title: "an output that only looks like a failing command",
      tool: "shell",
      executed: { ...fine, text: exited },
      outcome: { outcome: "ok" },
    },
    {
      title: "an exit code in the details",
      tool: "run",
      executed: { ...fine, details: { exitCode: 2 } },
      outcome: { outcome: "failed", exitCode: 2 },
    },
    {
      title: "exit code 0 in the details",
      tool: "run",
      executed: { ...fine, details: { exitCode: 0 } },
      outcome: { outcome: "ok", exitCode: 0 },
    },
    {
      title: "a killed command",
      tool: "run",
      executed: { ...fine, details: { exitCode: null } },
      outcome: { outcome: "failed" },
    },
  ])("$title is $outcome.outcome", ({ tool, executed, outcome }) => {
    expect(outcomeOf(tool, executed)).toEqual(outcome);
  });
});

describe("results the model has seen", () => {
  const result = (toolCallId: string) =>
    ({ role: "toolResult", toolCallId, toolName: "read", content: [], isError: false, timestamp: 0 }) as const;

  it("a transcript that grows was not cut; one that lost a result was, once", () => {
    const seen = new SeenResults();
    const [a, b, c] = [result("a"), result("b"), result("c")].map((one) => ({ ...one, content: [...one.content] }));
    if (a === undefined || b === undefined || c === undefined) throw new Error("unreachable");
    expect(seen.compactedBy([])).toBe(false);
    expect(seen.compactedBy([a])).toBe(false);
    expect(seen.compactedBy([a, b])).toBe(false);
    expect(seen.compactedBy([b, c])).toBe(true);
    expect(seen.compactedBy([b, c])).toBe(false);
  });
});

it("NAME-1 a tool is shown under the model's name for it, or under its own name if the model lacks it", () => {
  const nameOf = toolNames(["bash", "read", "grep", "find", "deploy"], piToolMap);
  expect(["shell", "read_file", "search", "deploy", "write_file"].map(nameOf)).toEqual([
    "bash",
    "read",
    "grep",
    "deploy",
    "write_file",
  ]);
});
