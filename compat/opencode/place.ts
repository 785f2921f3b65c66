import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { OPENCODE_PLUGIN, opencodePluginText } from "../../src/edge/adapters/opencode/install.ts";

export const OPENCODE = join(import.meta.dirname, "node_modules", ".bin", "opencode");
/** Ours, in the configuration folder. */
export const PLUGIN_FILE = join("plugin", "conduct.js");
const VERSION = "1.18.33";

/** A fresh place for one OpenCode: a home, a folder for workspaces, a socket. */
export type OpencodePlace = {
  readonly root: string;
  readonly home: string;
  readonly config: string;
  readonly socket: string;
  remove(): void;
};

export function newPlace(): OpencodePlace {
  const root = mkdtempSync(join(tmpdir(), "conduct-opencode-"));
  return {
    root,
    home: join(root, "home"),
    config: join(root, "home", ".config", "opencode"),
    socket: join(root, "run", "c.sock"),
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  };
}

/** What of a home differs from the usual one. */
export type HomeOptions = {
  /** More of `opencode.json`. */
  readonly config?: object;
  /** More files in the configuration folder, by their path in it; `undefined` takes one away. */
  readonly files?: { readonly [path: string]: string | undefined };
  /** More of the environment that OpenCode is started in. */
  readonly env?: NodeJS.ProcessEnv;
};

/** The windows of the scripted models; a run names the one it wants. */
export const WINDOWS = [2_000, 8_000, 200_000] as const;

export function modelName(window: number): string {
  if (!WINDOWS.some((one) => one === window)) throw new Error(`add a scripted model with a window of ${window}`);
  return `scripted-${window}`;
}

/** A person's `opencode.json` before Conduct is set up. */
export function opencodeConfig(modelUrl: string, more: object = {}): string {
  const scripted = (window: number) => ({
    name: modelName(window),
    reasoning: true,
    tool_call: true,
    limit: { context: window, output: 1_000 },
  });
  return JSON.stringify({
    model: `scripted/${modelName(200_000)}`,
    autoupdate: false,
    share: "disabled",
    snapshot: false,
    lsp: false,
    formatter: false,
    // Conduct decides; nobody is there to answer OpenCode's own questions.
    permission: { "*": "allow", external_directory: "allow" },
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: modelUrl, apiKey: "none" },
        models: Object.fromEntries(WINDOWS.map((window) => [modelName(window), scripted(window)])),
      },
    },
    ...more,
  });
}

/** Writes the home; `modelUrl` is where its models answer. */
export async function writeHome(place: OpencodePlace, modelUrl: string, options: HomeOptions = {}): Promise<void> {
  await writeFiles(place.config, {
    "opencode.json": opencodeConfig(modelUrl, options.config),
    ...installed("."),
    [PLUGIN_FILE]: opencodePluginText({ home: join(place.home, "conduct"), plugin: OPENCODE_PLUGIN, waitMs: 3_000 }),
    "models.json": "{}",
    ...options.files,
  });
}

/** As OpenCode leaves a folder when it has installed what plugins may import; without them it asks the registry first. */
export function installed(folder: string): { readonly [path: string]: string } {
  const needs = { dependencies: { "@opencode-ai/plugin": VERSION } };
  return {
    [join(folder, "package.json")]: JSON.stringify(needs),
    [join(folder, "package-lock.json")]: JSON.stringify({ lockfileVersion: 3, packages: { "": needs } }),
    [join(folder, "node_modules", ".keep")]: "",
  };
}

export function opencodeEnv(place: OpencodePlace): NodeJS.ProcessEnv {
  return { ...opencodeUser(place.home), CONDUCT_SOCKET: place.socket };
}

/** The environment of a person with OpenCode, on loopback only. */
export function opencodeUser(home: string): NodeJS.ProcessEnv {
  return {
    PATH: `${dirname(OPENCODE)}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_MODELS_PATH: join(home, ".config", "opencode", "models.json"),
  };
}

export async function writeFiles(
  root: string,
  files: { readonly [path: string]: string | undefined } = {},
): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    if (text === undefined) continue;
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

export async function readFiles(root: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = paths.map(async (path) => [relative(root, path), await readFile(path, "utf8")] as const);
  return new Map(await Promise.all(texts));
}
