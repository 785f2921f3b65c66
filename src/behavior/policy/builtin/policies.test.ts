import { describe, expect, it } from "vitest";
import type { ToolCall } from "../../../base/words/call.ts";
import type { Facts } from "../../../base/words/facts.ts";
import type { ToolPolicy } from "../../../base/words/policy.ts";
import { call, context, facts, onFile } from "../test/test-policy.ts";
import { highRiskPolicy, workspacePolicy } from "./elevation-policies.ts";
import { ReadBeforeWritePolicy } from "./read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "./sequential-dependency-policy.ts";

const OK = { outcome: "ok", parts: [] } as const;

describe("SequentialDependencyPolicy", () => {
  const policy = new SequentialDependencyPolicy({
    dependencies: { deploy: ["test", "build", "test"], build: new Set(["lint"]) },
  });

  it("SD-1 a denial lists only the missing prerequisites, sorted", () => {
    expect(policy.check(call("deploy"), context([]))).toMatchObject({
      kind: "deny",
      code: "missing-prerequisite",
      reason: "Tool 'deploy' requires: build, test",
      missing: [{ what: "build" }, { what: "test" }],
    });
    expect(policy.check(call("deploy"), context(["build"]))).toMatchObject({ reason: "Tool 'deploy' requires: test" });
    expect(policy.check(call("deploy"), context(["build", "test"]))).toEqual({ kind: "allow" });
  });

  it("SD-2 tools without dependencies are always allowed", () => {
    expect(policy.check(call("anything"), context([])).kind).toBe("allow");
  });

  it("SD-3 an action is gated like a tool, and a result proves only what the call strictly is", () => {
    expect(policy.check(call("shell", { actions: ["deploy"] }), context([])).kind).toBe("deny");
    const after = policy.onResult(call("shell", { actions: ["test", "build"], proves: ["test"] }), OK, context([]));
    expect(after).toEqual(["test"]);
    expect(policy.onResult(call("shell", { proves: ["test"] }), OK, context(after))).toBe(after);
    expect(policy.onResult(call("unrelated"), OK, context(after))).toBe(after);
  });
});

describe("ReadBeforeWritePolicy", () => {
  const policy = new ReadBeforeWritePolicy();
  const read = (path: string, at: Facts) =>
    policy.onResult(onFile("read_file", path, "read"), OK, context(policy.initial, at));

  it("RBW-1 a new file may be written, an existing file must be read first", () => {
    const write = onFile("write_file", "a", "write");
    expect(policy.check(write, context(policy.initial, facts({ a: { exists: false } }))).kind).toBe("allow");
    expect(policy.check(write, context(policy.initial, facts({ a: {} })))).toMatchObject({
      code: "not-read",
      reason: "File 'a' must be read before overwriting.",
    });
    expect(policy.check(write, context(read("a", facts({ a: {} })), facts({ a: {} }))).kind).toBe("allow");
  });

  it.each([
    { read: "a", write: "./a", kind: "allow" },
    { read: "a", write: "/w/a", kind: "allow" },
    { read: "link", write: "a", kind: "allow" },
    { read: "b", write: "a", kind: "deny" },
  ])(
    "RBW-2 writing $write after reading $read is $kind: resolved paths are compared",
    ({ read: from, write, kind }) => {
      const fact = (path: string) => ({ [path]: { resolved: path === "b" ? "/w/b" : "/w/a" } });
      const seen = read(from, facts(fact(from)));
      expect(policy.check(onFile("edit_file", write, "write"), context(seen, facts(fact(write)))).kind).toBe(kind);
    },
  );

  it("RBW-3 a file that changed since it was read must be read again", () => {
    const seen = read("a", facts({ a: { version: "v1" } }));
    expect(
      policy.check(onFile("write_file", "a", "write"), context(seen, facts({ a: { version: "v2" } }))),
    ).toMatchObject({
      code: "stale-read",
    });
  });

  it("RBW-4 a read counts with the version before it ran, so a change during the read is detected", () => {
    const during = policy.onResult(
      onFile("read_file", "a", "read"),
      OK,
      context(policy.initial, facts({ a: { version: "v1" } }), facts({ a: { version: "v2" } })),
    );
    expect(
      policy.check(onFile("write_file", "a", "write"), context(during, facts({ a: { version: "v2" } }))).kind,
    ).toBe("deny");
  });

  it("RBW-5 the agent may overwrite a file that it wrote itself", () => {
    const at = facts({ a: { exists: false } });
    const seen = policy.onResult(
      onFile("write_file", "a", "write"),
      OK,
      context(policy.initial, at, facts({ a: { version: "mine" } })),
    );
    expect(
      policy.check(onFile("write_file", "a", "write"), context(seen, facts({ a: { version: "mine" } }))).kind,
    ).toBe("allow");
  });

  it("RBW-6 without a filesystem every write is denied", () => {
    expect(policy.check(onFile("write_file", "a", "write"), context(policy.initial))).toMatchObject({
      code: "policy-error",
    });
  });

  it("RBW-7 a command that strictly reads a file counts as a read, a similar one does not", () => {
    const shell = (proves: readonly string[]) =>
      call("shell", { actions: ["read_file"], proves, paths: [{ path: "a", access: "read" }] });
    const having = (proves: readonly string[]) =>
      policy.onResult(shell(proves), OK, context(policy.initial, facts({ a: {} })));
    const write = onFile("write_file", "a", "write");
    expect(policy.check(write, context(having(["read_file"]), facts({ a: {} }))).kind).toBe("allow");
    expect(policy.check(write, context(having([]), facts({ a: {} }))).kind).toBe("deny");
  });

  it.each([
    ["a write tool that names no file", call("write_file", { args: { filename: "a" } })],
    ["a command that may write any file", call("shell", { actions: ["write_file"], unclear: ["write"] })],
    [
      "a new file beside one that cannot be told",
      { ...onFile("write_file", "new", "write"), unclear: ["write"] as const },
    ],
  ])("RBW-9 %s is denied with a next step", (_what, made) => {
    expect(policy.check(made, context(policy.initial, facts({ new: { exists: false } })))).toMatchObject({
      code: "not-read",
      next: expect.stringMatching(/^Write to one literal path/),
    });
  });

  it.each([
    ["a folder", { path: "a", access: "write" }, { exists: true, version: undefined }],
    ["a file that is only moved or removed", { path: "a", access: "change" }, {}],
  ] as const)("RBW-10 %s does not count as an overwrite", (_what, path, fact) => {
    const paths = [path, { path: "new", access: "write" as const }];
    const { version, ...known } = { version: "v1" as string | undefined, ...fact };
    const at = facts({ new: { exists: false } });
    const fullFact = {
      resolved: "/w/a",
      inside: true,
      exists: true,
      ...known,
      ...(version === undefined ? {} : { version }),
    };
    const made = call("shell", { actions: ["write_file"], paths });
    expect(policy.check(made, context(policy.initial, { ...at, paths: { ...at.paths, a: fullFact } })).kind).toBe(
      "allow",
    );
  });

  it('RBW-11 a file named "constructor" is treated as known only if it was looked up', () => {
    expect(policy.check(onFile("write_file", "constructor", "write"), context(policy.initial))).toMatchObject({
      code: "policy-error",
    });
  });

  it("RBW-8 other tools are not checked, and the read and write tools can be configured", () => {
    expect(policy.check(onFile("delete_file", "a", "write"), context(policy.initial, facts({ a: {} }))).kind).toBe(
      "allow",
    );
    const own = new ReadBeforeWritePolicy({ readTools: ["peek"], writeTools: ["poke"], name: "own" });
    expect(own.check(onFile("poke", "a", "write"), context(own.initial, facts({ a: {} }))).kind).toBe("deny");
    expect(own.check(onFile("write_file", "a", "write"), context(own.initial, facts({ a: {} }))).kind).toBe("allow");
  });
});

describe("permissions, each with an effect", () => {
  const outside = onFile("read_file", "x", "read");
  const away = facts({ x: { inside: false, resolved: "/etc/x" } });
  const risky = highRiskPolicy([{ name: "wipe", risk: "high" }, { name: "look" }]);
  it.each<[string, ToolPolicy, ToolCall, boolean, string]>([
    ["a path outside", workspacePolicy(), outside, false, "deny"],
    ["a path outside, elevated", workspacePolicy(), outside, true, "allow"],
    ["a path inside", workspacePolicy(), onFile("read_file", "y", "read"), false, "allow"],
    ["a high-risk tool", risky, call("wipe"), false, "deny"],
    ["a high-risk action", risky, call("shell", { actions: ["wipe"] }), false, "deny"],
    ["a high-risk tool, elevated", risky, call("wipe"), true, "allow"],
    ["a plain tool", risky, call("look"), false, "allow"],
  ])("PE-1 permission check: %s", (_what, policy, made, elevated, kind) => {
    expect(
      policy.check(
        made,
        context(null, { ...away, ...{ paths: { ...away.paths, ...facts({ y: {} }).paths } } }, undefined, elevated),
      ).kind,
    ).toBe(kind);
  });
});

describe("the workspace", () => {
  const temporary = { inside: false, temporary: true } as const;
  const away = facts({ "/x/d": { inside: false, exists: false }, "/etc/x": { inside: false }, "/tmp/x": temporary });
  it.each([
    ["a temporary file", [{ path: "/tmp/x", access: "write" }], "allow"],
    ["a path that was not looked up", [{ path: "a", access: "read" }], "deny"],
    ["a name of every object that was not looked up", [{ path: "constructor", access: "read" }], "deny"],
    ["a word that names nothing", [{ path: "/x/d", access: "read", maybe: true }], "allow"],
    ["a file that is not there", [{ path: "/x/d", access: "read" }], "deny"],
    ["a word that names a file", [{ path: "/etc/x", access: "read", maybe: true }], "deny"],
    ["a file to be removed", [{ path: "/etc/x", access: "change" }], "deny"],
    ["no path at all", [], "allow"],
  ] as const)("PE-2 workspace check: %s", (_what, paths, kind) => {
    expect(workspacePolicy().check(call("shell", { paths, unclear: ["write"] }), context(null, away)).kind).toBe(kind);
  });
});
