import { describe, expect, it } from "vitest";
import { readStandingRule } from "../../../engine/governance/standing-rules.ts";
import { orderIn, orderRule } from "./order-rule.ts";

const KNOWN = ["test", "build", "deploy", "push", "review_plan", "write_file", "read_file", "shell", "git_push"];

describe("the order of two tools in a directive", () => {
  it.each([
    ["start", "the tests before deploying", "test", "deploy"],
    ["start", "running the tests before you deploy", "test", "deploy"],
    ["keep", "build, then deploy", "build", "deploy"],
    ["start", "build first, then deploy", "build", "deploy"],
    ["start", "deployment only after the tests", "test", "deploy"],
    ["keep", "deploying only once the build is there", "build", "deploy"],
    ["stop", "deploying before the tests have run", "test", "deploy"],
    ["stop", "deploying without running the tests", "test", "deploy"],
    ["start", "never deploy without a build", "build", "deploy"],
    ["start", "don't deploy until the tests pass", "test", "deploy"],
    ["keep", "read_file before write_file", "read_file", "write_file"],
    ["start", "review plan before build", "review_plan", "build"],
  ] as const)("HRD-10: the directive '%s: %s' means %s before %s", (type, text, first, later) => {
    expect(orderIn({ type, text }, KNOWN)).toEqual({ first, later });
  });

  it.each([
    ["stop", "long status reports"],
    ["start", "deploying without asking"],
    ["start", "deploy without tests"],
    ["keep", "coffee before deploying"],
    ["keep", "tests before tests"],
    ["start", "short answers"],
    ["keep", "deploying before the weekend"],
    ["start", "the git push before a deploy and push"],
  ] as const)("HRD-11: the directive '%s: %s' names no order, and the reason is given", (type, text) => {
    expect(orderIn({ type, text }, KNOWN)).toEqual({ why: expect.stringMatching(/\w{2,}/) });
  });

  it("HRD-12: the generated rule is valid YAML with a comment about its source", () => {
    const made = orderRule({ id: "c_1", type: "start", text: "tests before deploying # x", confidence: 0.8 }, KNOWN);
    if ("why" in made) throw new Error(made.why);
    expect(made.text.split("\n")[0]).toBe("# from c_1: START: tests before deploying # x, confidence 0.80");
    expect(readStandingRule(made.text)).toMatchObject({
      rule: { id: "test-before-deploy", on: ["deploy"], require: { kind: "call", call: "test" }, effect: "deny" },
    });
  });

  it("HRD-13: a declared order is used directly, and given names are checked against the known ones", () => {
    const check = { kind: "order", first: "build", later: "deploy" } as const;
    const source = { id: "d_1", type: "keep", text: "calm releases" } as const;
    expect(orderRule({ ...source, check }, KNOWN)).toMatchObject({ rule: "build-before-deploy" });
    expect(orderRule(source, KNOWN)).toHaveProperty("why");
    expect(orderRule(source, KNOWN, { first: "test", later: "push" })).toMatchObject({ rule: "test-before-push" });
    expect(orderRule(source, KNOWN, { first: "tset", later: "push" })).toEqual({
      why: expect.stringContaining("'tset'"),
    });
    expect(orderRule(source, KNOWN, { first: "push", later: "push" })).toHaveProperty("why");
  });

  it.each([
    ["start", "the tests before committing", "tests.run", "git.commit"],
    ["stop", "pushing without a build", "builds.run", "git.push"],
  ] as const)(
    "HRD-14: where no tool has such a name, '%s: %s' means the effects %s before %s",
    (type, text, first, later) => {
      const made = orderRule({ id: "d_1", type, text }, ["shell"]);
      if ("why" in made) throw new Error(made.why);
      expect(made.order).toEqual({ first, later });
      expect(readStandingRule(made.text)).toMatchObject({ rule: { on: [later], require: { call: first } } });
      expect(made.text).toContain("since: workspace.change");
      expect(orderRule({ id: "d_1", type, text: "calm" }, ["shell"], { first, later })).toMatchObject({
        order: { first, later },
      });
    },
  );
});
