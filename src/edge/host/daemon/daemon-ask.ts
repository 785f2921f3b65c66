import { conductVersion, daemonPlace } from "./daemon-place.ts";
import { type HookLimit, NoDaemonError, sendHook } from "./hook-socket-client.ts";

const YIELD_MS = 2_000;

/**
 * Sends a request to the daemon, starting one when nobody listens; `alone` is what is done when none can be started. What was
 * sent once is never sent again.
 */
export async function askDaemon(
  home: string,
  request: unknown,
  limit: HookLimit,
  alone?: () => Promise<unknown>,
): Promise<unknown> {
  const { socket } = daemonPlace(home);
  const send = () => sendHook(socket, request, limit, replaceOther);
  /** Nobody waits for it: an old one that has nothing to do ends, and whoever comes next starts its own. */
  const replaceOther = (version: string) => {
    if (version === conductVersion()) return;
    sendHook(socket, { daemon: "yield", version: conductVersion() }, YIELD_MS).catch(() => undefined);
  };
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
