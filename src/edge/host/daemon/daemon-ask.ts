import { conductVersion } from "../node/package-files.ts";
import { daemonPlace, isReplaceable } from "./daemon-place.ts";
import { type HookLimit, NoDaemonError, sendHook } from "./hook-socket-client.ts";

const YIELD_MS = 2_000;

/**
 * Sends a request to the daemon and starts one if needed; `alone` runs if none can be started. A request that was sent
 * is never sent again.
 */
export async function askDaemon(
  home: string,
  request: unknown,
  limit: HookLimit,
  alone?: () => Promise<unknown>,
): Promise<unknown> {
  const { socket } = daemonPlace(home);
  const send = () => sendHook(socket, request, limit, replaceOther);
  /** Not awaited: an idle daemon of an older version exits, and the next client starts a new one. */
  const replaceOther = (version: string) => {
    if (!isReplaceable(version, conductVersion())) return;
    sendHook(socket, { daemon: "yield", version: conductVersion() }, YIELD_MS).catch(() => undefined);
  };
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof NoDaemonError)) throw error;
  }
  try {
    // Imported lazily: most hooks find a running daemon, and every import delays the hook.
    const { ensureDaemon } = await import("./daemon-client.ts");
    await ensureDaemon(home);
  } catch (error) {
    if (alone === undefined) throw error;
    return alone();
  }
  return send();
}
