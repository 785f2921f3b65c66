import { daemonHost } from "../../host/daemon/daemon-host.ts";
import { gateVariables } from "../../host/gate/gate-place.ts";
import { conductHome } from "../../host/workspace/conduct-home.ts";
import { conductExtension } from "./adapter.ts";

type PiExtension = ReturnType<typeof conductExtension>;

/** The extension that Pi loads. Its sessions are in the daemon of that home, or behind `CONDUCT_SOCKET`. */
export function extensionAt(home: string): PiExtension {
  return withGate(home, conductExtension({ host: daemonHost({ ...process.env, CONDUCT_HOME: home }) }));
}

/** Pi starts commands with its own variables, so they are set for the whole process. */
function withGate(home: string, extension: PiExtension): PiExtension {
  return (pi) => {
    pi.on("session_start", async (_event, context) => {
      Object.assign(process.env, gateVariables(home, process.env, context.sessionManager.getSessionId()));
    });
    extension(pi);
  };
}

/** The same for the home in the environment. */
export default withGate(conductHome(), conductExtension({ host: daemonHost() }));
