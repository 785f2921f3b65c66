import { describe, expect, it } from "vitest";
import type { Objection, Observing } from "../../../../base/words/decision.ts";
import { sampleCall, sampleEvent } from "../../../../edge/stores/test/events-samples.ts";
import { paintFor } from "../../line/terminal.ts";
import { watchLines } from "./watch.ts";

const TESTS: Objection = { rule: "commit-needs-tests", code: "missing-prerequisite", reason: "Run the tests first." };

describe("what is only watched", () => {
  it.each([
    {
      observing: "shadow",
      shadows: [TESTS],
      says: /! would be denied\s+commit-needs-tests\s+d_1\s+Run the tests first\./,
    },
    { observing: "paused", shadows: [TESTS], says: /! would be denied/ },
    { observing: "shadow", shadows: [{ ...TESTS, asks: true }], says: /! would be asked\s+commit-needs-tests/ },
    { observing: "shadow", shadows: [{ ...TESTS, asks: true }, TESTS], says: /! would be denied/ },
    { observing: "shadow", shadows: [], says: /✓ shadow$/ },
    // A rule that is only tried out, in a session that is enforced: the call has simply passed.
    { observing: undefined, shadows: [TESTS], says: /✓$/ },
  ] as const)(
    "WAT-20 watch marks an allowed call by its mode $observing and $shadows.length objections",
    ({ observing, shadows, says }) => {
      const decision = { kind: "allow", id: "d_1", advice: [], ...because(observing) } as const;
      const body = { ...sampleCall(decision, "shell", { command: "git commit" }), shadows } as ReturnType<
        typeof sampleCall
      >;
      expect(shown({ ...sampleEvent(body), ...(observing === undefined ? {} : { observing }) })).toMatch(says);
    },
  );

  it("WAT-22 in 80 columns the whole command is shown, with its outcome and rule below it", () => {
    const decision = { kind: "allow", id: "d_3jyzzqdwga1191", advice: [], because: "shadow" } as const;
    const body = { ...sampleCall(decision, "shell", { command: "git push --force origin main" }), shadows: [TESTS] };
    const text = shown({ ...sampleEvent(body as ReturnType<typeof sampleCall>), observing: "shadow" }, 80);
    expect(text.split("\n")).toEqual([
      ' 11:00:00  coding/cli#1  ▸ call     shell "git push --force origin main"',
      "             ! would be denied   commit-needs-tests   d_3jyzzqdwga1191",
      "             Run the tests first.",
    ]);
  });

  it("WAT-21 in shadow mode watch marks a stop that would have been refused", () => {
    const stop = sampleEvent({
      type: "stop",
      status: "refused",
      refusals: 1,
      bound: 5,
      feedback: "report.md is missing.",
    });
    expect(shown({ ...stop, observing: "shadow" })).toMatch(/! would be refused\s+report\.md is missing\./);
    expect(shown(stop)).toMatch(/✗ not done \(1 of 5\)/);
  });
});

function because(observing: Observing | undefined): { readonly because?: Observing } {
  return observing === undefined ? {} : { because: observing };
}

function shown(event: ReturnType<typeof sampleEvent>, columns = 120): string {
  const lines = watchLines({ columns, paint: paintFor(false), timeOf: () => "11:00:00" })(event, "coding/cli#1");
  return lines.join("\n").trimEnd();
}
