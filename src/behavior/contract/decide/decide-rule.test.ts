import { describe, expect, it } from "vitest";
import { Desk } from "../test/test-desk.ts";

const TEXT = "rules:\n  - { id: test-before-deploy, on: deploy, require: { call: test } }\n";
const propose = (evidence: string) =>
  ({ kind: "propose", type: "start", text: "test before deploy", confidence: 0.8, evidence: [evidence] }) as const;

describe("candidates that became rules", () => {
  it("HRD-8: a candidate that became a rule is not proposed again; after the rule is removed it needs new evidence", () => {
    const desk = new Desk();
    desk.send(propose("one"));
    desk.send({ kind: "harden", rule: "test-before-deploy", text: TEXT, from: "c_1" });
    expect(desk.send(propose("two"))).toMatchObject({ outcome: "known", candidate: { id: "c_1" } });
    desk.send({ kind: "remove-rule", id: "test-before-deploy" });
    expect(desk.send(propose("one"))).toMatchObject({ outcome: "known" });
    expect(desk.send(propose("three"))).toMatchObject({ outcome: "proposed" });
  });

  it("HRD-9: a promoted directive that became a rule is not proposed again after it left the contract", () => {
    const desk = new Desk();
    desk.send(propose("one"));
    const promoted = desk.send({ kind: "promote", id: "c_1" });
    const from = promoted.kind === "accepted" ? (promoted.directive?.id ?? "") : "";
    desk.send({ kind: "harden", rule: "test-before-deploy", text: TEXT, from });
    desk.send({ kind: "remove", id: from });
    expect(desk.send(propose("two"))).toMatchObject({ outcome: "known" });
    desk.send({ kind: "remove-rule", id: "test-before-deploy" });
    expect(desk.send(propose("two"))).toMatchObject({ outcome: "proposed" });
  });

  it("HRD-9: undo reverts directives but never rules", () => {
    const desk = new Desk();
    desk.add("STOP: jokes");
    desk.send({ kind: "harden", rule: "test-before-deploy", text: TEXT });
    desk.send({ kind: "enforce-rule", id: "test-before-deploy" });
    expect(desk.send({ kind: "undo" })).toMatchObject({ outcome: "undone" });
    expect(desk.state.rules.get("test-before-deploy")).toMatchObject({ status: "enforced" });
    expect(desk.send({ kind: "undo" })).toMatchObject({ kind: "refused" });
  });
});
