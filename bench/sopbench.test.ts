import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../src/base/words/json.ts";
import { run } from "./sopbench.ts";
import type { Graph, GraphNode, ImpliedFact, Procedures, RecordedCall, Run } from "./sopbench-data.ts";
import { resultOf, Stage } from "./sopbench-replay.ts";
import { translate } from "./sopbench-rules.ts";
import { scoreOf } from "./sopbench-score.ts";

/** A shop: pay after login of the same person and a look at either the price or the catalogue. */
const shop: Graph = {
  nodes: [
    ["pay", { user: "user", item: "item" }],
    "and",
    ["login", { user: "user", secret: "secret" }],
    "or",
    ["price", { item: "item" }],
    ["catalogue", {}],
  ],
  connections: [
    [0, 1],
    [1, 2],
    [1, 3],
    [3, 4],
    [3, 5],
  ],
};

const procedures: Procedures = {
  action_parameters: {
    pay: ["user", "item"],
    login: ["user", "secret"],
    price: ["item"],
    catalogue: [],
    known: ["user"],
    refund: ["user"],
    gift: ["user", "friend"],
  },
  default_graphs: {
    refund: {
      nodes: [
        ["refund", { user: "user" }],
        ["known", { user: "user" }],
      ],
      connections: [[0, 1]],
    },
    pay: {
      nodes: [
        ["pay", {}],
        ["refund", {}],
      ],
      connections: [[0, 1]],
    },
  },
  implied_by_innate: {
    login: { known: { keys: ["user"], value_param_names: [["user"]] } },
    gift: { known: { keys: ["user"], value_param_names: [["friend"]] } },
  },
};

type Made = readonly [tool: string, args: JsonObject, result?: Json, ok?: boolean | null];

function recorded(calls: readonly Made[], success = false): Run {
  const all = calls.map(
    ([tool, args, result = true, order_ok = true]): RecordedCall => ({ tool, args, result, status: 0, order_ok }),
  );
  return { id: "r", task_id: "t", calls: all, labels: { success } };
}

async function denials(calls: readonly Made[], options: { graph?: Graph; counts?: "allowed" | "succeeded" } = {}) {
  const tasks = new Map([["t", options.graph ?? shop]]);
  const stage = new Stage({ procedures, tasks }, options.counts ?? "allowed");
  return (await stage.replay(recorded(calls))).verdicts.map(({ denied }) => denied !== undefined);
}

describe("translation", () => {
  it("SOPB-1 a procedure becomes one rule per tool, with arguments compared only where the tool has them", () => {
    const { rules, actions } = translate(shop, procedures, "allowed");
    const call = { kind: "call", fresh: false, counts: "allowed" };
    expect(rules.find(({ id }) => id === "order:pay")).toMatchObject({
      on: ["pay"],
      effect: "deny",
      require: {
        kind: "all",
        of: [
          { ...call, call: "login", same: [{ mine: "user", theirs: "user" }] },
          {
            kind: "any",
            of: [
              { ...call, call: "price", same: [{ mine: "item", theirs: "item" }] },
              { ...call, call: "catalogue", same: [] },
            ],
          },
        ],
      },
    });
    expect(actions).toEqual({ login: { tool: "login", implies: ["known"] }, gift: { tool: "gift", implies: [] } });
  });

  const ann = { user: "ann" };
  const login: Made = ["login", { ...ann, secret: "s" }];
  const pay: Made = ["pay", { ...ann, item: "tea" }];
  it.each<{ name: string; calls: readonly Made[]; expected: readonly boolean[] }>([
    { name: "nothing first", calls: [pay], expected: [true] },
    { name: "one way of an or", calls: [login, ["price", { item: "tea" }], pay], expected: [false, false, false] },
    { name: "the other way", calls: [["catalogue", {}], login, pay], expected: [false, false, false] },
    { name: "of another thing", calls: [login, ["price", { item: "jam" }], pay], expected: [false, false, true] },
    {
      name: "of another person",
      calls: [["login", { user: "bob", secret: "s" }], ["catalogue", {}], pay],
      expected: [false, false, true],
    },
    { name: "a fact that a call implies", calls: [login, ["refund", ann]], expected: [false, false] },
    {
      name: "a fact under another name",
      calls: [
        ["gift", { user: "bob", friend: "ann" }],
        ["refund", ann],
      ],
      expected: [false, false],
    },
    {
      name: "the fact is not of the giver",
      calls: [
        ["gift", { user: "ann", friend: "bob" }],
        ["refund", ann],
      ],
      expected: [false, true],
    },
    {
      name: "an argument left out",
      calls: [login, ["price", { item: "tea" }], ["pay", ann]],
      expected: [false, false, false],
    },
    {
      name: "an argument left empty",
      calls: [login, ["price", { item: "tea" }], ["pay", { ...ann, item: "" }]],
      expected: [false, false, false],
    },
    { name: "a tool that no procedure knows", calls: [["dance", {}]], expected: [false] },
  ])("SOPB-2 the translated rules decide on $name: denied $expected", async ({ calls, expected }) => {
    expect(await denials(calls)).toEqual(expected);
  });

  it("SOPB-3 the task's graph takes precedence over the tool's own, and a denied call is not evidence", async () => {
    const graph: Graph = {
      nodes: [
        ["gift", {}],
        ["pay", {}],
        ["catalogue", {}],
      ],
      connections: [
        [0, 1],
        [1, 2],
      ],
    };
    const calls: readonly Made[] = [
      ["pay", {}],
      ["gift", {}],
      ["catalogue", {}],
      ["pay", {}],
      ["gift", {}],
    ];
    expect(await denials(calls, { graph })).toEqual([true, true, false, false, false]);
    expect(await denials([["pay", {}]], { graph: { nodes: [], connections: [] } })).toEqual([true]);
  });

  it.each([
    { result: true, failed: false },
    { result: [true, false], failed: false },
    { result: "2024-11-21", failed: false },
    { result: "Errors are rare", failed: false },
    { result: {}, failed: false },
    { result: false, failed: true },
    { result: [false, {}], failed: true },
    { result: "KeyError: 'x'", failed: true },
    { result: "Error: Tool x not found.", failed: true },
  ])("SOPB-4 with `counts: succeeded`, a result of $result counts as failed: $failed", async ({ result, failed }) => {
    expect(resultOf({ result }).outcome).toBe(failed ? "failed" : "ok");
    const calls: readonly Made[] = [
      ["known", { user: "ann" }, result],
      ["refund", { user: "ann" }],
    ];
    expect(await denials(calls, { counts: "succeeded" })).toEqual([false, failed]);
    expect(await denials(calls, { counts: "allowed" })).toEqual([false, false]);
  });
});

const TOOLS = ["a", "b", "c", "d"];
const PARAMETERS: { readonly [tool: string]: readonly string[] } = {
  a: ["x", "y"],
  b: ["x", "y", "z"],
  c: ["x"],
  d: ["x", "y"],
};

/** The protocol as its README says it: every earlier call is looked at again. */
function outOfOrder(graph: Graph, { action_parameters, ...rules }: Procedures, calls: readonly Made[]): boolean[] {
  const done: { fn: string; args: JsonObject }[] = [];
  return calls.map(([tool, args]) => {
    const given = (name: string) =>
      action_parameters[tool]?.includes(name) && args[name] !== "" ? args[name] : undefined;
    const holds = (at: number, of: Graph): boolean => {
      const node = of.nodes[at];
      const children = of.connections.filter(([from, to]) => from === at && to < of.nodes.length);
      if (node === "and") return children.every(([, to]) => holds(to, of));
      if (node === "or") return children.some(([, to]) => holds(to, of));
      const [fn, names] = node ?? ["", {}];
      const seen = done.some(
        (one) =>
          one.fn === fn.replace("not ", "") &&
          Object.entries(names ?? {}).every(([p, name]) => given(name) === undefined || one.args[p] === given(name)),
      );
      return fn.startsWith("not ") ? !seen : seen;
    };
    const own = (of: Graph | undefined) => of?.nodes.findIndex((node) => typeof node !== "string" && node[0] === tool);
    const fallback = rules.default_graphs[tool];
    const of = own(graph) !== -1 ? graph : fallback;
    const at = own(of) ?? -1;
    const ok =
      of === undefined ||
      at < 0 ||
      of.connections.every(([from, to]) => from !== at || to >= of.nodes.length || holds(to, of));
    if (!ok) return true;
    done.push({ fn: tool, args });
    for (const [fn, { keys, value_param_names }] of Object.entries(rules.implied_by_innate[tool] ?? {})) {
      for (const values of value_param_names) {
        const fact = keys.map((key, i) => [key, args[values[i] ?? ""]] as const);
        if (fact.every(([, value]) => value !== undefined))
          done.push({ fn, args: Object.fromEntries(fact) as JsonObject });
      }
    }
    return false;
  });
}

describe("whatever the procedure", () => {
  // A graph names parameters that the function has; what the tool above has is another matter.
  const leaf = fc.constantFrom(...TOOLS, ...TOOLS, "not c").chain((fn) => {
    const parameters = PARAMETERS[fn.replace("not ", "")] ?? [];
    return fc.tuple(fc.constant(fn), fc.dictionary(fc.constantFrom(...parameters), fc.constantFrom("x", "y", "z")));
  });
  const node: fc.Arbitrary<GraphNode> = fc.oneof(fc.constantFrom("and" as const, "or" as const), leaf);
  // Connections lead onwards, some to a node that is not there: gates within gates, nodes shared, and no circles.
  const graph: fc.Arbitrary<Graph> = fc.array(node, { minLength: 1, maxLength: 7 }).chain((nodes) =>
    fc.record({
      nodes: fc.constant(nodes),
      connections: fc.array(
        fc
          .tuple(fc.nat(nodes.length - 1), fc.integer({ min: 1, max: nodes.length }))
          .map(([from, to]) => [from, Math.min(nodes.length, Math.max(from + 1, to))] as const),
        { maxLength: 12 },
      ),
    }),
  );
  const implied: fc.Arbitrary<ImpliedFact> = fc
    .constantFrom("x", "y")
    .map((value) => ({ keys: ["x"], value_param_names: [[value]] }));
  const rules: fc.Arbitrary<Procedures> = fc.record({
    action_parameters: fc.constant(PARAMETERS),
    default_graphs: fc.dictionary(fc.constantFrom("a", "b"), graph, { maxKeys: 2 }),
    implied_by_innate: fc.dictionary(
      fc.constantFrom("a", "b", "d"),
      fc.dictionary(fc.constantFrom("c", "d"), implied, { maxKeys: 2 }),
      { maxKeys: 2 },
    ),
  });
  const value = fc.constantFrom("p", "q", "q", "p", "");
  const call = fc.tuple(
    fc.constantFrom(...TOOLS),
    fc.record({ x: value, y: value, z: value }, { requiredKeys: ["x", "y"] }),
  );

  it("SOPB-5 the engine decides as the protocol does, with nested and shared gates, renamed names and missing arguments", async () => {
    await fc.assert(
      fc.asyncProperty(graph, rules, fc.array(call, { maxLength: 10 }), async (task, domain, calls) => {
        const stage = new Stage({ procedures: domain, tasks: new Map([["t", task]]) }, "allowed");
        const made = calls.map(([tool, args]): Made => [tool, args as JsonObject]);
        const { verdicts } = await stage.replay(recorded(made));
        expect(verdicts.map(({ denied }) => denied !== undefined)).toEqual(outOfOrder(task, domain, made));
      }),
      { numRuns: 150 },
    );
  });
});

describe("figures", () => {
  it("SOPB-6 only labelled calls are scored, and a run is scored by any of its calls", async () => {
    const stage = new Stage({ procedures, tasks: new Map([["t", shop]]) }, "allowed");
    const replayed = [
      await stage.replay(recorded([["pay", {}, true, false]])),
      await stage.replay(
        recorded([
          ["refund", {}, true, true],
          ["dance", {}, true, false],
        ]),
      ),
      await stage.replay(
        recorded(
          [
            ["refund", {}, true, null],
            ["catalogue", {}, true, true],
          ],
          true,
        ),
      ),
    ];
    expect(scoreOf("shop", replayed)).toMatchObject({
      runs: 3,
      calls: 5,
      perCall: { judged: 4, hits: 1, wrong: 1, missed: 1, precision: 0.5, recall: 0.5 },
      perRun: { judged: 3, hits: 2, wrong: 0, missed: 0, precision: 1, recall: 1 },
      successfulRuns: 1,
      deniedInSuccessful: 1,
      deniedBeyond: 1,
      disagreements: [
        { tool: "refund", kind: "wrong", count: 1 },
        { tool: "dance", kind: "missed", count: 1, afterFailure: 1 },
      ],
    });
    expect(scoreOf("nothing", [])).toMatchObject({ perCall: { precision: 1, recall: 1 } });
  });
});

describe("the command", () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  function folderWith(files: { readonly [name: string]: string }): string {
    const folder = mkdtempSync(join(tmpdir(), "conduct-sopbench-"));
    folders.push(folder);
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, name), name.endsWith(".gz") ? gzipSync(text) : text);
    }
    return folder;
  }

  const files = {
    "shop.rules.json": JSON.stringify(procedures),
    "shop.tasks.jsonl.gz": `${JSON.stringify({ task_id: "t", directed_action_graph: shop })}\n`,
    // Python writes such numbers.
    "shop.trajectories.jsonl.gz": `${JSON.stringify(recorded([["pay", {}, 7, false]]))}\n`.replace(":7,", ": NaN,"),
  };

  async function printed(...args: readonly string[]): Promise<string> {
    const lines: string[] = [];
    await run(args, (text) => lines.push(text));
    return lines.join("\n");
  }

  it("SOPB-7 the command prints both tables, the goals and the baselines, or one JSON envelope", async () => {
    const data = folderWith(files);
    const text = await printed("--data", data);
    for (const part of ["| shop ", "| all ", "counts: allowed", "counts: succeeded", "goal met", "0.819 / 0.963"]) {
      expect(text).toContain(part);
    }
    const document = JSON.parse(await printed("--data", data, "--json"));
    expect(document).toMatchObject({
      ok: true,
      command: "bench:sopbench",
      result: { tables: [{ counts: "allowed", all: { perCall: { hits: 1 } } }, { counts: "succeeded" }] },
    });
  });

  it("SOPB-8 without recordings the command says so and does not fail", async () => {
    expect(await printed("--data", "/not/there")).toContain("no recordings in /not/there");
    const document = JSON.parse(await printed("--data", folderWith({}), "--json"));
    expect(document).toMatchObject({ ok: true, result: { skipped: expect.stringContaining("no recordings") } });
  });

  it("SOPB-9 an unreadable line of a recording is reported with its position", async () => {
    const data = folderWith({ ...files, "shop.trajectories.jsonl.gz": "\n{" });
    await expect(printed("--data", data)).rejects.toThrow("shop.trajectories.jsonl.gz:2 is not JSON");
  });
});
