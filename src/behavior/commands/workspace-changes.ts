import { isDocumentation } from "../../base/kernel/files/documentation.ts";
import { isToolCache } from "./files/tool-files.ts";
import type { CommandEffect } from "./programs/program-effects.ts";

/** After these, earlier tests, builds and lints say nothing about the workspace. */
const CHANGES =
  /^(?:files\.(?:delete|move|patch|format|extract)|git\.(?:checkout|discard)|packages\.(?:manifest|remove))$/;
/** Folders and files that tools generate: deleting them changes no source. */
const GENERATED_NAMES = [
  "node_modules|dist|build|bin|obj|out|target|coverage|tmp|temp|logs?|venv",
  "screenshots|videos|__pycache__|_build|deps|vendor/bundle|_site|site|htmlcov|artifacts?|reports?|test-results|playwright-report|storybook-static|Pods",
  "zig-cache|zig-out|DerivedData|CMakeFiles|(?:dist|build|cmake-build)-[\\w-]+",
  "\\.(?:cache|next|nuxt|turbo|parcel-cache|pytest_cache|mypy_cache|ruff_cache|tox|nox|gradle|output|svelte-kit|vite)",
  "\\.(?:nyc_output|venv|eggs|terraform|serverless|docusaurus|angular|expo|dart_tool|bundle|build|coverage|DS_Store)",
  "[^/]*\\.(?:egg-info|log|tmp|bak|orig|rej|class|gcda|gcno|profraw|pid|out|obj|a|so|pyc|o|tgz|gz|zip|map|swp|tsbuildinfo|whl|dSYM)",
].join("|");
const GENERATED = new RegExp(
  `^(?:\\./)?(?:/(?:var/)?tmp/.+|/var/(?:lib/apt/lists|cache)/.+|\\$(?:\\{(?:TMPDIR|RUNNER_TEMP)(?::-[\\w/]+)?\\}|TMPDIR|RUNNER_TEMP)/.+|(?![/~]|\\.\\./|\\$)(?:[^$]*/)?(?:${GENERATED_NAMES})(?:/.*)?)$`,
);

/** Returns whether tests, builds and lints that ran before say nothing any more. */
export function changesWorkspace({ name, args: { generated, paths } }: Pick<CommandEffect, "name" | "args">): boolean {
  const isListed = Array.isArray(paths) && paths.length > 0;
  if (name === "files.write") return isListed && paths.some((path) => isCovered(String(path)));
  const isDocs = name === "files.delete" && isListed && paths.every(isDocumentation);
  return CHANGES.test(name) && generated !== true && !isDocs;
}

/** Whether tests, builds and lints say something about a file: neither build output nor documentation. */
export function isCovered(path: string): boolean {
  return !isGenerated(path) && !isDocumentation(path) && !CI_FILES.test(path);
}

/** Files of the CI system that are no part of the workspace. */
const CI_FILES = /^\$\{?(?:GITHUB_(?:OUTPUT|ENV|PATH|STATE|STEP_SUMMARY)\}?$|RUNNER_TEMP\b)(?!.*\.\.)/;

/**
 * Deletions say whether everything they delete is generated, and whether a pattern stands for many sources. `temporary`:
 * variables that hold a temporary folder of the line itself.
 */
export function withGenerated(effect: CommandEffect, temporary: ReadonlySet<string> = NONE): CommandEffect {
  const { paths } = effect.args;
  if (effect.name !== "files.delete" || !Array.isArray(paths) || paths.length === 0) return effect;
  const texts = paths.map(String);
  const isOutput = (path: string) => isGenerated(path) || isIn(path, temporary);
  // A lock file goes together with the packages that it lists, and comes back with them.
  const generated = texts.some(isOutput) && texts.every((path) => isOutput(path) || LOCK_FILE.test(path));
  if (generated) return { ...effect, args: { ...effect.args, generated } };
  return paths.some((path) => MANY_SOURCES.test(String(path)))
    ? { ...effect, args: { ...effect.args, many: true } }
    : effect;
}

const NONE: ReadonlySet<string> = new Set();
const LOCK_FILE =
  /^(?:\.\/)?(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|bun\.lockb?|(?:yarn|Cargo|poetry|uv|Pipfile|composer|Gemfile|Podfile|mix|pubspec)\.lock)$/;

/** `$tmp`, `"$tmp"/x` and `${tmp}/x`. */
function isIn(path: string, temporary: ReadonlySet<string>): boolean {
  if (temporary.size === 0 || !path.startsWith("$")) return false;
  const [, braced, plain = braced ?? ""] = /^\$(?:\{(\w+)\}|(\w+))(?=\/|$)/.exec(path) ?? [];
  return temporary.has(plain) && !/(?:^|\/)\.\.(?:\/|$)/.test(path);
}

const MANY_SOURCES =
  /[*?][^/]*\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|c|cc|cpp|h|hpp|cs|php|swift|scala|exs?|sql|vue|svelte|s?css|html)$|(?:^|\/)(?:src|lib|app|tests?|specs?)\/\*+$/;

function isGenerated(path: string): boolean {
  return (GENERATED.test(path) && !/(?:^|\/)\.\.(?:\/|$)/.test(path)) || isToolCache(path);
}
