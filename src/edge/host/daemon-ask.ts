import { daemonPlace } from "./daemon-place.ts";
import { NoDaemonError, sendHook } from "./hook-socket-client.ts";

/**
 * Sends a request to the daemon, starting one when nobody listens; `alone` is what is done when none can be started. What was
 * sent once is never sent again.
 */
export async function askDaemon(
  home: string,
  request: unknown,
  timeoutMs: number,
  alone?: () => Promise<unknown>,
): Promise<unknown> {
  const { socket } = daemonPlace(home);
  const send = () => sendHook(socket, request, timeoutMs);
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof NoDaemonError)) throw error;
  }
  try {
    // Loaded when it is needed: most hooks find a daemon, and each of them waits for what it loads.
    const { ensureDaemon } = await import("./daemon-client.ts");
    await ensureDaemon(home);
  } catch (error) {
    if (alone === undefined) throw error;
    return alone();
  }
  return send();
}
