import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../../../base/kernel/error-text.ts";

/** A failed start must end within 5 s and may close two of these. */
const LIMIT_MS = 2_000;

/**
 * Closes everything that a failed start has opened, newest first, within two seconds. Failures are reported. Never
 * rejects.
 */
export async function closeAll(opened: AsyncDisposableStack, report: (line: string) => void): Promise<void> {
  const late = sleep(LIMIT_MS, "timeout", { ref: false });
  const closed = opened.disposeAsync().then(() => undefined, errorText);
  const fault = await Promise.race([closed, late]);
  if (fault !== undefined) report(`part of the gateway could not be closed: ${fault}`);
}

/** Registers a close function. Runs it at once and throws if the start was already ended. */
export async function closeLater(opened: AsyncDisposableStack, close: () => unknown): Promise<void> {
  if (!opened.disposed) return opened.defer(async () => void (await close()));
  await close();
  throw new Error("the start was cancelled");
}
