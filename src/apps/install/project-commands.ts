import { existsSync, globSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { parse } from "yaml";
import { asList, asObject, asString, parseObject } from "../../base/kernel/json.ts";

/** What a project's command does. */
export type CommandKind = "test" | "build" | "lint" | "types";

/** A command of a project, and the file that says so. The file is the project's own word, so a person confirms it. */
export type ProjectCommand = { readonly kind: CommandKind; readonly command: string; readonly from: string };

/** Lock files name the package manager that the project uses. */
const MANAGERS: readonly (readonly [file: string, manager: string])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
];

/** Script and target names by kind. The first that exists is used. */
const NAMES: { readonly [kind in CommandKind]: readonly string[] } = {
  test: ["test", "tests", "check"],
  build: ["build", "compile"],
  lint: ["lint"],
  types: ["typecheck", "type-check", "types", "tsc"],
};

/** `npm init` writes this script into projects without tests. */
const NO_TEST = /no test specified/;

/** Finds the commands that test, build and check the project in a folder. Reads files only; runs nothing. */
export function projectCommands(folder: string): readonly ProjectCommand[] {
  const found = [
    ...scriptCommands(folder),
    ...targetCommands(folder, ["Makefile", "makefile", "GNUmakefile"], /^([\w-]+)\s*:(?!=)/gm, "make"),
    ...targetCommands(folder, ["justfile", "Justfile"], /^([\w-]+)(?:\s[^:=\n]*)?:(?!=)/gm, "just"),
    ...pythonCommands(folder),
    ...fixedCommands(folder),
    ...workflowCommands(folder),
  ];
  const kinds = new Set<string>();
  return found.filter(({ kind }) => !kinds.has(kind) && kinds.add(kind));
}

/** The test command of this folder, or of the nearest folder above it in the same repository. */
export function testCommand(folder: string): ProjectCommand | undefined {
  return repositoryFolders(folder)
    .flatMap((one) => projectCommands(one))
    .find(({ kind }) => kind === "test");
}

/** Is this part of a repository without any test command? The home folder is no project, whatever is in it. */
export function isUntested(folder: string): boolean {
  return repositoryFolders(folder).length > 0 && testCommand(folder) === undefined;
}

/** The folder and those above it, up to the repository's root; empty outside of a repository. */
function repositoryFolders(folder: string): readonly string[] {
  const above = dirname(folder);
  if (folder === homedir()) return [];
  if (existsSync(join(folder, ".git"))) return [folder];
  const rest = above === folder ? [] : repositoryFolders(above);
  return rest.length === 0 ? [] : [folder, ...rest];
}

function scriptCommands(folder: string): readonly ProjectCommand[] {
  const scripts = asObject(parseObject(readText(folder, "package.json"))?.scripts);
  const manager = MANAGERS.find(([file]) => existsSync(join(folder, file)))?.[1] ?? "npm";
  return kindsOf((name) => typeof scripts[name] === "string" && !NO_TEST.test(asString(scripts[name]))).map(
    ({ kind, name }) => {
      // `bun test` is bun's own runner, not the script.
      const isShort = name === "test" && manager !== "bun";
      return { kind, command: `${manager} ${isShort ? "" : "run "}${name}`, from: `package.json, script ${name}` };
    },
  );
}

function targetCommands(
  folder: string,
  files: readonly string[],
  pattern: RegExp,
  program: string,
): readonly ProjectCommand[] {
  const file = files.find((name) => existsSync(join(folder, name)));
  if (file === undefined) return [];
  const targets = new Set([...readText(folder, file).matchAll(pattern)].map(([, name = ""]) => name));
  return kindsOf((name) => targets.has(name)).map(({ kind, name }) => ({
    kind,
    command: `${program} ${name}`,
    from: `${file}, target ${name}`,
  }));
}

function pythonCommands(folder: string): readonly ProjectCommand[] {
  const text = readText(folder, "pyproject.toml");
  if (text === "") return [];
  const has = (word: string) => new RegExp(`^\\[tool\\.${word}\\b|["']${word}\\b`, "m").test(text);
  const runner = existsSync(join(folder, "uv.lock")) ? "uv run " : /^\[tool\.poetry\]/m.test(text) ? "poetry run " : "";
  const tools: readonly (readonly [CommandKind, string, string])[] = [
    ["test", "pytest", "pytest"],
    ["lint", "ruff", "ruff check"],
    ["types", "mypy", "mypy ."],
    ["types", "pyright", "pyright"],
  ];
  return tools
    .filter(([, word]) => has(word))
    .map(([kind, word, command]) => ({ kind, command: `${runner}${command}`, from: `pyproject.toml, ${word}` }));
}

/** Ecosystems whose commands are always the same. */
function fixedCommands(folder: string): readonly ProjectCommand[] {
  const fixed: readonly (readonly [file: string, kind: CommandKind, command: string])[] = [
    ["go.mod", "test", "go test ./..."],
    ["go.mod", "build", "go build ./..."],
    ["go.mod", "lint", "go vet ./..."],
    ["Cargo.toml", "test", "cargo test"],
    ["Cargo.toml", "build", "cargo build"],
    ["Cargo.toml", "lint", "cargo clippy"],
    ["pytest.ini", "test", "pytest"],
    ["tox.ini", "test", "tox"],
    ["pom.xml", "test", "mvn test"],
    ["build.gradle", "test", existsSync(join(folder, "gradlew")) ? "./gradlew test" : "gradle test"],
    ["build.gradle.kts", "test", existsSync(join(folder, "gradlew")) ? "./gradlew test" : "gradle test"],
    ["Gemfile", "test", existsSync(join(folder, ".rspec")) ? "bundle exec rspec" : ""],
    ["phpunit.xml", "test", "vendor/bin/phpunit"],
    ["deno.json", "test", "deno test"],
  ];
  return fixed
    .filter(([file, , command]) => command !== "" && existsSync(join(folder, file)))
    .map(([file, kind, command]) => ({ kind, command, from: file }));
}

const CI_TEST =
  /^(?:\S+=\S+ )*(?:npm|pnpm|yarn|bun|npx|uv|poetry|python3?|pytest|tox|nox|go|cargo|make|just|mvn|gradle|\.\/gradlew|dotnet|bundle|deno)\b[^|;&]*\btest\w*\b[^|;&]*$/;

/** The first test command of a CI workflow, for projects whose files do not name one. */
function workflowCommands(folder: string): readonly ProjectCommand[] {
  for (const file of globSync("{.github/workflows/*.{yml,yaml},.gitlab-ci.yml}", { cwd: folder }).sort()) {
    const whole = asObject(parseYaml(readText(folder, file)));
    const jobs = Object.values(file === ".gitlab-ci.yml" ? whole : asObject(whole.jobs)).map(asObject);
    const steps = jobs.flatMap(({ steps: own, script }) => [
      ...asList(own).map((step) => asObject(step).run),
      ...(Array.isArray(script) ? script : [script]),
    ]);
    const lines = steps.flatMap((step) => asString(step).split("\n")).map((line) => line.trim());
    // A star would be a wildcard in a rule's action.
    const command = lines.find((line) => CI_TEST.test(line) && !line.includes("*"));
    if (command !== undefined) return [{ kind: "test", command, from: basename(file) }];
  }
  return [];
}

function kindsOf(has: (name: string) => boolean): readonly { readonly kind: CommandKind; readonly name: string }[] {
  return (Object.keys(NAMES) as CommandKind[]).flatMap((kind) => {
    const name = NAMES[kind].find(has);
    return name === undefined ? [] : [{ kind, name }];
  });
}

function parseYaml(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Files of a stranger's project may be missing, unreadable or huge. */
function readText(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), "utf8").slice(0, 1_000_000);
  } catch {
    return "";
  }
}
