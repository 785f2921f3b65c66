import { describe, expect, it } from "vitest";
import { accepted, codeOf, commands, DAY, Desk, iso, read, T } from "../test/test-desk.ts";
import type { ChangeRequest } from "./change-request.ts";

describe("candidates", () => {
  const propose = (text = "short answers", evidence = ["you wrote: too long"]): ChangeRequest => ({
    kind: "propose",
    type: "keep",
    text,
    confidence: 0.6,
    evidence,
  });

  it("E01: a proposal does not change the contract; its promotion does and keeps the evidence", () => {
    const desk = new Desk();
    expect(accepted(desk.send(propose()))).toMatchObject({
      outcome: "proposed",
      contract: { version: 0 },
      candidate: { id: "c_1", status: "pending", expiresAt: iso(T + 7 * DAY) },
    });
    expect(accepted(desk.send({ kind: "promote", id: "c_1" }))).toMatchObject({
      outcome: "promoted",
      directive: { source: "daily-review", candidate: "c_1", confidence: 0.6, evidence: ["you wrote: too long"] },
      candidate: { status: "promoted", directive: "d_2" },
      contract: { version: 1 },
    });
    expect(codeOf(desk.send({ kind: "promote", id: "c_1" }))).toBe("CANDIDATE_NOT_PENDING");
    expect(codeOf(desk.send(propose()))).toBe("known");
    desk.send({ kind: "undo" });
    expect(desk.state.candidates.get("c_1")).toMatchObject({ status: "pending" });
  });

  it("C08: a blocked promotion leaves the candidate pending with the reason and can be retried", () => {
    const desk = new Desk();
    desk.add("STOP: short answers");
    desk.send(propose());
    const refused = desk.send({ kind: "promote", id: "c_2" });
    expect(refused).toMatchObject({ code: "BEHAVIOR_CONFLICT", events: [{ kind: "candidate-blocked" }] });
    expect(commands(refused)).toEqual(["conduct behavior remove d_1", "conduct behavior promote c_2"]);
    expect(desk.state.candidates.get("c_2")).toMatchObject({ status: "pending", blocked: expect.any(String) });
    expect(desk.send({ kind: "promote", id: "c_2" }).events).toEqual([]);
    desk.send({ kind: "remove", id: "d_1" });
    expect(codeOf(desk.send({ kind: "promote", id: "c_2" }))).toBe("promoted");
  });

  it("E05: a candidate expires at its expiry time, and the expiry is recorded", () => {
    const desk = new Desk();
    desk.send(propose());
    desk.now = T + 7 * DAY - 1;
    expect(desk.decide({ kind: "promote", id: "c_1" }).kind).toBe("accepted");
    desk.now = T + 7 * DAY;
    expect(desk.send({ kind: "promote", id: "c_1" })).toMatchObject({
      code: "CANDIDATE_EXPIRED",
      events: [{ kind: "candidates-expired", ids: ["c_1"] }],
    });
    expect(codeOf(desk.send(propose()))).toBe("known");
    expect(codeOf(desk.send(propose("short answers", ["said again"])))).toBe("proposed");
  });

  it.each(["9999-12-31T00:00:00Z", "9999-12-31T23:59:00-05:00", "2027-02-30T00:00:00Z"])(
    "E07: snoozing until %s is rejected as an invalid time",
    (until) => {
      const desk = new Desk();
      desk.send(propose());
      expect(codeOf(desk.send({ kind: "snooze", id: "c_1", until }))).toBe("INVALID_TIME");
    },
  );

  it("E07: a candidate can be snoozed, edited, promoted in other words and rejected", () => {
    const desk = new Desk();
    desk.send(propose());
    const until = iso(T + 10 * DAY);
    expect(accepted(desk.send({ kind: "snooze", id: "c_1", until }))).toMatchObject({
      candidate: { status: "snoozed", until, expiresAt: iso(T + 17 * DAY) },
    });
    desk.now = T + 10 * DAY;
    desk.send({ kind: "edit", id: "c_1", type: "more", text: "brief answers" });
    expect(desk.state.candidates.get("c_1")).toMatchObject({ status: "pending", type: "more", text: "brief answers" });
    const promoted = accepted(desk.decide({ kind: "promote", id: "c_1", as: read("STOP: long answers") }));
    expect(promoted.directive).toMatchObject({ type: "stop", text: "long answers", candidate: "c_1" });
    desk.send({ kind: "reject", id: "c_1", reason: "not me" });
    expect(desk.state.candidates.get("c_1")).toMatchObject({ status: "rejected", reason: "not me" });
    expect(codeOf(desk.send({ kind: "snooze", id: "c_1", until: iso(T + 30 * DAY) }))).toBe("CANDIDATE_NOT_PENDING");
  });

  it("E04: a repeated proposal is known, or merged if it has new evidence; a rejected one needs new evidence", () => {
    const desk = new Desk();
    desk.send(propose());
    expect(accepted(desk.send(propose("Short answers.")))).toMatchObject({ outcome: "known", events: [] });
    expect(accepted(desk.send(propose("short answers", ["more", "more"])))).toMatchObject({
      outcome: "merged",
      candidate: { id: "c_1", evidence: ["you wrote: too long", "more"] },
    });
    desk.send({ kind: "reject", id: "c_1" });
    expect(codeOf(desk.send(propose()))).toBe("known");
    expect(codeOf(desk.send(propose("short answers", ["new"])))).toBe("proposed");
  });

  it("E01: promoting a candidate that is already in force adds nothing", () => {
    const desk = new Desk();
    desk.send(propose());
    const { contract } = accepted(desk.add("KEEP: Short answers"));
    expect(accepted(desk.send({ kind: "promote", id: "c_1" }))).toMatchObject({ outcome: "promoted", contract });
    expect(desk.state.candidates.get("c_1")).toMatchObject({ status: "promoted", directive: "d_2" });
  });
});
