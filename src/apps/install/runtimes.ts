import { dirname, join } from "node:path";
import { asObject } from "../../base/kernel/json.ts";
import type { JsonObject } from "../../base/words/json.ts";
import {
  openclawCapabilities,
  opencodeCapabilities,
  piExtensionCapabilities,
} from "../../edge/adapters/capabilities.ts";
import {
  addConduct,
  type ConductEntry,
  openclawConfigFile,
  openclawPluginFiles,
  removeConduct,
} from "../../edge/adapters/openclaw/install.ts";
import { addOpencodePlugin, opencodePluginFile, removeOpencodePlugin } from "../../edge/adapters/opencode/install.ts";
import { addPiExtension, piExtensionFile, removePiExtension } from "../../edge/adapters/pi-extension/install.ts";
import { gatePlace, hasGate } from "../../edge/host/gate/gate-place.ts";
import { claudeCode } from "./claude-code.ts";
import { acp, mcp } from "./client-runtimes.ts";
import { codex } from "./codex.ts";
import { copilot } from "./hooks/copilot.ts";
import { cursor } from "./hooks/cursor.ts";
import { gemini } from "./hooks/gemini.ts";
import { readJson5Object, writeJson5 } from "./json5/json5-file.ts";
import { type Edited, type InstallableRuntime, NOT_GATED, type SettingsFile } from "./runtime.ts";

const openclaw: InstallableRuntime = {
  name: "openclaw",
  title: "OpenClaw",
  program: "openclaw",
  folder: (env) => dirname(openclawConfigFile(env)),
  coverage: "openclaw",
  capabilities: openclawCapabilities,
  loose: "`openclaw agent exec` and harnesses with their own loop (codex, copilot) call no plugin hooks",
  whyNoOperator:
    "OpenClaw does not tell a plugin whether a person or a program wrote a message in its own chat; name the operators of channels in its openclaw.json, under plugins.entries.conduct.config.operators",
  start: "restart the gateway: openclaw gateway restart",
  files({ env, home, project, platform = process.platform }) {
    const gate = hasGate(platform) ? { gate: gatePlace(home).bin } : {};
    if (project === undefined)
      return [...pluginFiles(home), configFile(openclawConfigFile(env), { plugin: pluginFolder(home), ...gate })];
    const refused = "OpenClaw has one configuration for everything, none per project";
    return { refused, fix: "conduct init openclaw" };
  },
};

/** The folder that OpenClaw loads; in Conduct's home, so it stays when Conduct itself is moved. */
function pluginFolder(home: string): string {
  return join(home, "bin", "openclaw");
}

function pluginFiles(home: string): readonly SettingsFile[] {
  return Object.entries(openclawPluginFiles(home)).map(([name, wanted]) => ({
    path: join(pluginFolder(home), name),
    about: "the plugin that OpenClaw loads",
    add: () => ({ text: wanted }),
    remove: () => ({ text: undefined }),
    faults: (text) => (text === wanted ? [] : ["it is missing or outdated"]),
  }));
}

function configFile(path: string, entry: ConductEntry & { readonly plugin: string }): SettingsFile {
  const add = (text: string | undefined): Edited => {
    const read = readJson5Object(text);
    if ("refused" in read) return read;
    const changed = addConduct(read.value, entry);
    if ("refused" in changed) return { refused: changed.refused, fix: "change that, then run it again" };
    return changed.added.length === 0 ? { text } : { text: writeJson5(text, changed.config) };
  };
  return {
    path,
    about: "the plugin, its permissions, and the exec gate on the PATH of its shell; everything else is kept",
    add,
    remove(text, before) {
      const read = readJson5Object(text);
      if ("refused" in read) return read;
      const { entries } = asObject(read.value.plugins);
      if (!Object.hasOwn(asObject(entries), "conduct")) return { text };
      const old = readJson5Object(before);
      // Undo removes exactly what an install into the original file would add.
      const changed = addConduct("value" in old ? old.value : {}, entry);
      if ("refused" in changed) return { text };
      return { text: writeJson5(text, removeConduct(read.value, changed.added)) };
    },
    faults(text) {
      const edited = add(text);
      if ("refused" in edited) return [edited.refused];
      if (edited.text === text) return [];
      const read = readJson5Object(text);
      const { plugin } = entry;
      const isGateOnly = "value" in read && isIn(read.value, { plugin });
      return [isGateOnly ? NOT_GATED : "Conduct's plugin is missing in it, or outdated"];
    },
  };
}

function isIn(config: JsonObject, entry: ConductEntry): boolean {
  const changed = addConduct(config, entry);
  return "added" in changed && changed.added.length === 0;
}

const pi: InstallableRuntime = {
  name: "pi",
  title: "Pi",
  program: "pi",
  folder: (env) => dirname(dirname(piExtensionFile(env))),
  coverage: "pi-extension",
  capabilities: piExtensionCapabilities,
  loose: "`pi --no-extensions` starts without Conduct, and another extension can remove its handlers",
  start: "restart pi",
  files({ env, home, project }) {
    const path = project === undefined ? piExtensionFile(env) : join(project, ".pi", "extensions", "conduct.ts");
    return [pluginFile(path, (text) => addPiExtension(text, { home }), removePiExtension)];
  },
};

const opencode: InstallableRuntime = {
  name: "opencode",
  title: "OpenCode",
  program: "opencode",
  folder: (env) => dirname(dirname(opencodePluginFile(env))),
  coverage: "opencode",
  capabilities: opencodeCapabilities,
  loose: "`opencode run` exits before a stop can be refused; `opencode --pure` loads no plugin at all",
  whyNoOperator: "OpenCode does not tell a plugin whether a person or a program wrote a message",
  start: "restart opencode",
  files({ env, home, project }) {
    const path = project === undefined ? opencodePluginFile(env) : join(project, ".opencode", "plugin", "conduct.js");
    return [pluginFile(path, (text) => addOpencodePlugin(text, { home }), removeOpencodePlugin)];
  },
};

export const INSTALLABLE: readonly InstallableRuntime[] = [
  claudeCode,
  codex,
  gemini,
  copilot,
  cursor,
  opencode,
  pi,
  openclaw,
];

export const RUNTIME_NAMES: readonly string[] = INSTALLABLE.map(({ name }) => name);

/** The names that `init` and `doctor` accept, including runtimes that a client starts. */
export const KNOWN_NAMES: readonly string[] = [...RUNTIME_NAMES, acp.name, mcp.name];

export function runtimeNamed(name: unknown): InstallableRuntime | undefined {
  return INSTALLABLE.find((runtime) => runtime.name === name);
}

type PluginChange =
  | { readonly kind: "write"; readonly text: string }
  | { readonly kind: "delete" }
  | { readonly kind: "none" }
  | { readonly kind: "refuse"; readonly why: string };

/** A file that belongs to Conduct entirely: the runtime finds it by itself. */
function pluginFile(
  path: string,
  add: (text: string | undefined) => PluginChange,
  remove: (text: string | undefined) => PluginChange,
): SettingsFile {
  const edited = (text: string | undefined, change: PluginChange): Edited => {
    switch (change.kind) {
      case "write":
        return { text: change.text };
      case "delete":
        return { text: undefined };
      case "none":
        return { text };
      case "refuse":
        return { refused: change.why, fix: `look at ${path}; nothing was changed` };
    }
  };
  return {
    path,
    about: "the plugin; the runtime finds it by itself, and nothing else is changed",
    add: (text) => edited(text, add(text)),
    remove: (text) => edited(text, remove(text)),
    faults(text) {
      const change = add(text);
      if (change.kind === "none") return [];
      if (change.kind === "refuse") return [change.why];
      return [text === undefined ? "the file is missing" : "it points to another Conduct"];
    },
  };
}
