import { homedir } from "node:os";
import { join } from "node:path";
import { asList, asObject, isObject } from "../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../base/words/json.ts";
import { codexCapabilities } from "../../edge/adapters/codex/capabilities.ts";
import { codexHooksJson, isConductHook } from "../../edge/adapters/codex/hooks-json.ts";
import { shellWord } from "../../edge/adapters/shared/tool-args.ts";
import { addToCodexToml, codexTomlFaults, removeFromCodexToml } from "./codex-toml.ts";
import { readSettingsObject } from "./json-fault.ts";
import { watchedCondition } from "./launcher/launcher-script.ts";
import type { Edited, InstallableRuntime, InstallPlace, SettingsFile } from "./runtime.ts";

export const codex: InstallableRuntime = {
  name: "codex",
  title: "Codex",
  program: "codex",
  coverage: "codex",
  capabilities: codexCapabilities,
  loose: "a denied turn cannot be ended, only its calls; most models run scripts whose results cannot be shortened",
  start: "start codex anew",
  files(place) {
    if (place.project === undefined) return [hooksFile(place), configFile(place)];
    const refused = "Codex runs a project's hooks only where the project is trusted, and Conduct's must always run";
    return { refused, fix: "conduct init codex" };
  },
};

export function codexFolder(env: NodeJS.ProcessEnv): string {
  return env.CODEX_HOME || join(env.HOME || homedir(), ".codex");
}

function hooksFile({ env, home, launcher }: InstallPlace): SettingsFile {
  const command = `${shellWord(launcher)} hook codex`;
  const ours = asObject(JSON.parse(codexHooksJson(command, watchedCondition(home, "codex"))).hooks);
  const file: SettingsFile = {
    path: join(codexFolder(env), "hooks.json"),
    about: `Conduct's hook at ${Object.keys(ours).length} events; hooks that are there stay, and run beside it`,
    // Codex trusts a hook by its place in the list: what is right stays where it is.
    add: (text) => (text !== undefined && file.faults(text).length === 0 ? { text } : withHooks(text, ours)),
    remove: (text) => (text === undefined ? { text } : withHooks(text, {})),
    faults(text) {
      const read = readSettingsObject(text);
      if ("refused" in read) return [read.refused];
      const there = asObject(read.value.hooks);
      const missing = Object.entries(ours).filter(([event, groups]) => {
        const found = asList(there[event]).map((group) => JSON.stringify(group));
        return !asList(groups).every((group) => found.includes(JSON.stringify(group)));
      });
      return missing.map(([event]) => `${event}: Conduct's hook is missing, or not as this version needs it`);
    },
  };
  return file;
}

/** Hooks of others stay, before ours: Codex runs all of them. */
function withHooks(text: string | undefined, ours: JsonObject): Edited {
  const read = readSettingsObject(text);
  if ("refused" in read) return read;
  const { value } = read;
  if (value.hooks !== undefined && !isObject(value.hooks)) {
    return { refused: "hooks is no object", line: 1, fix: "correct it; nothing was changed" };
  }
  const before = asObject(value.hooks);
  const hooks: [string, Json][] = [];
  for (const event of new Set([...Object.keys(before), ...Object.keys(ours)])) {
    const theirs = asList(before[event]).flatMap(withoutOurs);
    const groups = [...theirs, ...asList(ours[event])];
    if (groups.length > 0) hooks.push([event, groups]);
  }
  const whole = { ...value, hooks: Object.fromEntries(hooks) };
  if (text !== undefined && JSON.stringify(whole) === JSON.stringify(value)) return { text };
  return { text: `${JSON.stringify(whole, null, 2)}\n` };
}

function withoutOurs(group: Json): readonly Json[] {
  const hooks = asList(asObject(group).hooks);
  const theirs = hooks.filter((hook) => !isConductHook(asObject(hook).command));
  if (theirs.length === hooks.length) return [group];
  return theirs.length === 0 ? [] : [{ ...asObject(group), hooks: theirs }];
}

function configFile({ env, launcher }: InstallPlace): SettingsFile {
  const command = [launcher, "hook", "codex-tools"];
  return {
    path: join(codexFolder(env), "config.toml"),
    about: "Conduct's own tools; and no typing into a shell that runs, because no hook is called for that",
    // Codex writes to it, too, and may have put its own tables behind ours.
    add: (text) => (codexTomlFaults(text, command).length === 0 ? { text } : addToCodexToml(text, command)),
    remove: (text) => ({ text: text === undefined ? undefined : removeFromCodexToml(text) }),
    faults: (text) => codexTomlFaults(text, command),
  };
}
