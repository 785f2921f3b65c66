import { dirname } from "node:path";
import type { RuleFile } from "../../engine/agent/agent-rules.ts";
import { type ParsedConfig, parseConfig, ruleReferences } from "../../engine/agent/parse-config.ts";
import { findRules } from "./load-rules.ts";
import { readTextFile, type TextFileError } from "./read-text-file.ts";

/** `texts` are there to show the lines that faults are in: conduct.yaml itself and the rule files it names. */
export type LoadedConfig =
  | { readonly error: TextFileError }
  | { readonly text: string; readonly texts: ReadonlyMap<string, string>; readonly parsed: ParsedConfig };

/** Reads a conduct.yaml and the rule files it names; `shown` is what messages call it, the path itself unless told. */
export async function loadConfigFile(path: string, shown: string = path): Promise<LoadedConfig> {
  const read = await readTextFile(path, shown, "CONFIG");
  if ("error" in read) return read;
  const { text } = read;
  const files = new Map<string, RuleFile>();
  for (const reference of ruleReferences(text)) {
    files.set(reference, await ruleFile(reference, dirname(path), dirname(shown)));
  }
  const texts = new Map([[shown, text]]);
  for (const file of files.values()) if ("file" in file) texts.set(file.file, file.text);
  return { text, texts, parsed: parseConfig(text, shown, files) };
}

async function ruleFile(reference: string, folder: string, shownFolder: string): Promise<RuleFile> {
  const found = await findRules(reference, folder, shownFolder);
  if ("fault" in found) return found.fault;
  const read = await readTextFile(found.path, found.shown, "RULES");
  if ("error" in read) return { message: read.error.message, hint: read.error.fix };
  return { file: found.shown, text: read.text };
}
