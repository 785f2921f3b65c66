import { conductProgram } from "../../../../edge/host/daemon/daemon-place.ts";
import { launcherPath, readLauncher, repairLauncher } from "../../../install/launcher/launcher-files.ts";
import { type Check, fails, holds, warns } from "./check.ts";

/**
 * Whether what the settings of a runtime start leads to a Conduct that is there. One that leads nowhere is repaired. `optional`: the
 * runtime also works when a person has it start `conduct` itself.
 */
export async function checkLauncher(
  home: string,
  again: string,
  need: "required" | "optional" = "required",
): Promise<Check> {
  const path = launcherPath(home);
  const state = await readLauncher(home);
  switch (state.kind) {
    case "missing":
      return need === "optional"
        ? warns("launcher", "not set up: a client that starts conduct itself fails when this Conduct is moved", again)
        : fails("launcher", `${path} is missing`, again);
    case "broken":
      await repairLauncher(home);
      return warns("launcher", `${path} could not start Conduct (${state.why}); it starts this one now`);
    case "works": {
      const { program } = state.installation;
      if (program === conductProgram()) return holds("launcher", `${path} starts this Conduct`);
      return warns("launcher", `${path} starts another Conduct: ${program}`, again);
    }
  }
}
