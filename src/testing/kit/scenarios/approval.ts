import type { KitAnswer, KitOutcome, KitReply, KitRun } from "../driver.ts";
import { check, checkContains, decisionsOn, resultOf } from "../expect.ts";
import { configOf, type Scenario } from "./scenario.ts";

const config = configOf("cautious", {
  rules: [
    { id: "ask-first", on: "shell", when: 'args.command == "sh pay.sh"', effect: "ask", say: "May it pay 7 EUR?" },
  ],
});

/** The questions of a run, in order. */
function asked({ events }: KitOutcome) {
  return events.flatMap((event) =>
    event.type === "call" && event.decision.kind === "ask" ? [{ ...event.decision, call: event.call }] : [],
  );
}

function payRun(answers: readonly KitAnswer[], times = 1): KitRun {
  const pay = (at: number): KitReply => ({
    calls: [{ id: `call_${at + 1}`, tool: "shell", args: { command: "sh pay.sh" } }],
  });
  return {
    config,
    message: "pay it",
    files: { "pay.sh": "echo paid >> paid.txt; echo it is paid" },
    answers,
    script: [...Array.from({ length: times }, (_, at) => pay(at)), { text: "Done." }],
  };
}

export const approvalScenarios: readonly Scenario[] = [
  {
    id: "approval-yes",
    title: "a person is asked what the rule asks, says yes, and the call runs once",
    needs: ["approval"],
    async run(driver) {
      const outcome = await driver.run(payRun(["yes", "no"], 2));
      const questions = asked(outcome);
      checkContains(questions[0]?.question ?? "", "May it pay 7 EUR?", "the question");
      check(questions[0]?.call.args.command === "sh pay.sh", "the question does not show what would run");
      checkContains(resultOf(outcome, "call_1"), "it is paid", "the result of the approved call");
      check(questions.length === 2, `a yes is good for one call, and the person was asked ${questions.length} times`);
      check(outcome.file("paid.txt") === "paid\n", `paid: ${JSON.stringify(outcome.file("paid.txt"))}`);
      const answers = outcome.events.flatMap((event) =>
        event.type === "approval" && event.by !== "" ? [event.answer] : [],
      );
      check(answers.join() === "yes,no", `the answers on record are: ${answers.join()}`);
    },
  },
  {
    id: "approval-no",
    title: "a person says no: the call does not run, the model is told so, and nobody is asked again",
    needs: ["approval"],
    async run(driver) {
      const outcome = await driver.run(payRun(["no", "yes"], 2));
      checkContains(resultOf(outcome, "call_1"), "A person denied this", "the result of the refused call");
      check(asked(outcome).length === 1, `the person was asked ${asked(outcome).length} times`);
      check(decisionsOn(outcome, "call_2").at(-1) === "deny", "the second attempt was not denied");
      check(outcome.file("paid.txt") === undefined, "the refused command ran all the same");
    },
  },
  {
    id: "approval-unanswered",
    title:
      "nobody answers in time: the call does not run and the model is told; when it is tried again, a yes lets it run",
    needs: ["approval"],
    async run(driver) {
      const outcome = await driver.run(payRun(["none", "yes"], 2));
      const text = resultOf(outcome, "call_1");
      checkContains(text, asked(outcome)[0]?.approval ?? "a question", "the result of the call that waits");
      checkContains(resultOf(outcome, "call_2"), "it is paid", "the result of the second attempt");
      check(outcome.file("paid.txt") === "paid\n", `paid: ${JSON.stringify(outcome.file("paid.txt"))}`);
    },
  },
];
