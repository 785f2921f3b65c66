import type { GivenAnswer } from "../../../base/ports/stores/hosting/questions.ts";
import type { PendingApproval } from "../../../base/words/hosting/question.ts";
import { daemonPlace } from "../../../edge/host/daemon/daemon-place.ts";
import { NoDaemonError, sendHook } from "../../../edge/host/daemon/hook-socket-client.ts";
import type { Answered } from "../../daemon/requests.ts";
import { type ApprovalStores, openApprovals } from "../../shared/open-approvals.ts";

const SEND_MS = 10_000;

/** Open questions of coding runtimes on this machine, which the daemon asked. Only operators may answer them. */
export async function runtimeQuestions(stores: ApprovalStores, now: number): Promise<readonly PendingApproval[]> {
  const open = await openApprovals(stores, now);
  return open
    .filter(({ at }) => at === "daemon")
    .map(({ approval, session, agent, rule, tool, question, expiresAt, remember }) => ({
      ...{ approval, session, agent, user: "", rule, tool, question, expiresAt, remember },
      at: "runtime",
    }));
}

/** Sends an operator's answer to the daemon. The first answer wins, wherever it comes from. */
export async function answerRuntime(
  home: string,
  { approval, session }: Pick<PendingApproval, "approval" | "session">,
  { answer, by }: GivenAnswer,
): Promise<Answered["kind"] | "no-daemon"> {
  try {
    const request = { answers: { session, approval, answer, by } };
    return ((await sendHook(daemonPlace(home).socket, request, SEND_MS)) as Answered).kind;
  } catch (error) {
    if (error instanceof NoDaemonError) return "no-daemon";
    throw error;
  }
}
