import { join, resolve } from "node:path";
import type { CallEffect, ToolCall } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { findSecret } from "../../../behavior/secrets/find-secret.ts";
import { committedFiles } from "./committed-files.ts";
import { branchOf, findRepository, type Repository, readText } from "./repository.ts";
import type { RepositoryFiles } from "./repository-files.ts";

/** Limits of one search for secrets. What they leave out is reported as `unscanned`. */
const MAX_FILES = 2_000;
const MAX_FILE = 256 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_MS = 1_000;

type FactCall = Pick<ToolCall, "args" | "effects" | "paths">;

/** Facts about the repository that rules ask for as `repo.NAME`. Never rejects; unknown facts are absent. */
export async function repositoryFacts(
  files: RepositoryFiles,
  root: string,
  call: FactCall,
  wanted: readonly string[],
): Promise<JsonObject> {
  const repository = await findRepository(files, root);
  const facts: { [name: string]: JsonObject[string] } = {};
  if (wanted.includes("branch")) facts.branch = await branchOf(files, repository);
  if (wanted.includes("secret") || wanted.includes("unscanned")) {
    Object.assign(facts, await secretFacts(files, repository, root, call.effects ?? []));
  }
  if (wanted.includes("undeclared")) facts.undeclared = await undeclaredPackages(files, root, call.effects ?? []);
  if (wanted.includes("generated")) facts.generated = await isGenerated(files, root, call);
  return facts;
}

/** The first secret in what would be committed, as `src/a.ts:3 (GitHub token)`. */
async function secretFacts(
  files: RepositoryFiles,
  repository: Repository,
  root: string,
  effects: readonly CallEffect[],
): Promise<JsonObject> {
  const end = performance.now() + MAX_MS;
  let [count, bytes] = [0, 0];
  const isOver = () => count > MAX_FILES || bytes > MAX_BYTES || performance.now() > end;
  const search = { root, isOver, missed: false };
  for await (const { path, read } of committedFiles(files, repository, effects, search)) {
    if (isOver()) return { unscanned: true };
    count += 1;
    const content = await read(MAX_FILE);
    bytes += content?.length ?? 0;
    if (content === undefined || content.subarray(0, 8_192).includes(0)) continue;
    const found = findSecret(content.toString("utf8"), path);
    if (found !== undefined) return { secret: `${path}:${found.line} (${found.kind})` };
  }
  return search.missed ? { unscanned: true } : {};
}

const MANIFESTS = [
  ["package.json", "pyproject.toml", "Pipfile", "setup.py", "setup.cfg", "environment.yml", "Cargo.toml", "go.mod"],
  ["Gemfile", "composer.json", "mix.exs", "pubspec.yaml", "deno.json", "requirements.txt", "requirements-dev.txt"],
  ["dev-requirements.txt", "requirements/dev.txt", "requirements/test.txt", "constraints.txt", "uv.lock"],
].flat();

/** Installed packages that no manifest of the workspace names, without their versions. */
async function undeclaredPackages(
  files: RepositoryFiles,
  root: string,
  effects: readonly CallEffect[],
): Promise<readonly string[]> {
  const written = effects
    .filter(({ name, args }) => name === "packages.install" && args.update !== true)
    .flatMap(({ args }) => (Array.isArray(args.names) ? args.names.map(String) : []));
  const names = [...new Set(written.map(packageName))].filter((name) => name !== "");
  if (names.length === 0) return [];
  const texts = await Promise.all(MANIFESTS.map((manifest) => readText(files, join(root, manifest), MAX_FILE)));
  const declared = texts.join("\n").toLowerCase().replaceAll("_", "-");
  return names.filter((name) => {
    const word = RegExp.escape(name.toLowerCase().replaceAll("_", "-"));
    return !new RegExp(`(?:^|[^\\w@/-])${word}(?![\\w/-])`).test(declared);
  });
}

/** `@scope/name@^1` and `name[extra]==1.2` without version; empty for a local path and for an unknown word. */
function packageName(word: string): string {
  if (/^(?:[.~/]|-)|[$`*]|^(?:file|link|workspace):|\.(?:tgz|whl|tar\.gz|txt)$/.test(word)) return "";
  return word.replace(/(?<=.)@[^/]*$|\[.*$|[=<>~!;].*$/, "");
}

const MARKER =
  /@generated\b|\bcode generated\b[^\n]*\bdo not edit\b|\bauto-?generated\b[^\n]*\bdo not (?:edit|modify)\b/i;

/** Does a written file say at its beginning that a program generates it? */
async function isGenerated(files: RepositoryFiles, root: string, { paths }: FactCall): Promise<boolean> {
  for (const { path, access } of paths.slice(0, 100)) {
    if (access !== "write") continue;
    if (MARKER.test((await readText(files, resolve(root, path), 1_024)) ?? "")) return true;
  }
  return false;
}
