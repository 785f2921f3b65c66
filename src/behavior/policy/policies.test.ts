import { describe, expect, it } from "vitest";
import type { Access, ToolCall } from "../../base/words/call.ts";
import type { Facts, PathFact } from "../../base/words/facts.ts";
import type { PolicyResultContext, ToolPolicy } from "../../base/words/policy.ts";
import type { SessionView } from "../../base/words/session-view.ts";
import type { State } from "../../base/words/slice.ts";
import { highRiskPolicy } from "./high-risk-policy.ts";
import { matchActions } from "./match-actions.ts";
import { protectedPathsPolicy } from "./protected-paths-policy.ts";
import { ReadBeforeWritePolicy } from "./read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "./sequential-dependency-policy.ts";
import { workspacePolicy } from "./workspace-policy.ts";

function call(tool: string, more: Partial<ToolCall> = {}): ToolCall {
  const args = more.args ?? {};
  return {
    id: "c",
    tool,
    args,
    actions: [],
    proves: [],
    paths: [],
    native: { runtime: "t", name: tool, input: args },
    ...more,
  };
}

function onFile(tool: string, path: string, access: Access): ToolCall {
  return call(tool, { args: { path }, paths: [{ path, access }] });
}

function facts(paths: Record<string, Partial<PathFact>> = {}): Facts {
  const full = Object.entries(paths).map(([given, fact]) => [
    given,
    { resolved: `/w/${given}`, inside: true, exists: true, version: "v1", ...fact },
  ]);
  return { paths: Object.fromEntries(full), policies: {}, faults: {} };
}

function context<S extends State>(
  state: S,
  at: Facts = facts(),
  after: Facts = at,
  elevated = false,
): PolicyResultContext<S> {
  return {
    state,
    facts: after,
    factsAtCall: at,
    // No policy of this room looks at the session.
    session: {} as SessionView,
    permissions: { autoApprove: elevated, restrictToWorkspace: !elevated, allowHighRisk: elevated },
  };
}

const OK = { outcome: "ok", parts: [] } as const;

describe("SequentialDependencyPolicy", () => {
  const policy = new SequentialDependencyPolicy({
    dependencies: { deploy: ["test", "build", "test"], build: new Set(["lint"]) },
  });

  it("SD-1 names what is missing, only that, sorted", () => {
    expect(policy.check(call("deploy"), context([]))).toMatchObject({
      kind: "deny",
      code: "missing-prerequisite",
      reason: "Tool 'deploy' requires: build, test",
      missing: [{ what: "build" }, { what: "test" }],
    });
    expect(policy.check(call("deploy"), context(["build"]))).toMatchObject({ reason: "Tool 'deploy' requires: test" });
    expect(policy.check(call("deploy"), context(["build", "test"]))).toEqual({ kind: "allow" });
  });

  it("SD-2 tools without dependencies are free", () => {
    expect(policy.check(call("anything"), context([])).kind).toBe("allow");
  });

  it("SD-3 an action is gated as a tool is, and a result proves what the call strictly is", () => {
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

  it("RBW-1 a new file is free, an existing one must be read first", () => {
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
    "RBW-2 writing $write after reading $read is $kind: paths are compared as they resolve",
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

  it("RBW-4 a read counts as of before it ran, so that a change during the read is noticed", () => {
    const during = policy.onResult(
      onFile("read_file", "a", "read"),
      OK,
      context(policy.initial, facts({ a: { version: "v1" } }), facts({ a: { version: "v2" } })),
    );
    expect(
      policy.check(onFile("write_file", "a", "write"), context(during, facts({ a: { version: "v2" } }))).kind,
    ).toBe("deny");
  });

  it("RBW-5 what the agent itself wrote it may write again", () => {
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

  it("RBW-6 without a filesystem to look at nothing is overwritten", () => {
    expect(policy.check(onFile("write_file", "a", "write"), context(policy.initial))).toMatchObject({
      code: "policy-error",
    });
  });

  it("RBW-7 a command that strictly reads counts, one that only looks like it does not", () => {
    const shell = (proves: readonly string[]) =>
      call("shell", { actions: ["read_file"], proves, paths: [{ path: "a", access: "read" }] });
    const having = (proves: readonly string[]) =>
      policy.onResult(shell(proves), OK, context(policy.initial, facts({ a: {} })));
    const write = onFile("write_file", "a", "write");
    expect(policy.check(write, context(having(["read_file"]), facts({ a: {} }))).kind).toBe("allow");
    expect(policy.check(write, context(having([]), facts({ a: {} }))).kind).toBe("deny");
  });

  it("RBW-8 other tools are not its business; its tools can be named", () => {
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
    ["a path outside", workspacePolicy, outside, false, "deny"],
    ["a path outside, elevated", workspacePolicy, outside, true, "allow"],
    ["a path inside", workspacePolicy, onFile("read_file", "y", "read"), false, "allow"],
    ["a high-risk tool", risky, call("wipe"), false, "deny"],
    ["a high-risk action", risky, call("shell", { actions: ["wipe"] }), false, "deny"],
    ["a high-risk tool, elevated", risky, call("wipe"), true, "allow"],
    ["a plain tool", risky, call("look"), false, "allow"],
  ])("PE-1 %s", (_what, policy, made, elevated, kind) => {
    expect(
      policy.check(
        made,
        context(null, { ...away, ...{ paths: { ...away.paths, ...facts({ y: {} }).paths } } }, undefined, elevated),
      ).kind,
    ).toBe(kind);
  });
});

describe("protected paths", () => {
  const policy = protectedPathsPolicy({
    paths: ["/home/u/.conduct"],
    spellings: ["~/.conduct", "$CONDUCT_HOME"],
    programs: ["conduct"],
  });
  const shell = (command: string) =>
    policy.check(call("shell", { args: { command } }), context(null, facts(), undefined, true)).kind;

  it.each([
    ["/home/u/.conduct/db", "deny"],
    ["/home/u/.conduct", "deny"],
    ["/home/u/.conductor", "allow"],
    ["/w/.claude/settings.json", "deny"],
    ["/w/.claude/settings.local.json", "deny"],
    ["/home/u/.codex/hooks.json", "deny"],
    ["/w/.claude/notes.md", "allow"],
  ])("PP-1 touching %s is %s, elevated or not", (resolved, kind) => {
    expect(
      policy.check(onFile("read_file", "p", "read"), context(null, facts({ p: { resolved } }), undefined, true)).kind,
    ).toBe(kind);
  });

  it.each([
    ["cat ~/.conduct/db", "deny"],
    ["cat $CONDUCT_HOME/db", "deny"],
    ["sh -c 'cat ~/.conduct/db'", "deny"],
    ["echo x > /home/u/.conduct/db", "deny"],
    ["echo x > .claude/settings.json", "deny"],
    ["conduct behavior add x", "deny"],
    ["cd /x && ./node_modules/.bin/conduct pause", "deny"],
    ["npx conduct pause", "deny"],
    ["npm run -s conduct -- pause", "deny"],
    ["echo 'conduct", "allow"],
    ["echo '~/.conduct", "deny"],
    ["grep -r conduct src", "allow"],
    ["npm test", "allow"],
  ])("PP-2 %s is %s", (command, kind) => {
    expect(shell(command)).toBe(kind);
  });
});

describe("actions", () => {
  const actions = {
    test: { tool: "shell", command: "npm test *" },
    deploy: { tool: "shell", command: "*deploy*" },
    look: { tool: "read_file" },
  };
  it.each([
    ["npm test", ["test"], ["test"]],
    ["npm test -- --all", ["test"], ["test"]],
    ["npm test && true", ["test"], []],
    ["npm tests", [], []],
    ["sudo npm run deploy", ["deploy"], []],
    ["npm run deploy", ["deploy"], ["deploy"]],
    ["bash -c 'make deploy'", ["deploy"], []],
    ["cd x; make deploy", ["deploy"], []],
    ["echo 'npm test", ["test"], []],
  ])("AC-1 '%s' gates as %j and proves %j", (command, gates, proves) => {
    expect(matchActions("shell", { command }, actions)).toEqual({ actions: gates, proves });
  });

  it("AC-2 an action may be a tool and nothing more; a command that is no text matches none", () => {
    expect(matchActions("read_file", {}, actions)).toEqual({ actions: ["look"], proves: ["look"] });
    expect(matchActions("shell", { command: 7 }, actions)).toEqual({ actions: [], proves: [] });
  });
});
