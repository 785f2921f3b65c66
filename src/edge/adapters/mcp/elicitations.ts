import { asObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { PersonAnswer, Question } from "../../../base/words/decision.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { renderApproval } from "../../host/node/terminal-approver.ts";

/** A person's answer to a question; `later` if nobody answered. */
export type Answer = PersonAnswer | "later";

/** The question as a form of the client, without a default answer. */
export function elicitationOf(question: Question, { tool, args }: CallInput, session: string): JsonObject {
  const { approval, rule, input = args, expiresAt } = question;
  return {
    message: renderApproval({ approval, session, rule, tool, question: question.question, input, expiresAt }).trim(),
    requestedSchema: {
      type: "object",
      properties: { answer: { type: "string", title: "Let it run?", enum: choicesOf(question) } },
      required: ["answer"],
    },
  };
}

/** Only a clear yes counts as yes; closing the form answers nothing. */
export function readElicitation(result: unknown, question: Pick<Question, "remember">): Answer {
  const { action, content } = asObject(result);
  if (action === "decline") return "no";
  if (action !== "accept") return "later";
  const { answer } = asObject(content);
  return choicesOf(question).find((one) => one === answer) ?? "later";
}

function choicesOf({ remember }: Pick<Question, "remember">): PersonAnswer[] {
  return remember === true ? ["yes", "no", "always"] : ["yes", "no"];
}
