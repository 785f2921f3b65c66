import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { projectCommands } from "./project-commands.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "conduct-project-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function commandsOf(files: Readonly<Record<string, string>>): Record<string, string> {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return Object.fromEntries(projectCommands(folder).map(({ kind, command }) => [kind, command]));
}

const scripts = (of: Readonly<Record<string, string>>) => JSON.stringify({ scripts: of });

describe("the commands of a project", () => {
  it.each([
    [
      "npm scripts",
      { "package.json": scripts({ test: "vitest", lint: "biome", build: "tsc" }) },
      { test: "npm test", build: "npm run build", lint: "npm run lint" },
    ],
    [
      "pnpm",
      { "package.json": scripts({ test: "x", typecheck: "tsc" }), "pnpm-lock.yaml": "" },
      { test: "pnpm test", types: "pnpm run typecheck" },
    ],
    [
      "bun, whose `bun test` is not the script",
      { "package.json": scripts({ test: "x" }), "bun.lock": "" },
      { test: "bun run test" },
    ],
    [
      "a Makefile",
      { Makefile: "CC := gcc\ntest: build\n\t./run\nbuild:\n\tcc\n" },
      { test: "make test", build: "make build" },
    ],
    [
      "pyproject with uv",
      { "pyproject.toml": '[project]\ndependencies = ["x"]\n[tool.pytest.ini_options]\n[tool.ruff]\n', "uv.lock": "" },
      { test: "uv run pytest", lint: "uv run ruff check" },
    ],
    ["Go", { "go.mod": "module x" }, { test: "go test ./...", build: "go build ./...", lint: "go vet ./..." }],
    ["Rust", { "Cargo.toml": "[package]" }, { test: "cargo test", build: "cargo build", lint: "cargo clippy" }],
    [
      "a CI workflow alone",
      {
        ".github/workflows/ci.yml":
          "jobs:\n  a:\n    steps:\n      - run: npm ci\n      - run: |\n          dotnet test --no-build\n",
      },
      { test: "dotnet test --no-build" },
    ],
    [
      "GitLab CI, whose commands with a wildcard are left out",
      { ".gitlab-ci.yml": "stages: [a]\nunit:\n  script:\n    - pytest tests/*\n    - make test-all\n" },
      { test: "make test-all" },
    ],
    ["nothing", {}, {}],
  ])("PRJ-1 %s names them", (_, files, expected) => {
    expect(commandsOf(files as unknown as Record<string, string>)).toEqual(expected);
  });

  it("PRJ-2 the script that npm init writes is not a test", () => {
    expect(commandsOf({ "package.json": scripts({ test: 'echo "Error: no test specified" && exit 1' }) })).toEqual({});
  });

  it("PRJ-3 broken files are skipped, and the others count", () => {
    const files = { "package.json": "{", ".github/workflows/ci.yml": ":\n- [", Makefile: "test:\n" };
    expect(commandsOf(files)).toEqual({ test: "make test" });
  });
});
