import { openclawCapabilities } from "../../edge/adapters/openclaw/capabilities.ts";
import { addConduct, openclawConfigFile, removeConduct } from "../../edge/adapters/openclaw/install.ts";
import { readSettingsObject } from "./json-fault.ts";
import type { Edited, InstallableRuntime, SettingsFile } from "./runtime.ts";

export const openclaw: InstallableRuntime = {
  name: "openclaw",
  title: "OpenClaw",
  program: "openclaw",
  coverage: "openclaw",
  capabilities: openclawCapabilities,
  loose: "`openclaw agent exec` and harnesses with a loop of their own (codex, copilot) run no hook of a plugin",
  start: "restart the gateway: openclaw gateway restart",
  files({ env, project }) {
    if (project === undefined) return [configFile(openclawConfigFile(env))];
    const refused = "OpenClaw has one configuration for all that it does, and none of a project's own";
    return { refused, fix: "conduct init openclaw" };
  },
};

function configFile(path: string): SettingsFile {
  const add = (text: string | undefined): Edited => {
    const read = readPlain(text);
    if ("refused" in read) return read;
    const changed = addConduct(read.value);
    if ("refused" in changed) return { refused: changed.refused, fix: "change that, then run it again" };
    return changed.added.length === 0 ? { text } : { text: written(changed.config) };
  };
  return {
    path,
    about: "the plugin, and what it is allowed to see; all else stays",
    add,
    remove(text, before) {
      const read = readPlain(text);
      if ("refused" in read) return read;
      const old = readPlain(before);
      // What it takes to bring Conduct into the file as it was is what has to go.
      const changed = addConduct("value" in old ? old.value : {});
      if ("refused" in changed) return { text };
      return { text: written(removeConduct(read.value, changed.added)) };
    },
    faults(text) {
      const edited = add(text);
      if ("refused" in edited) return [edited.refused];
      return edited.text === text ? [] : ["Conduct's plugin is not in it, or not as this version needs it"];
    },
  };
}

/** OpenClaw takes comments and loose commas, too. To write such a file anew would lose them, so it is left alone. */
function readPlain(text: string | undefined): ReturnType<typeof readSettingsObject> {
  const read = readSettingsObject(text);
  if ("value" in read) return read;
  const fix =
    "take comments and loose commas out of it, or add the lines of src/edge/adapters/openclaw/README.md by hand";
  return { ...read, refused: `${read.refused} (OpenClaw would read it, but writing it anew would lose that)`, fix };
}

function written(config: object): string {
  return `${JSON.stringify(config, null, 2)}\n`;
}
