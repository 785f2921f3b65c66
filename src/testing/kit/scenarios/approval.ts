import type { ApprovalAnswer, ApprovalQuestion, Approver } from "../../../base/ports/approver.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import type { KitReply, KitRun } from "../driver.ts";
import { check, checkContains, decisionsOn, resultOf } from "../expect.ts";
import type { Scenario } from "./scenario.ts";

const agent = defineAgent({
  name: "cautious",
  policies: [
    {
      name: "ask-first",
      check: ({ args }) =>
        args.command === "sh pay.sh" ? { kind: "ask", question: "May it pay 7 EUR?" } : { kind: "allow" },
    },
  ],
});

/** A person who answers the questions in this order; `undefined` means no answer until the timeout. */
function person(...answers: readonly (ApprovalAnswer["answer"] | undefined)[]) {
  const asked: ApprovalQuestion[] = [];
  const approver: Approver = {
    async ask(question) {
      const answer = answers[asked.push(question) - 1];
      return answer === undefined ? undefined : { answer, by: "ann" };
    },
  };
  return { approver, asked };
}

function payRun(approver: Approver, times = 1): KitRun {
  const pay = (at: number): KitReply => ({
    calls: [{ id: `call_${at + 1}`, tool: "shell", args: { command: "sh pay.sh" } }],
  });
  return {
    agent,
    message: "pay it",
    files: { "pay.sh": "echo paid >> paid.txt; echo it is paid" },
    ports: { approver },
    script: [...Array.from({ length: times }, (_, at) => pay(at)), { text: "Done." }],
  };
}

export const approvalScenarios: readonly Scenario[] = [
  {
    id: "approval-yes",
    title: "a person is asked what the rule asks, says yes, and the call runs once",
    needs: ["approval"],
    async run(driver) {
      const { approver, asked } = person("yes", "no");
      const outcome = await driver.run(payRun(approver, 2));
      check(asked[0]?.question === "May it pay 7 EUR?", `the person was asked: ${JSON.stringify(asked[0])}`);
      check(asked[0].input.command === "sh pay.sh", "the question does not show what would run");
      checkContains(resultOf(outcome, "call_1"), "it is paid", "the result of the approved call");
      check(asked.length === 2, `a yes is good for one call, and the person was asked ${asked.length} times`);
      check(outcome.file("paid.txt") === "paid\n", `paid: ${JSON.stringify(outcome.file("paid.txt"))}`);
      const by = outcome.events.flatMap((event) => (event.type === "approval" ? [`${event.answer} ${event.by}`] : []));
      check(by.join() === "yes ann,no ann", `the answers on record are: ${by.join()}`);
    },
  },
  {
    id: "approval-no",
    title: "a person says no: the call does not run, the model is told so, and nobody is asked again",
    needs: ["approval"],
    async run(driver) {
      const { approver, asked } = person("no", "yes");
      const outcome = await driver.run(payRun(approver, 2));
      checkContains(resultOf(outcome, "call_1"), "A person denied this", "the result of the refused call");
      check(asked.length === 1, `the person was asked ${asked.length} times`);
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
      const { approver, asked } = person(undefined, "yes");
      const outcome = await driver.run(payRun(approver, 2));
      const text = resultOf(outcome, "call_1");
      checkContains(text, asked[0]?.approval ?? "a question", "the result of the call that waits");
      checkContains(resultOf(outcome, "call_2"), "it is paid", "the result of the second attempt");
      check(outcome.file("paid.txt") === "paid\n", `paid: ${JSON.stringify(outcome.file("paid.txt"))}`);
    },
  },
];
