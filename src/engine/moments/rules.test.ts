import { describe, expect, it } from "vitest";
import type { CallInput } from "../../base/words/call.ts";
import type { Condition, Rule } from "../../base/words/rule.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import type { Session } from "../session/session.ts";
import { testConduct } from "../session/test/test-conduct.ts";

function rule(more: Partial<Rule> & Pick<Rule, "id" | "on">): Rule {
  return { effect: "deny", ...more };
}

function leaf(call: string, more: Partial<Extract<Condition, { kind: "call" }>> = {}): Condition {
  return { kind: "call", call, same: [], fresh: false, counts: "succeeded", ...more };
}

function setup(rules: readonly Rule[], actions: ConstructorParameters<typeof RulesPolicy>[0]["actions"] = {}) {
  const conduct = testConduct({ policies: [new RulesPolicy({ rules, actions })], actions });
  return { ...conduct, session: conduct.open() };
}

let ids = 0;
async function play(
  session: Session,
  tool: string,
  args: CallInput["args"] = {},
  outcome: "ok" | "failed" | "cancelled" = "ok",
  more: Partial<CallInput> = {},
) {
  ids += 1;
  const call = { id: `c${ids}`, tool, args, ...more };
  const decision = await session.onCall(call);
  if (decision.kind !== "deny") await session.onResult(call, { outcome, parts: [] });
  return decision;
}

const kinds = async (session: Session, calls: readonly (readonly [string, CallInput["args"]?])[]) => {
  const seen: string[] = [];
  for (const [tool, args] of calls) seen.push((await play(session, tool, args)).kind);
  return seen;
};

describe("require", () => {
  it("RL-1 require with same accepts only an earlier call with the same arguments", async () => {
    const { session } = setup([
      rule({ id: "login", on: ["pay"], require: leaf("login", { same: [{ mine: "user", theirs: "name" }] }) }),
    ]);
    expect(
      await kinds(session, [
        ["pay", { user: "ann" }],
        ["login", { name: "bob" }],
        ["pay", { user: "ann" }],
        ["login", { name: "ann" }],
        ["pay", { user: "ann" }],
        ["pay", { user: "bob" }],
        ["pay", {}],
        ["pay", { user: null }],
      ]),
    ).toEqual(["deny", "allow", "deny", "allow", "allow", "allow", "deny", "deny"]);
  });

  it("RL-2 arguments that are objects are compared by value, whatever the order of their keys", async () => {
    const { session } = setup([
      rule({ id: "r", on: ["b"], require: leaf("a", { same: [{ mine: "x", theirs: "x" }] }) }),
    ]);
    expect(
      await kinds(session, [
        ["a", { x: { p: 1, q: [2] } }],
        ["b", { x: { q: [2], p: 1 } }],
        ["b", { x: { q: [3], p: 1 } }],
      ]),
    ).toEqual(["allow", "allow", "deny"]);
  });

  it("RL-3 within limits the age of evidence, and since ignores evidence older than another call", async () => {
    const { session, pass } = setup([
      rule({ id: "w", on: ["b"], require: leaf("a", { within: 1_000 }) }),
      rule({ id: "s", on: ["deploy"], require: leaf("test", { since: "edit" }) }),
    ]);
    await play(session, "a");
    pass(1_000);
    expect((await play(session, "b")).kind).toBe("allow");
    pass(1);
    expect((await play(session, "b")).kind).toBe("deny");
    expect(await kinds(session, [["test"], ["deploy"], ["edit"], ["deploy"], ["test"], ["deploy"]])).toEqual([
      "allow",
      "allow",
      "allow",
      "deny",
      "allow",
      "allow",
    ]);
  });

  it("RL-22 since and not also match parts of compound commands, so a compound edit makes the tests stale", async () => {
    const { session, files } = setup(
      [
        rule({ id: "s", on: ["commit"], require: leaf("test", { since: "edit_file" }) }),
        rule({ id: "n", on: ["ship"], require: { kind: "not", of: leaf("freeze") } }),
      ],
      { test: { tool: "shell", command: "npm test" }, freeze: { tool: "shell", command: "freeze *" } },
    );
    files.set("/w/a.ts", "x");
    const shell = (command: string) => play(session, "shell", { command });
    await shell("npm test");
    expect((await play(session, "commit")).kind).toBe("allow");
    await shell("sed -i s/a/b/ a.ts && true");
    expect((await play(session, "commit")).kind).toBe("deny");
    await shell("freeze now; true");
    expect((await play(session, "ship")).kind).toBe("deny");
  });

  it("RL-4 fresh requires that the file has not changed since it was read, whatever path names it", async () => {
    const { session, files } = setup([
      rule({
        id: "read-before-write",
        on: ["write_file", "edit_file"],
        require: leaf("read_file", { same: [{ mine: "path", theirs: "path" }], fresh: true }),
        unless: "!fileExists(args.path)",
      }),
    ]);
    files.set("/w/a", "one");
    expect(
      await kinds(session, [
        ["write_file", { path: "new" }],
        ["write_file", { path: "a" }],
        ["read_file", { path: "./a" }],
        ["write_file", { path: "/w/a" }],
      ]),
    ).toEqual(["allow", "deny", "allow", "allow"]);
    files.set("/w/a", "two");
    expect((await play(session, "edit_file", { path: "a" })).kind).toBe("deny");
    expect((await play(session, "shell", { command: "cat a" })).kind).toBe("allow");
    expect((await play(session, "shell", { command: "echo x > a" })).kind).toBe("allow");
  });

  it("RL-5 counts: allowed accepts any call that was allowed; succeeded accepts only an ok outcome", async () => {
    const { session } = setup([
      rule({ id: "s", on: ["b"], require: leaf("a") }),
      rule({ id: "l", on: ["c"], require: leaf("a", { counts: "allowed" }) }),
    ]);
    await play(session, "a", {}, "failed");
    expect(await kinds(session, [["b"], ["c"]])).toEqual(["deny", "allow"]);
  });

  it("RL-6 where is evaluated when the earlier call is made", async () => {
    const { session } = setup([rule({ id: "r", on: ["b"], require: leaf("a", { where: "args.level == 'admin'" }) })]);
    expect(
      await kinds(session, [["a", { level: "user" }], ["b"], ["a"], ["b"], ["a", { level: "admin" }], ["b"]]),
    ).toEqual(["allow", "deny", "allow", "deny", "allow", "allow"]);
  });

  it("RL-7 an action implies further facts, transitively, with the same arguments", async () => {
    const same = [{ mine: "user", theirs: "user" }];
    const { session } = setup([rule({ id: "r", on: ["pay"], require: leaf("known", { same }) })], {
      login: { tool: "login", implies: ["checked"] },
      checked: { tool: "checked", implies: ["known"] },
    });
    expect(
      await kinds(session, [
        ["login", { user: 1 }],
        ["pay", { user: 1 }],
        ["pay", { user: 2 }],
      ]),
    ).toEqual(["allow", "allow", "deny"]);
  });

  it("RL-8 a call in the same step proves nothing, allowed or succeeded", async () => {
    const { session } = setup([
      rule({ id: "s", on: ["b"], require: leaf("a") }),
      rule({ id: "l", on: ["c"], require: leaf("a", { counts: "allowed" }) }),
    ]);
    const at = (tool: string, step: string) => play(session, tool, {}, "ok", { step });
    await at("a", "1");
    expect([(await at("b", "1")).kind, (await at("c", "1")).kind]).toEqual(["deny", "deny"]);
    expect([(await at("b", "2")).kind, (await at("c", "2")).kind]).toEqual(["allow", "allow"]);
  });

  it("RL-9 a denial lists everything that is missing: alternatives as one item, and prohibited calls", async () => {
    const { session } = setup([
      rule({
        id: "r",
        on: ["deploy"],
        require: {
          kind: "all",
          of: [
            leaf("test"),
            { kind: "any", of: [leaf("review"), leaf("waiver")] },
            { kind: "not", of: leaf("freeze") },
          ],
        },
      }),
    ]);
    await play(session, "freeze");
    expect(await play(session, "deploy")).toMatchObject({
      reason: "'deploy' requires: test, review or waiver, no freeze",
      missing: [
        { what: "test" },
        { what: "review or waiver" },
        { what: "no freeze", why: "already happened in this session" },
      ],
      next: "Do it another way, or ask the person you work for.",
    });
  });

  it("RL-60 a denial by several rules lists the needs of all of them, each once", async () => {
    const on = ["deploy"];
    const { session } = setup([
      rule({ id: "a", on, require: leaf("test") }),
      rule({ id: "b", on, require: { kind: "all", of: [leaf("lint"), leaf("test")] } }),
    ]);
    expect(await play(session, "deploy")).toMatchObject({
      rule: "a",
      missing: [{ what: "test" }, { what: "lint" }],
      others: [{ rule: "b" }],
      next: "First: test, then lint. Then repeat this call in a later step.",
    });
  });

  it("RL-61 the call that a rule is on is not advised as a step before itself", async () => {
    const any = { kind: "any" as const, of: [leaf("review"), leaf("deploy")] };
    const { session } = setup([rule({ id: "a", on: ["deploy"], require: any })]);
    expect(await play(session, "deploy")).toMatchObject({ missing: [{ what: "review" }] });
  });
});

describe("unknown never lets a call off", () => {
  it.each([
    [
      "when applies",
      { when: "args.amount > 1000" },
      [
        [{ amount: 5 }, "allow"],
        [{ amount: 5_000 }, "deny"],
        [{}, "deny"],
        [{ amount: "many" }, "deny"],
      ],
    ],
    [
      "unless does not exempt",
      { unless: "args.dry == true" },
      [
        [{ dry: true }, "allow"],
        [{ dry: false }, "deny"],
        [{}, "deny"],
        [{ dry: null }, "deny"],
      ],
    ],
  ] as const)("RL-10 an unknown value never exempts a call: %s", async (_what, more, table) => {
    for (const [args, kind] of table) {
      const { session } = setup([rule({ id: "r", on: ["pay"], ...more })]);
      expect((await play(session, "pay", args)).kind, JSON.stringify(args)).toBe(kind);
    }
  });
});

describe("atMost", () => {
  it("RL-11 atMost counts calls per combination; denied and cancelled calls are not counted, failed ones are", async () => {
    const { session } = setup([rule({ id: "r", on: ["refund"], atMost: { count: 2, per: ["user"] } })]);
    const refund = (user: unknown, outcome: "ok" | "failed" | "cancelled" = "ok") =>
      play(session, "refund", { user: user as string }, outcome);
    expect((await refund("ann", "failed")).kind).toBe("allow");
    expect((await refund("ann", "cancelled")).kind).toBe("allow");
    expect((await refund("ann")).kind).toBe("allow");
    expect(await refund("ann")).toMatchObject({ kind: "deny", missing: [{ why: "2 of 2 are used" }] });
    expect((await refund("bob")).kind).toBe("allow");
    expect((await play(session, "refund", {})).kind).toBe("deny");
  });

  it("RL-12 atMost counts calls in progress, so a batch cannot exceed it", async () => {
    const { session } = setup([rule({ id: "r", on: ["refund"], atMost: { count: 1, per: [] } })]);
    const [a, b] = await Promise.all([
      session.onCall({ id: "1", tool: "refund", args: {} }),
      session.onCall({ id: "2", tool: "refund", args: {} }),
    ]);
    expect([a.kind, b.kind].sort()).toEqual(["allow", "deny"]);
  });
});

describe("effects", () => {
  const bad = (effect: Rule["effect"], id: string = effect) => rule({ id, on: ["x"], effect, say: `${id} speaks` });

  it("RL-13 the strictest effect wins, and all are reported", async () => {
    const { session, events } = setup([
      bad("warn"),
      bad("shadow"),
      bad("deny"),
      bad("ask"),
      bad("remind"),
      bad("end-turn"),
    ]);
    expect(await play(session, "x")).toMatchObject({
      kind: "deny",
      rule: "end-turn",
      endTurn: true,
      others: [{ rule: "deny" }],
    });
    expect(events.find((event) => event.type === "call")).toMatchObject({ shadows: [{ rule: "shadow" }] });
  });

  it("RL-14 warn and remind allow the call with advice; shadow is only recorded", async () => {
    const { session, events } = setup([bad("warn"), bad("remind"), bad("shadow")]);
    expect(await play(session, "x")).toMatchObject({
      kind: "allow",
      advice: [
        { rule: "warn", level: "warn", text: "warn speaks" },
        { rule: "remind", level: "remind" },
      ],
    });
    expect(events.find((event) => event.type === "call")).toMatchObject({
      shadows: [{ rule: "shadow", reason: "shadow speaks" }],
    });
    await play(session, "x");
    expect(session.shadowCounts()).toEqual({ shadow: 2 });
  });

  it("RL-15 soft-deny denies once per key, then pauses for two minutes", async () => {
    const { session, pass } = setup([
      rule({
        id: "soft",
        on: ["grep"],
        effect: "soft-deny",
        require: leaf("index", { same: [{ mine: "dir", theirs: "dir" }] }),
      }),
    ]);
    const grep = async (dir: string) => (await play(session, "grep", { dir })).kind;
    expect([await grep("a"), await grep("a"), await grep("b")]).toEqual(["deny", "allow", "deny"]);
    pass(119_999);
    expect(await grep("a")).toBe("allow");
    pass(1);
    expect(await grep("a")).toBe("deny");
  });

  it("RL-16 ask: a yes is valid once for this input, a no for the rule and its values", async () => {
    const { session } = setup([
      rule({
        id: "big",
        on: ["pay"],
        when: "args.amount > 100",
        effect: "ask",
        say: "Pay {{args.amount}}?",
        atMost: { count: 0, per: ["user"] },
      }),
    ]);
    const pay = (amount: number) => session.onCall({ id: `p${++ids}`, tool: "pay", args: { amount, user: "ann" } });
    const asked = await pay(500);
    if (asked.kind !== "ask") throw new Error("it should ask");
    expect(asked.question).toBe("Pay 500?");
    session.resolve(asked.approval, "yes", "op");
    expect((await pay(500)).kind).toBe("allow");
    const again = await pay(501);
    if (again.kind !== "ask") throw new Error("it should ask again");
    session.resolve(again.approval, "no", "op");
    expect(await pay(502)).toMatchObject({ kind: "deny", code: "human-no" });
  });

  it("RL-17 set rewrites arguments before the decision, and the call runs with them", async () => {
    const { session, events } = setup([
      rule({ id: "limit", on: ["shell"], set: { timeout: 60 } }),
      rule({ id: "slow", on: ["shell"], when: "args.timeout > 60" }),
    ]);
    expect(await play(session, "shell", { command: "ls", timeout: 600 })).toMatchObject({
      kind: "allow",
      input: { command: "ls", timeout: 60 },
    });
    expect(events.find((event) => event.type === "call")).toMatchObject({ call: { args: { timeout: 60 } } });
  });

  it("RL-23 a rewritten call is evaluated again, so rules on its new arguments apply", async () => {
    const { session, files } = setup(
      [
        rule({ id: "redirect", on: ["write_file"], when: "args.path == 'a'", set: { path: "b" } }),
        rule({ id: "cmd", on: ["shell"], when: "args.command == 'x'", set: { command: "npm publish" } }),
        rule({ id: "no-publish", on: ["publish"] }),
        rule({
          id: "read",
          on: ["write_file"],
          require: leaf("read_file", { same: [{ mine: "path", theirs: "path" }] }),
          unless: "!fileExists(args.path)",
        }),
      ],
      { publish: { tool: "shell", command: "npm publish" } },
    );
    files.set("/w/b", "there");
    expect(await play(session, "write_file", { path: "a" })).toMatchObject({ kind: "deny", rule: "read" });
    expect(await play(session, "shell", { command: "x" })).toMatchObject({ kind: "deny", rule: "no-publish" });
    await play(session, "read_file", { path: "b" });
    expect(await play(session, "write_file", { path: "a" })).toMatchObject({ kind: "allow", input: { path: "b" } });
  });

  it("RL-18 placeholders in a message are replaced once, and the values cannot close a tag", async () => {
    const { session } = setup([rule({ id: "r", on: ["x"], say: "No {{args.a}} and {{ args.b }}, {{args.none}}." })]);
    const decision = await play(session, "x", { a: "{{args.b}}</feedback>", b: { c: 1 } });
    expect(decision).toMatchObject({ reason: 'No {{args.b}}&lt;/feedback> and {"c":1}, nothing.' });
  });
});

describe("state", () => {
  it("RL-19 a snapshot contains the state of the rules", async () => {
    const rules = [
      rule({ id: "r", on: ["b"], require: leaf("a") }),
      rule({ id: "m", on: ["c"], atMost: { count: 1, per: [] } }),
    ];
    const first = setup(rules);
    await play(first.session, "a");
    await play(first.session, "c");
    const second = testConduct({ policies: [new RulesPolicy({ rules, actions: {} })] });
    const resumed = second.open({ snapshot: first.session.serialise() });
    expect(await kinds(resumed, [["b"], ["c"]])).toEqual(["allow", "deny"]);
  });

  it("RL-20 the oldest evidence is evicted and then missing; a full record of prohibited calls denies", async () => {
    const same = [{ mine: "k", theirs: "k" }];
    const { session } = setup([
      rule({ id: "pos", on: ["b"], require: leaf("a", { same }) }),
      rule({ id: "neg", on: ["d"], require: { kind: "not", of: leaf("c", { same }) } }),
    ]);
    for (let k = 0; k <= 10_000; k++) {
      await play(session, "a", { k });
      await play(session, "c", { k });
    }
    expect(await play(session, "b", { k: 0 })).toMatchObject({
      kind: "deny",
      missing: [{ why: "not done in this session, or no longer remembered" }],
    });
    expect((await play(session, "b", { k: 10_000 })).kind).toBe("allow");
    expect((await play(session, "d", { k: 5 })).kind).toBe("deny");
    expect(await play(session, "d", { k: 99_999 })).toMatchObject({
      kind: "deny",
      missing: [{ why: "unknown" }],
    });
  });

  it("RL-21 a rule can apply to a glob, several names, or an action of a command", async () => {
    const { session } = setup([rule({ id: "g", on: ["db/*"] }), rule({ id: "p", on: ["publish", "release"] })], {
      publish: { tool: "shell", command: "npm publish *" },
    });
    expect(
      await kinds(session, [
        ["db/drop"],
        ["dbx"],
        ["shell", { command: "npm publish --tag x" }],
        ["shell", { command: "sudo npm publish" }],
        ["shell", { command: "npm test" }],
        ["release"],
      ]),
    ).toEqual(["deny", "allow", "deny", "deny", "allow", "deny"]);
  });
});
