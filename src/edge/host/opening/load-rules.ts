import { stat } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, resolve } from "node:path";
import type { Level } from "../../../base/words/rule.ts";
import type { ParsedRules } from "../../../engine/agent/rules/parse-rules.ts";
import { packageFile } from "../node/package-files.ts";
import { readTextFile, type TextFileError } from "../workspace/read-text-file.ts";

/** Folder of the packs shipped with Conduct. */
const SHIPPED = packageFile("packs");

/** A rule file and its name in messages. */
export type FoundRules = { readonly path: string; readonly shown: string };

/** A parsed rule file, or why it could not be read. */
export type LoadedRules =
  | { readonly error: TextFileError }
  | (FoundRules & { readonly text: string; readonly parsed: ParsedRules });

/**
 * Resolves `packs/coding` or `./rules.yaml` relative to a folder: a rule file, or a pack (a folder with rules.yaml). A
 * pack not found there may be a shipped one. A name that matches both is rejected: an agent could put a weaker pack of
 * the same name in its own folder.
 */
export async function findRules(
  reference: string,
  folder: string,
  shownFolder: string,
): Promise<FoundRules | { readonly fault: { readonly message: string; readonly hint: string } }> {
  const path = resolve(folder, reference);
  const shown = isAbsolute(reference) ? reference : normalize(join(shownFolder, reference));
  const beside = await kindOf(path);
  const shipped = await shippedPack(reference);
  if (shipped !== undefined && beside !== "none" && !samePlace(path, shipped.path)) {
    const message = `'${reference}' is both a folder here and a pack shipped with Conduct`;
    return { fault: { message, hint: `write './${reference}' for the folder, or rename it` } };
  }
  if (shipped !== undefined) return shipped;
  if (beside === "folder") return { path: join(path, "rules.yaml"), shown: join(shown, "rules.yaml") };
  if (beside === "file") return { path, shown };
  return { fault: { message: `there is no ${shown}`, hint: "name a rule file, or a folder that contains rules.yaml" } };
}

/** Reads and checks one rule file or pack; `reference` is relative to `folder`. */
export async function loadRules(reference: string, folder: string, level?: Level): Promise<LoadedRules> {
  const found = await findRules(reference, folder, "");
  if ("fault" in found) {
    return { error: { code: "RULES_NOT_FOUND", message: found.fault.message, fix: found.fault.hint } };
  }
  const read = await readTextFile(found.path, found.shown, "RULES");
  if ("error" in read) return read;
  const { parseRules } = await import("../../../engine/agent/rules/parse-rules.ts");
  return { ...found, text: read.text, parsed: parseRules(read.text, found.shown, { level }) };
}

/** The test cases next to a rule file: for `NAME.yaml` first `NAME.cases.yaml`, then `cases.yaml`. */
export async function readCases(
  rules: FoundRules,
): Promise<(FoundRules & { readonly text: string }) | { readonly error: TextFileError }> {
  const own = [rules.path, rules.shown].map((name) => name.replace(/(\.ya?ml)?$/, ".cases.yaml"));
  const common = [rules.path, rules.shown].map((name) => join(dirname(name), "cases.yaml"));
  const [path = "", shown = ""] = (await kindOf(own[0] ?? "")) === "file" ? own : common;
  const read = await readTextFile(path, shown, "CASES");
  if (!("error" in read)) return { path, shown, text: read.text };
  const fix = "write cases next to the rules; their format: conduct policy schema --cases";
  return read.error.code === "CASES_NOT_FOUND" ? { error: { ...read.error, fix } } : read;
}

async function shippedPack(reference: string): Promise<FoundRules | undefined> {
  const [, name] = /^packs\/([\w-]+)\/?$/.exec(reference) ?? [];
  if (name === undefined) return undefined;
  const path = join(SHIPPED, name, "rules.yaml");
  return (await kindOf(path)) === "file" ? { path, shown: `packs/${name}/rules.yaml` } : undefined;
}

function samePlace(folder: string, file: string): boolean {
  return join(folder, "rules.yaml") === file;
}

async function kindOf(path: string): Promise<"file" | "folder" | "none"> {
  try {
    return (await stat(path)).isDirectory() ? "folder" : "file";
  } catch {
    return "none";
  }
}
