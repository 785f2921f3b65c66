import { expect, it } from "vitest";
import type { Agent } from "../../base/words/hosting/agent.ts";
import type { CallLeaf, Rule } from "../../base/words/rule.ts";
import { SequentialDependencyPolicy } from "./builtin/sequential-dependency-policy.ts";
import { renderPrerequisites } from "./render-prerequisites.ts";
import { RulesPolicy } from "./rules/rules-policy.ts";

function leaf(call: string, more: Partial<CallLeaf> = {}): CallLeaf {
  return { kind: "call", call, same: [], fresh: false, counts: "succeeded", ...more };
}

function rules(...list: readonly Partial<Rule>[]): RulesPolicy {
  const all = list.map((rule, i): Rule => ({ id: `r${i}`, on: ["x"], effect: "deny", ...rule }));
  return new RulesPolicy({ actions: {}, rules: all });
}

function render(agent: Partial<Agent>): readonly string[] {
  return renderPrerequisites({ tools: [], policies: [], sections: [], ...agent });
}

it("PR-1 prerequisites of tools, sequential dependencies and rules are listed once each", () => {
  const sequential = new SequentialDependencyPolicy({ dependencies: { deploy: ["test", "build"] } });
  const lines = render({
    tools: [{ name: "publish", prerequisites: ["login"] }, { name: "read_file" }],
    sections: [{ heading: "h", content: "c", policies: [sequential] }],
    policies: [rules({ on: ["deploy"], require: { kind: "all", of: [leaf("build"), leaf("test")] } })],
  });
  expect(lines).toEqual(["publish: only after login", "deploy: only after build, test"]);
});

it.each<[string, Partial<Rule>, readonly string[]]>([
  ["any", { require: { kind: "any", of: [leaf("a"), leaf("b")] } }, ["x: only after a or b"]],
  [
    "nested",
    { require: { kind: "all", of: [leaf("a"), { kind: "any", of: [leaf("b"), leaf("c")] }] } },
    ["x: only after a, (b or c)"],
  ],
  ["not", { require: { kind: "not", of: leaf("a") } }, ["x: only if not a"]],
  [
    "not among others",
    { require: { kind: "all", of: [leaf("a"), { kind: "not", of: { kind: "any", of: [leaf("b"), leaf("c")] } }] } },
    ["x: only after a, not (b or c)"],
  ],
  ["one of one", { require: { kind: "all", of: [leaf("a")] } }, ["x: only after a"]],
  [
    "bounds of a call",
    {
      require: leaf("a", {
        same: [
          { mine: "u", theirs: "user" },
          { mine: "p", theirs: "p" },
        ],
        fresh: true,
        within: 600_000,
        since: "b",
      }),
    },
    ["x: only after a [same user = u, p, unchanged since, within 10 minutes, since the last b]"],
  ],
  ["ask", { effect: "ask", require: leaf("a") }, ["x: only after a, or a person is asked"]],
  ["warn", { effect: "warn", require: leaf("a") }, ["x: better after a"]],
  ["when", { when: "args.n > 1", unless: "args.dry", require: leaf("a") }, ["x: in some cases only after a"]],
  [
    "the rule's sentence",
    { when: "args.n > 1", require: leaf("a"), say: "Read {{args.path}} before {{args.n}}." },
    ["x: Read the file before the n."],
  ],
  [
    "the sentence of a question",
    { effect: "ask", require: leaf("a"), say: "It is lost." },
    ["x: It is lost. A person is asked."],
  ],
  ["shadow", { effect: "shadow", require: leaf("a") }, []],
  ["no requirement", { when: "args.n > 1" }, []],
])("PR-2 the prerequisites of a rule are rendered: %s", (_what, rule, lines) => {
  expect(render({ policies: [rules(rule)] })).toEqual(lines);
});
