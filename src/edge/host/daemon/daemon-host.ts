import type { SessionHost } from "../../../engine/session/session-moments.ts";
import { conductHome } from "../workspace/conduct-home.ts";
import { askDaemon } from "./daemon-ask.ts";
import { daemonPlace } from "./daemon-place.ts";
import { remoteHost } from "./remote-session.ts";

/**
 * Sessions served by this account's daemon, started on demand, or by `CONDUCT_SOCKET` if set. Loads no part of the
 * engine, so other runtimes can import it.
 */
export function daemonHost(env: NodeJS.ProcessEnv = process.env): SessionHost {
  const home = conductHome(env);
  const socket = env.CONDUCT_SOCKET;
  if (socket !== undefined && socket !== "") return remoteHost({ socket, home });
  return remoteHost({
    socket: daemonPlace(home).socket,
    home,
    send: (request, limit) => askDaemon(home, request, limit),
  });
}
