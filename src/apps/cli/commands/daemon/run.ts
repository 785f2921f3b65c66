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
import type { CommandBody } from "../../line/command.ts";
import { badArgument } from "../behavior/answers.ts";

/** `conduct daemon run [--idle 15m]` */
export const daemonRun: CommandBody = async ({ idle }) => {
  const home = conductHome();
  const idleMs = typeof idle === "string" ? parseDuration(idle) : undefined;
  if (typeof idle === "string" && idleMs === undefined) return badArgument(`'${idle}' is no time`, "--idle 15m");
  const log = daemonLog(daemonPlace(home).log);
  try {
    keepHookBundle(log);
    if (await repairLauncher(home).catch(() => false))
      log("the launcher named a Conduct that is gone; it starts this one now");
    const daemon = await startDaemon({ home, log, code: new OwnCode(), idleMs });
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void daemon.end(signal));
    // What nobody has caught must not leave agents without an answer, nor go unseen.
    process.on("unhandledRejection", (error) => log(`not caught: ${errorText(error)}`));
    const reason = await daemon.ended;
    return { ok: true, result: { reason }, text: "", next: [] };
  } catch (error) {
    if (error instanceof SocketTakenError) return { ok: true, result: { reason: error.message }, text: "", next: [] };
    log(`does not start: ${errorText(error)}`);
    return { ok: false, code: "DAEMON_FAILED", message: errorText(error), fix: "conduct daemon status", next: [] };
  }
};
