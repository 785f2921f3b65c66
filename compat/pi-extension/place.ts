import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { PI_EXTENSION, piExtensionFile, piExtensionText } from "../../src/edge/adapters/pi-extension/install.ts";

/** Folders of one Pi of its own: whom it belongs to, where it works, Conduct's home and socket. */
export type PiPlace = {
  readonly user: string;
  readonly workspace: string;
  readonly home: string;
  readonly socket: string;
  remove(): void;
};

export function newPlace(): PiPlace {
  const root = mkdtempSync(join(tmpdir(), "conduct-pie-"));
  const place = {
    user: join(root, "user"),
    workspace: join(root, "workspace"),
    home: join(root, "home"),
    socket: join(root, "run", "conduct.sock"),
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  };
  for (const folder of [place.user, place.workspace, place.home]) mkdirSync(folder);
  return place;
}

/** Only what Pi needs, and nothing of who runs the tests. */
export function piEnv({ user, home, socket }: PiPlace): NodeJS.ProcessEnv {
  const path = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
  return { PATH: path, HOME: user, CONDUCT_HOME: home, CONDUCT_SOCKET: socket, ...ALONE };
}

/** Pi asks nobody but its model. */
export const ALONE = { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" };

export type PiHome = {
  readonly modelUrl: string;
  readonly api: "anthropic-messages" | "openai-completions" | "openai-responses";
  readonly window: number;
  /** Text of the extension file; what `conduct init pi` writes unless given. `null` for none. */
  readonly extension?: string | null;
  /** More extensions, by file name. */
  readonly others?: { readonly [name: string]: string };
  /** More of Pi's settings. */
  readonly settings?: object;
};

/** Pi's own folder, as `conduct init pi` and a person leave it. */
export function writePiHome(place: PiPlace, home: PiHome): void {
  const { extension, others = {} } = home;
  const file = piExtensionFile({ HOME: place.user });
  mkdirSync(dirname(file), { recursive: true });
  if (extension !== null) writeFileSync(file, extension ?? piExtensionText({ plugin: PI_EXTENSION }));
  for (const [name, text] of Object.entries(others)) writeFileSync(join(dirname(file), name), text);
  writeFiles(dirname(dirname(file)), piFiles(home));
}

/** A person's models and settings before Conduct is set up, in Pi's own folder. */
export function piFiles({ modelUrl, api, window, settings = {} }: Omit<PiHome, "extension" | "others">) {
  const model = {
    id: "scripted",
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
    contextWindow: window,
    maxTokens: 32_000,
  };
  const provider = { baseUrl: modelUrl, api, apiKey: "none", models: [model] };
  return {
    "models.json": JSON.stringify({ providers: { scripted: provider } }),
    "settings.json": JSON.stringify({
      defaultProvider: "scripted",
      defaultModel: "scripted",
      defaultThinkingLevel: "off",
      // Kits give small windows: Pi would compact before every turn. What a test compacts it compacts itself.
      compaction: { enabled: false, keepRecentTokens: 1 },
      retry: { enabled: false },
      ...settings,
    }),
  };
}

export function writeFiles(root: string, files: { readonly [path: string]: string } = {}): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

export function readFiles(root: string): ReadonlyMap<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [relative(root, path), readFileSync(path, "utf8")]));
}
