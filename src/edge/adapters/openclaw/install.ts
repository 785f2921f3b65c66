import { homedir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { checkOptions, object, optional, text } from "../../../base/kernel/check-options.ts";
import { isObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { pluginFileText } from "../shared/plugin-file.ts";
import manifest from "./plugin/openclaw.plugin.json" with { type: "json" };

/** The folder that OpenClaw is made to load. */
export const OPENCLAW_PLUGIN = join(import.meta.dirname, "plugin");

const ID = "conduct";

/** Where OpenClaw keeps the configuration of this account. */
export function openclawConfigFile(env: NodeJS.ProcessEnv = process.env): string {
  if (env.OPENCLAW_CONFIG_PATH) return env.OPENCLAW_CONFIG_PATH;
  const state = env.OPENCLAW_STATE_DIR || join(env.HOME || homedir(), ".openclaw");
  return join(state, "openclaw.json");
}

type Path = readonly string[];

/** One thing that was put there, plain JSON: a key with its value, or an item of a list. */
export type Added =
  | { readonly kind: "key"; readonly path: Path; readonly value: Json }
  | { readonly kind: "item"; readonly path: Path; readonly item: string };

/** The configuration with Conduct in it, and what was added to make it so, in order; or why it cannot be. */
export type AddedConduct =
  | { readonly config: JsonObject; readonly added: readonly Added[] }
  | { readonly refused: string };

export type ConductEntry = {
  readonly plugin?: string;
  /** What the plugin itself is told: `socket`, `operators`, `waitSeconds`. */
  readonly config?: JsonObject;
};

/** Has OpenClaw load Conduct, and gives it what it needs. What is there already stays, and nothing is added twice. */
export function addConduct(config: JsonObject, entry: ConductEntry = {}): AddedConduct {
  checkOptions("addConduct", entry, { plugin: optional(text), config: optional(object) });
  const { plugin = OPENCLAW_PLUGIN, config: own } = entry;
  const refused = refusalOf(config);
  if (refused !== undefined) return { refused };
  const draft = new Draft(config);
  draft.item(["plugins", "load", "paths"], plugin);
  // A list that is not there, or empty, lets every plugin in; with Conduct alone on it the others would be out.
  if (listAt(config, ["plugins", "allow"]).length > 0) draft.item(["plugins", "allow"], ID);
  draft.key(["plugins", "entries", ID, "enabled"], true);
  draft.key(["plugins", "entries", ID, "hooks", "allowConversationAccess"], true);
  if (own !== undefined) draft.key(["plugins", "entries", ID, "config"], own);
  // OpenClaw takes either list, and not both. Without a profile every plugin's tools are there.
  if (listAt(config, ["tools", "allow"]).length > 0) draft.item(["tools", "allow"], ID);
  else if (at(config, ["tools", "profile"]) !== undefined) draft.item(["tools", "alsoAllow"], ID);
  return { config: draft.config, added: draft.added };
}

/** Takes out what `addConduct` has added, as far as it is still there, the last thing first; all else stays. */
export function removeConduct(config: JsonObject, added: readonly Added[]): JsonObject {
  return [...added].reverse().reduce(withoutAdded, config);
}

function withoutAdded(config: JsonObject, added: Added): JsonObject {
  const there = at(config, added.path);
  if (added.kind === "item") {
    const list = Array.isArray(there) ? there : [];
    return list.includes(added.item)
      ? put(
          config,
          added.path,
          list.filter((item) => item !== added.item),
        )
      : config;
  }
  // Something was put beside it in the meantime: it stays.
  return isDeepStrictEqual(there, added.value) ? put(config, added.path, undefined) : config;
}

function refusalOf(config: JsonObject): string | undefined {
  if (at(config, ["plugins", "enabled"]) === false) return "plugins are switched off there: `plugins.enabled` is false";
  if (listAt(config, ["plugins", "deny"]).includes(ID)) return "`plugins.deny` names 'conduct': take it out first";
  return undefined;
}

/** Collects what is added; folders of the configuration that are made on the way are added too. */
class Draft {
  config: JsonObject;
  readonly added: Added[] = [];

  constructor(config: JsonObject) {
    this.config = config;
  }

  key(path: Path, value: Json): void {
    if (isDeepStrictEqual(at(this.config, path), value)) return;
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

/** With `undefined` the key goes. Keys keep their order. */
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

/** The files of the folder that OpenClaw is made to load, by name. They stay where they are when Conduct is moved. */
export function openclawPluginFiles(home: string): { readonly [name: string]: string } {
  return {
    "openclaw.plugin.json": `${JSON.stringify(manifest, null, 2)}\n`,
    "index.ts": pluginFileText(FIRST_LINE, { runtime: "openclaw", home, options: {} }, BODY),
  };
}

/** A run is refused where Conduct is missing and OpenClaw is enforced; where it is only watched it goes on, with one warning. */
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
      const path = modulePath();
      if (typeof path !== "string") throw new Error(home + "/bin/installation.json does not name it");
      load = createRequire(path + "/index.ts")("../load.ts");
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
