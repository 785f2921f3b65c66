import { describe, expect, it } from "vitest";
import type { BehaviorDirective, ContractScope, DirectiveType } from "../../base/words/contract.ts";
import { conflictsAmong, findMeetings } from "./conflicts.ts";
import { DIRECTIVE_TYPES } from "./parse/directive-form.ts";

function stated(
  type: DirectiveType,
  text: string,
  scope: ContractScope = "global",
  expiresAt?: string,
): BehaviorDirective {
  const rest = { source: "operator", createdAt: "2026-01-01T00:00:00.000Z", scope } as const;
  return { id: `${type}-1`, type, text, ...rest, ...(expiresAt === undefined ? {} : { expiresAt }) };
}

function kinds(incoming: BehaviorDirective, other: BehaviorDirective): readonly string[] {
  return findMeetings(incoming, [other]).map(({ kind }) => kind);
}

describe("findMeetings", () => {
  it.each<[DirectiveType, DirectiveType, string, string]>([
    ["keep", "stop", "conflict", "conflict"],
    ["start", "stop", "conflict", "conflict"],
    ["more", "stop", "conflict", "conflict"],
    ["more", "less", "conflict", "conflict"],
    ["start", "less", "conflict", "conflict"],
    ["less", "stop", "absorbed", "absorbs"],
    ["keep", "less", "warns", "warns"],
    ["keep", "more", "warns", "warns"],
    ["keep", "start", "warns", "warns"],
    ["more", "start", "warns", "warns"],
  ])("C03: %s after %s on the same subject is %s, in the other order %s", (a, b, after, before) => {
    expect(kinds(stated(a, "Status hand-offs."), stated(b, "status handoffs"))).toEqual([after]);
    expect(kinds(stated(b, "status handoffs"), stated(a, "Status hand-offs."))).toEqual([before]);
  });

  it("C02: every pair of types has an outcome, and only incompatible directives conflict", () => {
    const all = DIRECTIVE_TYPES.map((type) => stated(type, "status handoffs"));
    expect(conflictsAmong(all)).toHaveLength(5);
    expect(all.flatMap((one) => all.flatMap((other) => kinds(one, other)))).toHaveLength(25);
  });

  it.each<[ContractScope, ContractScope, readonly string[]]>([
    ["agent:a", "global", ["conflict"]],
    ["agent:a", "channel:web", ["conflict"]],
    ["user:ann", "agent:a", ["conflict"]],
    ["agent:a", "agent:a", ["conflict"]],
    ["agent:a", "agent:b", []],
    ["user:ann", "user:bob", []],
  ])("C02: KEEP in %s and STOP in %s give %j", (a, b, expected) => {
    expect(kinds(stated("keep", "long talk", a), stated("stop", "long talk", b))).toEqual(expected);
  });

  it.each<[ContractScope, ContractScope, string | undefined, string | undefined, readonly string[]]>([
    ["agent:a", "global", undefined, undefined, ["repeats"]],
    ["global", "agent:a", undefined, undefined, []],
    ["agent:a", "channel:web", undefined, undefined, []],
    ["agent:a", "global", undefined, "2026-02-01T00:00:00.000Z", []],
    ["agent:a", "global", "2026-01-20T00:00:00.000Z", "2026-02-01T00:00:00.000Z", ["repeats"]],
    ["global", "global", undefined, "2026-02-01T00:00:00.000Z", ["repeats"]],
  ])("C01: KEEP in %s against the same KEEP in %s (until %s, %s) gives %j", (a, b, until, otherUntil, expected) => {
    expect(kinds(stated("keep", "long talk", a, until), stated("keep", "Long talk!", b, otherUntil))).toEqual(expected);
  });

  it("C03: STOP absorbs LESS only if its scope and lifetime cover those of LESS", () => {
    const stop = (scope: ContractScope, until?: string) => stated("stop", "long talk", scope, until);
    const less = (scope: ContractScope) => stated("less", "long talk", scope);
    expect(kinds(stop("global"), less("agent:a"))).toEqual(["absorbs"]);
    expect(kinds(stop("agent:a"), less("global"))).toEqual(["warns"]);
    expect(kinds(stop("global", "2026-02-01T00:00:00.000Z"), less("global"))).toEqual(["warns"]);
    expect(kinds(less("agent:a"), stop("global"))).toEqual(["absorbed"]);
  });

  it.each([
    ["keep", "frequent status handoffs", "stop", "redundant status updates", true],
    ["more", "tests for parsers", "less", "parser tests", true],
    ["start", "長い説明をする", "stop", "長い説明", true],
    ["keep", "short answers", "stop", "long answers", true],
    ["keep", "short answers", "more", "answers", false],
    ["keep", "daily summaries of mail", "stop", "asking before every deployment", false],
    ["keep", "the tone", "stop", "the jokes", false],
  ] as const)("C04: %s '%s' and %s '%s' are a suspected conflict: %s", (a, x, b, y, suspected) => {
    expect(kinds(stated(a, x), stated(b, y))).toEqual(suspected ? ["suspect"] : []);
  });
});
