import { errorText } from "../../../base/kernel/error-text.ts";
import type { GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import type { HistoryIndex } from "./history-index.ts";
import { projectTo } from "./project-to.ts";

const EVERY_MS = 2_000;
const LAST_RETRY_MS = 60_000;

export type FollowerHealth =
  | { readonly kind: "ok"; readonly seq: number }
  | { readonly kind: "behind"; readonly message: string };

export type Follower = {
  /** Something was written: look now. Returns at once, and never throws. */
  poke(): void;
  health(): FollowerHealth;
  /** No look begins after this; one that is under way is not waited for. */
  stop(): void;
};

/** Keeps an index up to date in the background, and tries again later when it cannot be reached. Keeps no process alive. */
export function followJournal(
  journal: GovernanceJournal,
  index: HistoryIndex,
  { everyMs = EVERY_MS }: { readonly everyMs?: number } = {},
): Follower {
  let health: FollowerHealth = { kind: "behind", message: "not looked at yet" };
  let failures = 0;
  let state: "resting" | "looking" | "poked" | "stopped" = "resting";
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    clearTimeout(timer);
    state = "looking";
    try {
      const { position } = await projectTo(journal, index);
      health = { kind: "ok", seq: position.seq };
      failures = 0;
    } catch (error) {
      health = { kind: "behind", message: errorText(error) };
      failures++;
    }
    rest();
  }

  function rest(): void {
    if (state === "stopped") return;
    const again = state === "poked" && failures === 0;
    state = "resting";
    const waitMs = again ? 0 : Math.min(everyMs * 2 ** failures, Math.max(everyMs, LAST_RETRY_MS));
    timer = setTimeout(() => void look(), waitMs).unref();
  }

  void look();
  return {
    poke() {
      if (state === "looking") state = "poked";
      // What is down is asked again in its own time, not at every change.
      else if (state === "resting" && failures === 0) void look();
    },
    health: () => health,
    stop() {
      state = "stopped";
      clearTimeout(timer);
    },
  };
}
