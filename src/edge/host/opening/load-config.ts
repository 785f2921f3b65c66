import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, normalize, resolve } from "node:path";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { NamedFile } from "../../../engine/agent/config/config-files.ts";
import type { ConfigFault } from "../../../engine/agent/config/config-source.ts";
import type { ParsedConfig } from "../../../engine/agent/config/parse-config.ts";
import type { DeclaredChannels } from "../../../engine/session/session-options.ts";
import type { WrittenModel } from "../node/pi-models.ts";
import { realFolder } from "../trust/real-folder.ts";
import { readTextFile, type TextFileError } from "../workspace/read-text-file.ts";
import { findRules } from "./load-rules.ts";

/** `texts` are for showing the lines with faults; `files` is everything that was read, by path, for the trust check. */
type Loaded<Parsed> =
  | { readonly error: TextFileError }
  | {
      readonly text: string;
      readonly texts: ReadonlyMap<string, string>;
      readonly files: ReadonlyMap<string, string>;
      readonly parsed: Parsed;
    };
export type LoadedConfig = Loaded<ParsedConfig>;

/** A conduct.yaml for programs that import the package: without the gateway's parts, whose types need the schemas. */
export type AgentsFile = Loaded<
  | {
      readonly agents: readonly Agent[];
      /** The agents as written in the file. */
      readonly definitions: readonly JsonObject[];
      readonly channels: DeclaredChannels;
      /** Custom models by provider/model; `key` is the name of an environment variable. */
      readonly models: {
        readonly [name: string]: WrittenModel;
      };
      readonly warnings: readonly ConfigFault[];
    }
  | { readonly faults: readonly ConfigFault[] }
>;

/** Reads a conduct.yaml and the files it names. `shown` is its name in messages; default: the path. */
export const loadAgentsFile: (path: string, shown?: string) => Promise<AgentsFile> = loadConfigFile;

/** Reads a conduct.yaml and the files it names. `shown` is its name in messages; default: the path. */
export async function loadConfigFile(path: string, shown: string = path): Promise<LoadedConfig> {
  const read = await readTextFile(path, shown, "CONFIG");
  return "error" in read ? read : loadConfigText(read.text, path, shown);
}

/** Same for a text that is, or may become, the content of that file: its references are relative to the file. */
export async function loadConfigText(
  text: string,
  path: string,
  shown: string = path,
): Promise<Exclude<LoadedConfig, { readonly error: unknown }>> {
  // Building the schemas takes as long as Node's own start, and a missing file needs none.
  const { fileReferences, parseConfig } = await import("../../../engine/agent/config/parse-config.ts");
  const named = fileReferences(text);
  const [folder, shownFolder] = [dirname(path), dirname(shown)];
  const rules = await readAll(named.rules, (reference) => ruleFile(reference, folder, shownFolder));
  const held = await readAll(named.texts, (reference) => textFile(reference, folder, shownFolder));
  const found = [...rules.values(), ...held.values()].filter((file) => "text" in file);
  return {
    text,
    texts: new Map([[shown, text], ...found.map((one) => [one.file, one.text] as const)]),
    files: new Map([[resolve(path), text], ...found.map((one) => [one.path ?? one.file, one.text] as const)]),
    parsed: parseConfig(text, shown, { rules, texts: held, locate: (skill) => skillPlace(folder, skill) }),
  };
}

/** Agents read the skill where it really is. A path that leads nowhere from here is one of the workspace. */
function skillPlace(folder: string, path: string): string {
  const file = resolve(folder, path);
  return existsSync(file) ? realFolder(file) : path;
}

async function readAll(
  references: readonly string[],
  read: (reference: string) => Promise<NamedFile>,
): Promise<ReadonlyMap<string, NamedFile>> {
  const files = new Map<string, NamedFile>();
  for (const reference of references) files.set(reference, await read(reference));
  return files;
}

async function ruleFile(reference: string, folder: string, shownFolder: string): Promise<NamedFile> {
  const found = await findRules(reference, folder, shownFolder);
  if ("fault" in found) return found.fault;
  return namedFile(found.path, found.shown, "RULES");
}

async function textFile(reference: string, folder: string, shownFolder: string): Promise<NamedFile> {
  const shown = isAbsolute(reference) ? reference : normalize(join(shownFolder, reference));
  return namedFile(resolve(folder, reference), shown, "TEXT");
}

async function namedFile(path: string, shown: string, kind: "RULES" | "TEXT"): Promise<NamedFile> {
  const read = await readTextFile(path, shown, kind);
  if ("error" in read) return { message: read.error.message, hint: read.error.fix };
  return { file: shown, text: read.text, path };
}
