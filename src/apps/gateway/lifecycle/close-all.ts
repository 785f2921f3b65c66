import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../../../base/kernel/error-text.ts";

/** A start that failed has to be gone within 5 s, and may close two of these. */
const LIMIT_MS = 2_000;

/**
 * Closes everything that a failed start has opened, the newest first. A part that cannot be closed, or hangs, is reported. Never
 * rejects, and never takes longer than two seconds.
 */
export async function closeAll(opened: AsyncDisposableStack, report: (line: string) => void): Promise<void> {
  const late = sleep(LIMIT_MS, "it takes too long", { ref: false });
  const closed = opened.disposeAsync().then(() => undefined, errorText);
  const fault = await Promise.race([closed, late]);
  if (fault !== undefined) report(`a part of the gateway could not be closed: ${fault}`);
}

/** Closes it with the rest; at once, and throws, if the rest was closed already because the start was ended. */
export async function closeLater(opened: AsyncDisposableStack, close: () => unknown): Promise<void> {
  if (!opened.disposed) return opened.defer(async () => void (await close()));
  await close();
  throw new Error("the start was ended");
}
