import { leaves } from "./shell/folders.ts";

/** Folders of a project into which package managers install programs. */
const INSTALLED =
  /(?:^|\/)(?:node_modules\/\.bin|\.?v?env[\w.-]*\/bin|\.(?:tox|nox)\/[\w.-]+\/bin|vendor\/bin|vendor\/bundle\/.+\/bin)$/;
/** Folders of the machine, and of package and version managers in a person's home. */
const SYSTEM =
  /^(?:\/(?:usr|bin|sbin|opt|nix|snap|home\/linuxbrew|Library|Applications|System)(?:\/|$)|(?:~|\$HOME|\/root|\/home\/[^/]+|\/Users\/[^/]+)\/(?:\.[\w-]+|go|bin|Library|(?:mini|ana)conda3?|miniforge3|mambaforge)(?:\/|$))/;
const TEMPORARY = /^\/(?:private\/)?(?:tmp|var\/tmp|var\/folders|dev\/shm)\//;
/** Package managers install these, or they come with the machine: a project has none of them in its own folders. */
const INSTALLABLE =
  /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|deno|node|nodejs|tsx|python[\d.]*|pip[\d.]*|uv|uvx|poetry|pdm|hatch|pipenv|rye|go|cargo|make|gmake|just|task|gradle|mvn|dotnet|composer|php|ruby|git|bash|sh|jest|vitest|mocha|ava|tap|jasmine|karma|cypress|playwright|c8|nyc|pytest|py\.test|tox|nox|tsc|vue-tsc|eslint|oxlint|stylelint|mypy|pyright|flake8|pylint|ruff|biome|turbo|nx|lerna)$/;

/** Does a package manager install a program of this name, which runs or checks a project? */
export function isInstalledRunner(name: string): boolean {
  return INSTALLABLE.test(name) || /^(?:phpunit|pest|rspec)$/.test(name);
}

/**
 * Is a test runner where one is usually installed? `path` is relative to the workspace if it lies in it; `written` is the
 * program's word. A file in
 * another place may be one that the agent wrote, so its exit code proves nothing. Projects have `bin/rspec`,
 * `./gradlew` and scripts of their own.
 */
export function isUsualRunnerPlace(path: string, written = path): boolean {
  if (!written.includes("/")) return true;
  const at = path.lastIndexOf("/");
  const [folder, name] = [path.slice(0, at).replace(/^(?:\.\/)+/, ""), path.slice(at + 1)];
  if (/^[/~$]/.test(folder)) return SYSTEM.test(folder) || (INSTALLED.test(folder) && !TEMPORARY.test(folder));
  return INSTALLED.test(folder) || (!INSTALLABLE.test(name) && !leaves(folder));
}
