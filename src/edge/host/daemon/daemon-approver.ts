import type { Approver } from "../../../base/ports/approver.ts";

/** An approver that asks nobody: a person answers from another process (`conduct approve`), and the session then ends the wait. */
export type WaitingApprover = Approver & {
  /** Nobody waits any longer, now or later. The questions stay open. */
  giveUp(): void;
};

export function waitingApprover(): WaitingApprover {
  const over = new AbortController();
  return {
    ask: (_question, signal) =>
      new Promise((resolve) => {
        const ended = AbortSignal.any([signal, over.signal]);
        const end = () => resolve(undefined);
        if (ended.aborted) end();
        else ended.addEventListener("abort", end, { once: true });
      }),
    giveUp: () => over.abort(),
  };
}
