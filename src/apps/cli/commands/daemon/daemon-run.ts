import { parseDuration } from "../../../../base/kernel/duration.ts";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { daemonPlace } from "../../../../edge/host/daemon/daemon-place.ts";
import { SocketTakenError } from "../../../../edge/host/daemon/hook-socket.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { startDaemon } from "../../../daemon/daemon.ts";
import { daemonLog } from "../../../daemon/daemon-log.ts";
import { keepHookBundle } from "../../../daemon/hook-bundle.ts";
import { OwnCode } from "../../../daemon/own-code.ts";
import { repairLauncher } from "../../../install/launcher/launcher-files.ts";
import type { DaemonRunArgs } from "../../declared/setup-commands.ts";
import { badArgument, done, failed, type Outcome } from "../../line/outcome.ts";

/** `conduct daemon run [--idle 15m]` */
export async function daemonRun({ idle }: DaemonRunArgs): Promise<Outcome> {
  const home = conductHome();
  const idleMs = parseDuration(idle ?? "");
  if (idle !== undefined && idleMs === undefined) return badArgument(`'${idle}' is not a duration`, "--idle 15m");
  const log = daemonLog(daemonPlace(home).log);
  try {
    keepHookBundle(log);
    if (await repairLauncher(home).catch(() => false))
      log("the launcher pointed to a missing Conduct; it now starts this one");
    const daemon = await startDaemon({ home, log, code: new OwnCode(), idleMs });
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void daemon.end(signal));
    // An uncaught rejection must not end the daemon, because agents wait for its answers; it is logged instead.
    process.on("unhandledRejection", (error) => log(`uncaught error: ${errorText(error)}`));
    const reason = await daemon.ended;
    return done({ reason }, "");
  } catch (error) {
    if (error instanceof SocketTakenError) return done({ reason: error.message }, "");
    log(`failed to start: ${errorText(error)}`);
    return failed("DAEMON_FAILED", errorText(error), "conduct daemon status");
  }
}
