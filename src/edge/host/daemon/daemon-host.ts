import type { SessionHost } from "../../../engine/moments/session-moments.ts";
import { conductHome } from "../workspace/conduct-home.ts";
import { askDaemon } from "./daemon-ask.ts";
import { daemonPlace } from "./daemon-place.ts";
import { remoteHost } from "./remote-session.ts";

/**
 * Sessions behind this account's daemon, which is started when it is needed; behind `CONDUCT_SOCKET` where a program has set it.
 * Small enough to be loaded inside another runtime: it brings none of the engine along.
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
