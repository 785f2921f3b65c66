import { daemonHost } from "../../host/daemon-host.ts";
import { conductExtension } from "./adapter.ts";

/** What Pi loads: its sessions are with this account's daemon, or behind `CONDUCT_SOCKET`. */
export default conductExtension({ host: daemonHost() });
