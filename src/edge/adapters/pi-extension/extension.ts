import { daemonHost } from "../../host/daemon/daemon-host.ts";
import { conductExtension } from "./adapter.ts";

/** What Pi loads: its sessions are with the daemon of that home, or behind `CONDUCT_SOCKET`. */
export function extensionAt(home: string): ReturnType<typeof conductExtension> {
  return conductExtension({ host: daemonHost({ ...process.env, CONDUCT_HOME: home }) });
}

/** The same for the home that the environment names. */
export default conductExtension({ host: daemonHost() });
