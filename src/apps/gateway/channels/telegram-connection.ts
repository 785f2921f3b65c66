import { setTimeout as sleep } from "node:timers/promises";
import { type Bot, GrammyError } from "grammy";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { Leader } from "../replicas/ownership.ts";
import type { ChannelState } from "./messenger.ts";

const GET_ME_MS = 30_000;
const FIRST_WAIT_MS = 500;
const LAST_WAIT_MS = 60_000;
/** How often a gateway that waits looks whether the polling one is gone. */
const LEAD_MS = 1_000;

export type TelegramConnectionOptions = {
  readonly polling: boolean;
  readonly report: (line: string) => void;
  /** Of several gateways, only one may poll. */
  readonly leader?: Leader;
};

/**
 * Connects a bot in the background and keeps it connected. Each new failure is reported once and retried with growing
 * pauses. With `polling` it fetches updates once connected.
 */
export function telegramConnection(bot: Bot, { polling, report, leader }: TelegramConnectionOptions) {
  const closing = new AbortController();
  const { signal } = closing;
  let state: ChannelState = { kind: "connecting" };
  let failures = 0;

  async function connectOnce(): Promise<void> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(GET_ME_MS)]);
    // `bot.init` would retry forever without reporting.
    bot.botInfo = await bot.api.getMe(limit as Parameters<typeof bot.api.getMe>[0]);
    state = { kind: "connected", username: bot.botInfo.username };
    failures = 0;
    report(`telegram: connected as @${state.username}`);
    if (!polling || !(await isFirst())) return;
    await bot.start({ allowed_updates: ["message", "edited_message", "callback_query"] });
  }

  /** Waits until no other gateway polls. Returns false when closing. */
  async function isFirst(): Promise<boolean> {
    while (leader !== undefined && !signal.aborted && !(await leader.take().catch(() => false)))
      await sleep(LEAD_MS, undefined, { signal, ref: false }).catch(() => undefined);
    return !signal.aborted;
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await connectOnce();
        // A leader that was replaced waits for its turn again.
        if (!polling || leader === undefined) return;
        continue;
      } catch (error) {
        if (signal.aborted) return;
        onFailure(error);
        // After polling fails, grammY still counts the bot as running until it is stopped.
        if (bot.isRunning()) await bot.stop().catch(() => undefined);
      }
      const wait = Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures++);
      await sleep(wait, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  function onFailure(error: unknown): void {
    const why = failureText(error);
    if (state.kind !== "failing" || state.why !== why) report(`telegram: ${why}`);
    state = { kind: "failing", why };
  }

  let running: Promise<void> | undefined;
  const leave = leader?.onLost(() => {
    if (bot.isRunning()) void bot.stop().catch(() => undefined);
  });
  return {
    state: () => state,
    /** Connects in the background. No message is handled before. */
    connect(): void {
      running ??= run();
    },
    async close(): Promise<void> {
      closing.abort();
      leave?.();
      if (bot.isRunning()) await bot.stop();
      await running;
      await leader?.give();
    },
  };
}

function failureText(error: unknown): string {
  const text = errorText(error);
  const code = error instanceof GrammyError ? error.error_code : undefined;
  if (code === 401 || code === 404)
    return `TELEGRAM REJECTS THE BOT'S TOKEN (${text}), so no messages arrive. Correct TELEGRAM_BOT_TOKEN and restart the gateway`;
  if (code === 409) return `another program receives this bot's updates (${text}). Stop it; the gateway keeps retrying`;
  return `no connection (${text}); retrying`;
}
