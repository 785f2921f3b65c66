import { statSync } from "node:fs";
import { registerHooks } from "node:module";
import { dirname, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { errorText } from "../../../base/kernel/error-text.ts";
import { didYouMean } from "../../../base/kernel/nearest.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { ConductPlugin, PluginApi } from "../../../base/words/hosting/plugin.ts";
import { CompiledAgent } from "../../../engine/agent/compiled-agent.ts";
import { type ConfigFault, ConfigSource } from "../../../engine/agent/config/config-source.ts";
import { extendAgent, isFor, type PluginPart, pluginApi } from "../../../engine/agent/plugin-parts.ts";
import { withinLimit } from "../../../engine/moments/gather.ts";
import { realFolder } from "../trust/real-folder.ts";
import { stampOf } from "../workspace/file-stamp.ts";

/** Time for a module to load and to set up. */
const LOAD_MS = 10_000;

/** A plugin of conduct.yaml, ready to be given to `openConduct`. `parts` is what it brings. */
export type LoadedPlugin = {
  readonly file: string;
  readonly plugin: ConductPlugin;
  readonly parts: readonly PluginPart[];
};
export type LoadedPlugins = { readonly plugins: readonly LoadedPlugin[]; readonly faults: readonly ConfigFault[] };

/** The part of a loaded file that is needed here. */
type PluginsFile = {
  readonly text: string;
  readonly files: ReadonlyMap<string, string>;
  readonly texts: ReadonlyMap<string, string>;
  readonly parsed: { readonly plugins: readonly string[]; readonly agents: readonly Agent[] };
};

/** The modules that a conduct.yaml names, as absolute paths. The configuration is read again when one changes. */
export function pluginFiles({ files, parsed }: PluginsFile): readonly string[] {
  const [file = ""] = files.keys();
  return parsed.plugins.map((path) => resolve(dirname(file), path));
}

/**
 * Imports the modules that a conduct.yaml names and runs their `setup`, so that every fault is known before an agent
 * works. Both the file and the modules must be in the home, where no agent can write. Never rejects.
 */
export async function loadPlugins(loaded: PluginsFile, home: string): Promise<LoadedPlugins> {
  if (loaded.parsed.plugins.length === 0) return { plugins: [], faults: [] };
  const [config = ""] = loaded.files.keys();
  const source = new ConfigSource(loaded.text, [...loaded.texts.keys()][0] ?? config);
  const faults: ConfigFault[] = [];
  const plugins: LoadedPlugin[] = [];
  const fault = (at: number, message: string, hint?: string) =>
    // Messages of checks have a line for each fault.
    void faults.push(source.locate({ path: ["plugins", at], message: message.replace(/\s*\n[\s-]*/g, " "), hint }));
  for (const [at, file] of pluginFiles(loaded).entries()) {
    const refused = whyRefused(file, config, home);
    if (refused !== undefined) {
      fault(at, ...refused);
      continue;
    }
    const read = await withinLimit(LOAD_MS, () => setUp(file));
    if ("fault" in read) {
      fault(at, `the plugin ${shownPath(file, home)} cannot be used: ${read.fault.message}`);
      continue;
    }
    const known = [...plugins.flatMap(({ parts }) => parts), ...read.value.parts];
    const clash = plugins.some(({ plugin }) => plugin.name === read.value.plugin.name)
      ? "another plugin has the same name"
      : firstClash(loaded.parsed.agents, read.value.parts, known);
    if (clash === undefined) plugins.push(read.value);
    else fault(at, `the plugin '${read.value.plugin.name}' cannot be used: ${clash}`);
  }
  return { plugins, faults };
}

function whyRefused(file: string, config: string, home: string): readonly [message: string, hint: string] | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!isIn(config, home))
    return ["plugins run code, so only a file in CONDUCT_HOME can name them", `move it to ${home}`];
  if (found?.isFile() !== true)
    return [`there is no file ${file}`, "write a path relative to this file, such as ./plugins/mine.mjs"];
  if (!isIn(file, home)) return [`${file} is outside CONDUCT_HOME, where agents may write`, `move it to ${home}`];
  return undefined;
}

function isIn(file: string, folder: string): boolean {
  return realFolder(file).startsWith(`${realFolder(folder)}${sep}`);
}

function shownPath(file: string, home: string): string {
  return relative(home, file);
}

async function setUp(file: string): Promise<LoadedPlugin> {
  resolveOwnPackage();
  // A changed file is another module: Node keeps every module that it has imported.
  const url = `${pathToFileURL(file).href}?${stampOf(statSync(file, { bigint: true }))}`;
  const { default: plugin } = (await import(url)) as { readonly default?: Partial<ConductPlugin> };
  if (typeof plugin?.name !== "string" || plugin.name === "" || typeof plugin.setup !== "function")
    throw new Error("its default export must be a plugin: export default { name, setup(api) { … } }");
  const { name } = plugin;
  const recorded = recorder();
  await plugin.setup(recorded.api);
  const setup = (api: PluginApi) => recorded.replay(api);
  return { file, plugin: { name, setup }, parts: recorded.parts() };
}

type Kept = { readonly part: PluginPart; readonly remove: (() => void)[] };

/** Records what `setup` registers, to be checked first and registered later. Later registrations are passed on. */
function recorder() {
  const kept = new Set<Kept>();
  const live = new Set<PluginApi>();
  const api = pluginApi((part) => {
    const one: Kept = { part, remove: [] };
    for (const open of live) one.remove.push(register(open, part));
    kept.add(one);
    return () => {
      kept.delete(one);
      for (const take of one.remove.splice(0)) take();
    };
  });
  return {
    api,
    parts: () => [...kept].map(({ part }) => part),
    replay(given: PluginApi) {
      live.add(given);
      for (const { part, remove } of kept) remove.push(register(given, part));
    },
  };
}

function register(api: PluginApi, part: PluginPart): () => void {
  const options = part.agents === undefined ? {} : { agents: part.agents };
  switch (part.kind) {
    case "contributor":
      return api.registerPromptContributor(part.contributor, options);
    case "policy":
      return api.registerPolicy(part.policy, options);
    case "feedback":
      return api.registerFeedback(part.feedback, options);
    case "completion":
      return api.registerCompletion(part.completion, options);
    case "tool":
      return api.registerTool(part.tool, options);
    case "listener":
      return api.subscribe(part.listener);
  }
}

/** The first name that is unknown or taken; `undefined` if the parts fit these agents. */
function firstClash(
  agents: readonly Agent[],
  parts: readonly PluginPart[],
  all: readonly PluginPart[],
): string | undefined {
  const names = agents.map(({ name }) => name);
  for (const name of parts.flatMap(({ agents: named = [] }) => named)) {
    if (names.includes(name)) continue;
    return `there is no agent '${name}'; ${didYouMean(name, names, "") || `known: ${names.join(", ")}`}`;
  }
  const tools = all.flatMap((part) => (part.kind === "tool" ? [part.tool.name] : []));
  const twice = tools.find((name, at) => tools.indexOf(name) < at);
  if (twice !== undefined) return `two plugins have a tool '${twice}'`;
  try {
    for (const agent of agents) {
      const { prompts } = new CompiledAgent(extendAgent(agent, all), []);
      for (const part of all)
        if (part.kind === "contributor" && isFor(part, agent.name)) prompts.addPlugin(part.contributor);
    }
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

let resolving = false;

/** A module in the home has no `node_modules`, so `agent-conduct` means the program that runs it. */
function resolveOwnPackage(): void {
  if (resolving) return;
  resolving = true;
  const isSource = import.meta.url.endsWith(".ts");
  registerHooks({
    resolve(specifier, context, next) {
      if (!/^agent-conduct(?:\/|$)/.test(specifier)) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch {
        const conditions = [...(context.conditions ?? []), ...(isSource ? ["conduct-source"] : [])];
        return next(specifier, { ...context, conditions, parentURL: import.meta.url });
      }
    },
  });
}
