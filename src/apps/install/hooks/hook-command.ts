import { win32 } from "node:path";
import type { HookCommand } from "../../../edge/adapters/shared/hooks/guarded-command.ts";
import { powershellCall, powershellWatched } from "../../../edge/adapters/shared/hooks/powershell-guard.ts";
import { shellWord } from "../../../edge/adapters/shared/tool-args.ts";
import { watchedCondition } from "../launcher/launcher-script.ts";
import type { InstallPlace } from "../runtime.ts";

/** The command that a runtime's hook runs, in the shell of the platform. */
export function hookCommand(
  { home, launcher, platform = process.platform }: Pick<InstallPlace, "home" | "launcher" | "platform">,
  runtime: string,
): Required<HookCommand> {
  if (platform !== "win32")
    return {
      command: `${shellWord(launcher)} hook ${runtime}`,
      passes: watchedCondition(home, runtime),
      shell: "sh",
    };
  return {
    command: powershellCall(launcher, ["hook", runtime]),
    passes: powershellWatched(win32.join(home, "runtimes.json"), runtime),
    shell: "powershell",
  };
}

/** How a client starts the launcher without a shell. Node refuses to start a `.cmd` file itself. */
export function launched(
  launcher: string,
  words: readonly string[],
  platform: NodeJS.Platform = process.platform,
): { readonly command: string; readonly args: string[] } {
  if (platform !== "win32") return { command: launcher, args: [...words] };
  return { command: "cmd.exe", args: ["/d", "/c", launcher, ...words] };
}
