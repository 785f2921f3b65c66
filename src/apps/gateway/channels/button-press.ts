import type { Clock } from "../../../base/ports/clock.ts";
import type { GivenAnswer } from "../../../base/ports/stores/hosting/questions.ts";
import type { PersonAnswer } from "../../../base/words/decision.ts";
import type { PendingApproval } from "../../../base/words/hosting/question.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import type { Approvals } from "../agents/approvals.ts";
import { changeOfAnswer } from "./contract-edits.ts";

/** A button that a person pressed in a chat. */
export type Press = {
  /** `KIND:ID:CHOICE`, see `messenger.ts`. */
  readonly data: string;
  /** The text above the button. */
  readonly text: string;
  /** Who pressed, for the journal: `telegram:5`. */
  readonly by: string;
  /** The gateway's user who pressed, if known. */
  readonly user: () => Promise<string | undefined>;
  readonly isOperator: () => Promise<boolean>;
  /** Whether the button was in the chat of this question. */
  readonly isHere: (question: PendingApproval) => Promise<boolean>;
};

/** `notice` is for the person who pressed; `text` replaces the message, and its buttons disappear. */
export type PressOutcome = { readonly notice: string; readonly isRefused?: true; readonly text?: string };

/** Questions of coding runtimes on this machine. Only operators may answer them. */
export type RuntimeQuestions = {
  find(approval: string): Promise<PendingApproval | undefined>;
  /** Resolves to the reason if the answer was not taken. */
  answer(question: PendingApproval, given: GivenAnswer): Promise<string | undefined>;
};

export type PressDuty = {
  readonly approvals: Pick<Approvals, "find" | "answer">;
  readonly runtimes: RuntimeQuestions;
  readonly contracts: Pick<ContractService, "change">;
  readonly clock: Pick<Clock, "now">;
};

const CLOSED: PressOutcome = { notice: "This question is no longer open." };
const NOT_ALLOWED: PressOutcome = { notice: "You are not allowed to decide this.", isRefused: true };

/** Carries out a button press. The same in every chat service. */
export async function onPress(press: Press, duty: PressDuty): Promise<PressOutcome> {
  const [, kind, id = "", choice = ""] = /^([ace]):([\w-]+):(\w+)$/.exec(press.data) ?? [];
  switch (kind) {
    case "a":
      return answer(press, duty, id, choice);
    case "c":
      return decideProposal(press, duty, id, choice === "promote" ? "promote" : "reject");
    case "e":
      return changeEdited(press, duty, id, choice);
    default:
      return CLOSED;
  }
}

async function answer(press: Press, duty: PressDuty, approval: string, choice: string): Promise<PressOutcome> {
  const hosted = await duty.approvals.find(approval);
  const question = hosted ?? ((await press.isOperator()) ? await duty.runtimes.find(approval) : undefined);
  if (question === undefined || !(await press.isHere(question)) || !isOffered(choice, question)) return CLOSED;
  const isTheirs = hosted !== undefined && (await press.user()) === question.user;
  if (!isTheirs && !(await press.isOperator())) return NOT_ALLOWED;
  const given = { answer: choice, by: press.by };
  if (hosted === undefined) {
    const why = await duty.runtimes.answer(question, given);
    if (why !== undefined) return { notice: why, isRefused: true };
    return { notice: "Answered.", text: `${press.text}\n\n${outcomeText(given)}` };
  }
  const isTaken = await duty.approvals.answer(approval, given, duty.clock.now());
  if (!isTaken) return { ...CLOSED, text: `${press.text}\n\nexpired` };
  return { notice: "Answered.", text: `${press.text}\n\n${outcomeText(given)}` };
}

/** How an answered question ends in a chat. */
export function outcomeText({ answer, by }: GivenAnswer): string {
  return `${answer === "no" ? "✗ no" : `✓ ${answer}`} · by ${by}`;
}

function isOffered(choice: string, { remember }: PendingApproval): choice is PersonAnswer {
  return choice === "yes" || choice === "no" || (choice === "always" && remember === true);
}

async function decideProposal(
  press: Press,
  { contracts }: PressDuty,
  id: string,
  kind: "promote" | "reject",
): Promise<PressOutcome> {
  if (!(await press.isOperator())) return NOT_ALLOWED;
  const request = kind === "promote" ? { kind, id } : { kind, id, reason: "rejected in a chat" };
  const decision = await contracts.change(request, press.by);
  if (decision.kind === "refused") {
    // A blocked proposal can be pressed again; a decided one cannot.
    const isOpen = decision.code === "BEHAVIOR_CONFLICT" || decision.code === "BEHAVIOR_CONTRACT_CAP";
    const text = isOpen ? undefined : `${press.text}\n\n${decision.message}`;
    return { notice: decision.message, isRefused: true, text };
  }
  const { version, hash } = decision.contract;
  const outcome = kind === "promote" ? `✓ promoted · contract v${version} ${hash.slice(0, 6)}` : "✗ rejected";
  const notice = kind === "promote" ? "Promoted." : "Rejected.";
  return { notice, text: `${press.text}\n\n${outcome} · by ${press.by}` };
}

async function changeEdited(press: Press, { contracts }: PressDuty, id: string, how: string): Promise<PressOutcome> {
  if (!(await press.isOperator())) return NOT_ALLOWED;
  const request = how === "keep" ? undefined : changeOfAnswer(id, how, press.text);
  const decision = request && (await contracts.change(request, press.by));
  if (decision?.kind === "refused")
    return { notice: decision.message, isRefused: true, text: `${press.text}\n\n${decision.message}` };
  const done = decision?.contract;
  const outcome =
    done === undefined ? "kept" : `✓ ${decision?.outcome} · contract v${done.version} ${done.hash.slice(0, 6)}`;
  const notice = done === undefined ? "Nothing was changed." : "Changed.";
  return { notice, text: `${press.text}\n\n${outcome} · by ${press.by}` };
}
