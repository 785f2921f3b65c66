import { homedir } from "node:os";
import { join } from "node:path";
import { isSameJson } from "../../../base/kernel/canonical-json.ts";
import { asList, asObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { cursorCapabilities } from "../../../edge/adapters/capabilities.ts";
import { cursorHooks } from "../../../edge/adapters/cursor/hooks-file.ts";
import { isConductHook } from "../../../edge/adapters/shared/hooks/guarded-command.ts";
import { readJson5Object, writeJson5 } from "../json5/json5-file.ts";
import type { InstallableRuntime, InstallPlace, SettingsFile } from "../runtime.ts";
import { hookCommand } from "./hook-command.ts";
import { missingHookGroups } from "./hook-groups.ts";

export const cursor: InstallableRuntime = {
  name: "cursor",
  title: "Cursor",
  program: "cursor-agent",
  folder: cursorFolder,
  coverage: "cursor",
  capabilities: cursorCapabilities,
  loose:
    "not proven on Cursor itself; results reach the model unchanged; `agent -p` runs no hook for messages and stops",
  unproven: "this was written from the documentation of Cursor's hooks, and no run on Cursor itself has tested it",
  start: "restart cursor",
  neverGated: "Cursor has no setting for the PATH of its shell",
  files(place) {
    const { platform = process.platform } = place;
    if (platform === "win32") {
      const refused = "Cursor's documentation does not say which shell runs its hooks on Windows";
      return { refused, fix: "use Cursor in WSL" };
    }
    if (place.project === undefined) return [hooksFile(place)];
    const refused = "Cursor runs a project's hooks only where the folder is trusted, and Conduct's must always run";
    return { refused, fix: "conduct init cursor" };
  },
};

/** Cursor always takes it from the account's home; no variable moves it. */
function cursorFolder(env: NodeJS.ProcessEnv): string {
  return join(env.HOME || homedir(), ".cursor");
}

const VERSION = 1;

/** Cursor reads JSON with comments; they stay. */
function hooksFile(place: InstallPlace): SettingsFile {
  const { command, passes } = hookCommand(place, "cursor");
  const ours = cursorHooks(command, passes);
  const file: SettingsFile = {
    path: join(cursorFolder(place.env), "hooks.json"),
    about: `Conduct's hook at ${Object.keys(ours).length} events; existing hooks are kept`,
    add(text) {
      const read = readJson5Object(text);
      if ("refused" in read) return read;
      const { version = VERSION } = read.value;
      if (version !== VERSION)
        return {
          refused: `its version is ${JSON.stringify(version)}, and Conduct knows version 1`,
          fix: "set it to 1",
        };
      if (file.faults(text).length === 0) return { text };
      return { text: writeJson5(text, { ...read.value, version, hooks: withCursorHooks(read.value, ours) }) };
    },
    remove(text) {
      const read = readJson5Object(text);
      if (text === undefined || "refused" in read) return { text };
      const { hooks: before, ...rest } = read.value;
      const hooks = withCursorHooks(read.value, {});
      if (isSameJson(hooks, asObject(before))) return { text };
      return { text: writeJson5(text, Object.keys(hooks).length === 0 ? rest : { ...rest, hooks }) };
    },
    faults(text) {
      const read = readJson5Object(text);
      if ("refused" in read) return [read.refused];
      const version = read.value.version === VERSION ? [] : ["its version is not 1, so Cursor ignores the file"];
      return [...version, ...missingHookGroups(asObject(read.value.hooks), ours)];
    },
  };
  return file;
}

/** The hooks of the file with Conduct's own replaced by `ours`. Other hooks stay before ours. */
export function withCursorHooks({ hooks }: JsonObject, ours: JsonObject): JsonObject {
  const before = asObject(hooks);
  const events = [...new Set([...Object.keys(before), ...Object.keys(ours)])];
  const all = events.map((event): [string, Json] => {
    const theirs = asList(before[event]).filter((hook) => !isConductHook(asObject(hook).command));
    return [event, [...theirs, ...asList(ours[event])]];
  });
  return Object.fromEntries(all.filter(([event, list]) => asList(list).length > 0 || isEmptyIn(before, event)));
}

/** An event that already had no hook stays as it was. */
function isEmptyIn(hooks: JsonObject, event: string): boolean {
  return Array.isArray(hooks[event]) && asList(hooks[event]).length === 0;
}
