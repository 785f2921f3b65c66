import { homedir } from "node:os";
import { join } from "node:path";
import { isSameJson } from "../../../base/kernel/canonical-json.ts";
import { checkOptions, object, optional, text } from "../../../base/kernel/check-options.ts";
import { isObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { programFile } from "../../host/node/package-files.ts";
import { pluginFileText } from "../shared/plugin-file.ts";
import manifest from "./plugin/openclaw.plugin.json" with { type: "json" };

export const OPENCLAW_PLUGIN = programFile("edge/adapters/openclaw/plugin", "openclaw-plugin");

const ID = "conduct";

export function openclawConfigFile(env: NodeJS.ProcessEnv = process.env): string {
  if (env.OPENCLAW_CONFIG_PATH) return env.OPENCLAW_CONFIG_PATH;
  const state = env.OPENCLAW_STATE_DIR || join(env.HOME || homedir(), ".openclaw");
  return join(state, "openclaw.json");
}

type Path = readonly string[];

/** One addition, as plain JSON: a key with its value, or an item of a list. */
export type Added =
  | { readonly kind: "key"; readonly path: Path; readonly value: Json }
  | { readonly kind: "item"; readonly path: Path; readonly item: string };

/** The configuration with Conduct, and all additions in order; or why Conduct cannot be added. */
export type AddedConduct =
  | { readonly config: JsonObject; readonly added: readonly Added[] }
  | { readonly refused: string };

export type ConductEntry = {
  readonly plugin?: string;
  /** The folder that comes first on the PATH of its shell: the exec gate. */
  readonly gate?: string;
  /** The plugin's own settings: `socket`, `operators`, `waitSeconds`. */
  readonly config?: JsonObject;
};

/** Makes OpenClaw load Conduct. Existing settings stay, and nothing is added twice. */
export function addConduct(config: JsonObject, entry: ConductEntry = {}): AddedConduct {
  checkOptions("addConduct", entry, { plugin: optional(text), gate: optional(text), config: optional(object) });
  const { plugin = OPENCLAW_PLUGIN, gate, config: own } = entry;
  if (at(config, ["plugins", "enabled"]) === false) {
    return { refused: "plugins are turned off there: `plugins.enabled` is false" };
  }
  if (listAt(config, ["plugins", "deny"]).includes(ID)) {
    return { refused: "`plugins.deny` lists 'conduct': remove it first" };
  }
  const draft = new Draft(config);
  draft.item(["plugins", "load", "paths"], plugin);
  // A missing or empty list allows every plugin; a list with only Conduct would exclude the others.
  if (listAt(config, ["plugins", "allow"]).length > 0) draft.item(["plugins", "allow"], ID);
  draft.key(["plugins", "entries", ID, "enabled"], true);
  draft.key(["plugins", "entries", ID, "hooks", "allowConversationAccess"], true);
  if (own !== undefined) draft.key(["plugins", "entries", ID, "config"], own);
  // OpenClaw accepts one of the two lists, not both. Without a profile all plugins' tools are available.
  if (listAt(config, ["tools", "allow"]).length > 0) draft.item(["tools", "allow"], ID);
  else if (at(config, ["tools", "profile"]) !== undefined) draft.item(["tools", "alsoAllow"], ID);
  if (gate !== undefined) draft.item(["tools", "exec", "pathPrepend"], gate);
  return { config: draft.config, added: draft.added };
}

/** Removes the additions of `addConduct` that are still present, in reverse order. */
export function removeConduct(config: JsonObject, added: readonly Added[]): JsonObject {
  return [...added].reverse().reduce(withoutAdded, config);
}

function withoutAdded(config: JsonObject, added: Added): JsonObject {
  const { path } = added;
  if (added.kind === "key") {
    // A key that was changed in the meantime stays.
    return isSameJson(at(config, path), added.value) ? put(config, path, undefined) : config;
  }
  const list = listAt(config, path);
  const left = list.filter((item) => item !== added.item);
  return left.length === list.length ? config : put(config, path, left);
}

/** Collects additions, including the parent keys that they need. */
class Draft {
  config: JsonObject;
  readonly added: Added[] = [];

  constructor(config: JsonObject) {
    this.config = config;
  }

  key(path: Path, value: Json): void {
    if (isSameJson(at(this.config, path), value)) return;
    this.#make(path.slice(0, -1), {});
    this.config = put(this.config, path, value);
    this.added.push({ kind: "key", path, value });
  }

  item(path: Path, item: string): void {
    this.#make(path.slice(0, -1), {});
    this.#make(path, []);
    const list = listAt(this.config, path);
    if (list.includes(item)) return;
    this.config = put(this.config, path, [...list, item]);
    this.added.push({ kind: "item", path, item });
  }

  #make(path: Path, empty: Json): void {
    if (path.length === 0 || at(this.config, path) !== undefined) return;
    this.#make(path.slice(0, -1), {});
    this.config = put(this.config, path, empty);
    this.added.push({ kind: "key", path, value: empty });
  }
}

function at(config: Json | undefined, [name, ...rest]: Path): Json | undefined {
  if (name === undefined) return config;
  return isObject(config) && Object.hasOwn(config, name) ? at(config[name], rest) : undefined;
}

function listAt(config: JsonObject, path: Path): readonly Json[] {
  const list = at(config, path);
  return Array.isArray(list) ? list : [];
}

/** `undefined` removes the key. Keys keep their order. */
function put(config: JsonObject, [name = "", ...rest]: Path, value: Json | undefined): JsonObject {
  if (rest.length > 0) {
    const below = config[name];
    return { ...config, [name]: put(isObject(below) ? below : {}, rest, value) };
  }
  if (value !== undefined) return { ...config, [name]: value };
  const { [name]: _gone, ...left } = config;
  return left;
}

const FIRST_LINE =
  "// Conduct for OpenClaw. Written by `conduct init openclaw`, taken away by `conduct init openclaw --undo`.";

/** The files of the folder that OpenClaw loads, by name. They stay when Conduct is moved. */
export function openclawPluginFiles(home: string): { readonly [name: string]: string } {
  return {
    "openclaw.plugin.json": `${JSON.stringify(manifest, null, 2)}\n`,
    "index.ts": pluginFileText(FIRST_LINE, { runtime: "openclaw", home, options: {} }, BODY),
  };
}

/** When Conduct is missing, an enforced OpenClaw refuses every run; in shadow mode it continues with one warning. */
const BODY = `import { createRequire } from "node:module";

const abort = async (sessionId) => {
  const sdk = await import("openclaw/plugin-sdk/agent-harness-runtime");
  sdk.abortAgentHarnessRun?.(sessionId);
};

export default {
  id: ${JSON.stringify(manifest.id)},
  name: ${JSON.stringify(manifest.name)},
  description: ${JSON.stringify(manifest.description)},
  register(api) {
    let load;
    try {
      findAgain();
      const path = modulePath();
      if (typeof path !== "string") throw new Error(home + "/bin/installation.json does not name it");
      load = createRequire(path + "/index.ts")(existsSync(path + "/index.ts") ? "../load.ts" : "../openclaw-load.mjs");
    } catch (error) {
      const why = whyMissing(error);
      const last = { priority: -1_000_000 };
      const warn = () => {
        const warning = warnOnce(why);
        if (warning !== undefined) console.warn(warning);
      };
      api.on(
        "before_agent_run",
        async () => {
          if (isWatched()) return void warn();
          const message = blockedText(why);
          return { outcome: "block", reason: message, message };
        },
        last,
      );
      api.on("before_tool_call", async () => (isWatched() ? undefined : { block: true, blockReason: blockedText(why) }), last);
      return;
    }
    load.registerConduct(api, ${JSON.stringify(manifest.contracts.tools)}, abort, home);
  },
};
`;
