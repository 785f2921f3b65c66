import { daemonHost } from "../../host/daemon/daemon-host.ts";
import { conductExtension } from "./adapter.ts";

/** The extension that Pi loads. Its sessions are in the daemon of that home, or behind `CONDUCT_SOCKET`. */
export function extensionAt(home: string): ReturnType<typeof conductExtension> {
  return conductExtension({ host: daemonHost({ ...process.env, CONDUCT_HOME: home }) });
}

/** The same for the home in the environment. */
export default conductExtension({ host: daemonHost() });
