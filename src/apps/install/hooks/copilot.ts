import { homedir } from "node:os";
import { join } from "node:path";
import { copilotCapabilities } from "../../../edge/adapters/capabilities.ts";
import { copilotHooksFile } from "../../../edge/adapters/copilot/hooks-file.ts";
import type { InstallableRuntime, InstallPlace, SettingsFile } from "../runtime.ts";
import { hookCommand, launched } from "./hook-command.ts";
import { mcpServersFile } from "./mcp-servers-file.ts";

export const copilot: InstallableRuntime = {
  name: "copilot",
  title: "Copilot CLI",
  program: "copilot",
  folder: copilotFolder,
  coverage: "copilot",
  capabilities: copilotCapabilities,
  loose: "a denied turn cannot be ended, only its calls; hooks cannot show the person a text",
  start: "restart copilot",
  neverGated: "Copilot CLI has no setting for the PATH of its shell",
  files(place) {
    if (place.project === undefined) return [hooksFile(place), toolsFile(place)];
    const refused =
      "Copilot CLI skips a project's hooks where the folder is not trusted, and Conduct's must always run";
    return { refused, fix: "conduct init copilot" };
  },
};

function copilotFolder(env: NodeJS.ProcessEnv): string {
  return env.COPILOT_HOME || join(env.HOME || homedir(), ".copilot");
}

/** Copilot CLI reads every file of the folder, so this one belongs to Conduct alone. */
function hooksFile(place: InstallPlace): SettingsFile {
  const { command, passes, shell } = hookCommand(place, "copilot");
  const wanted = copilotHooksFile(command, passes, shell);
  return {
    path: join(copilotFolder(place.env), "hooks", "conduct.json"),
    about: "Conduct's hooks; Copilot CLI finds the file by itself",
    add: () => ({ text: wanted }),
    remove: () => ({ text: undefined }),
    faults: (text) => (text === wanted ? [] : ["Conduct's hooks are missing or outdated"]),
  };
}

function toolsFile({ env, launcher, platform }: InstallPlace): SettingsFile {
  const server = { type: "local", ...launched(launcher, ["hook", "copilot-tools"], platform), tools: ["*"] };
  return mcpServersFile(join(copilotFolder(env), "mcp-config.json"), server);
}
