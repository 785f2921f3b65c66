import { homedir } from "node:os";
import { join } from "node:path";
import { isSameJson } from "../../../base/kernel/canonical-json.ts";
import { asList, asObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { geminiCapabilities } from "../../../edge/adapters/capabilities.ts";
import { geminiHooks, HOOK_NAME } from "../../../edge/adapters/gemini/settings.ts";
import { readJson5Object, writeJson5 } from "../json5/json5-file.ts";
import type { InstallableRuntime, InstallPlace, SettingsFile } from "../runtime.ts";
import { hookCommand, launched } from "./hook-command.ts";
import { missingHookGroups, withHookGroups } from "./hook-groups.ts";
import { isOwnServer } from "./mcp-servers-file.ts";

export const gemini: InstallableRuntime = {
  name: "gemini",
  title: "Gemini CLI",
  program: "gemini",
  folder: geminiFolder,
  coverage: "gemini",
  capabilities: geminiCapabilities,
  loose:
    "hooksConfig in a trusted project's settings switches every hook off; a subagent's calls count as the agent's own",
  start: "restart gemini",
  neverGated: "Gemini CLI has no setting for the PATH of its shell",
  files(place) {
    if (place.project === undefined) return [settingsFile(place)];
    const refused = "Gemini CLI runs a project's hooks only where the folder is trusted, and Conduct's must always run";
    return { refused, fix: "conduct init gemini" };
  },
};

/** `GEMINI_CLI_HOME` replaces the home, not the folder in it. */
function geminiFolder(env: NodeJS.ProcessEnv): string {
  return join(env.GEMINI_CLI_HOME || env.HOME || homedir(), ".gemini");
}

/** Gemini CLI reads JSON with comments; they stay. */
function settingsFile(place: InstallPlace): SettingsFile {
  const { env, launcher, platform } = place;
  const { command, passes, shell } = hookCommand(place, "gemini");
  const ours = geminiHooks(command, passes, shell);
  const server: JsonObject = { ...launched(launcher, ["hook", "gemini-tools"], platform), trust: true };
  const file: SettingsFile = {
    path: join(geminiFolder(env), "settings.json"),
    about: `Conduct's hook at ${Object.keys(ours).length} events, and its own tools; existing hooks are kept`,
    add(text) {
      const read = readJson5Object(text);
      if ("refused" in read) return read;
      const off = switchedOff(read.value);
      if (off !== undefined) return { refused: off, fix: "change hooksConfig, then run it again" };
      const { conduct } = asObject(read.value.mcpServers);
      if (conduct !== undefined && !isOwnServer(conduct)) {
        const refused = "it has an MCP server named 'conduct' that is not Conduct's";
        return { refused, fix: "rename that server; nothing was changed" };
      }
      return file.faults(text).length === 0
        ? { text }
        : { text: writeJson5(text, withConduct(read.value, ours, server)) };
    },
    remove(text) {
      const read = readJson5Object(text);
      if (text === undefined || "refused" in read) return { text };
      const changed = withConduct(read.value, {}, undefined);
      return { text: isSameJson(changed, read.value) ? text : writeJson5(text, changed) };
    },
    faults(text) {
      const read = readJson5Object(text);
      if ("refused" in read) return [read.refused];
      const off = switchedOff(read.value);
      const tools = isSameJson(asObject(read.value.mcpServers).conduct, server)
        ? []
        : ["Conduct's own tools are missing"];
      return [...(off === undefined ? [] : [off]), ...missingHookGroups(asObject(read.value.hooks), ours), ...tools];
    },
  };
  return file;
}

/** Why Gemini CLI would run no hook of ours with these settings. */
export function switchedOff({ hooksConfig }: JsonObject): string | undefined {
  const { enabled, disabled } = asObject(hooksConfig);
  if (enabled === false) return "hooksConfig.enabled is false: Gemini CLI runs no hook";
  return asList(disabled).includes(HOOK_NAME) ? "hooksConfig.disabled names Conduct's hooks" : undefined;
}

function withConduct(value: JsonObject, ours: JsonObject, server: JsonObject | undefined): JsonObject {
  const { hooks, mcpServers, ...rest } = value;
  const { conduct, ...others } = asObject(mcpServers);
  const isForeign = conduct !== undefined && server === undefined && !isOwnServer(conduct);
  const servers = {
    ...others,
    ...(isForeign ? { conduct } : {}),
    ...(server === undefined ? {} : { conduct: server }),
  };
  return {
    ...rest,
    ...unlessEmpty("mcpServers", servers),
    ...unlessEmpty("hooks", withHookGroups(asObject(hooks), ours)),
  };
}

function unlessEmpty(name: string, value: JsonObject): JsonObject {
  return Object.keys(value).length === 0 ? {} : { [name]: value };
}
