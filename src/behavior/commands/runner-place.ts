/** Folders of a project into which package managers install programs. */
const INSTALLED =
  /(?:^|\/)(?:node_modules\/\.bin|\.?v?env[\w.-]*\/bin|\.(?:tox|nox)\/[\w.-]+\/bin|vendor\/bin|vendor\/bundle\/.+\/bin)$/;
/** Folders of the machine, and of package and version managers in a person's home. */
const SYSTEM =
  /^(?:\/(?:usr|bin|sbin|opt|nix|snap|home\/linuxbrew|Library|Applications|System)(?:\/|$)|(?:~|\$HOME|\/root|\/home\/[^/]+|\/Users\/[^/]+)\/(?:\.[\w-]+|go|bin|Library|(?:mini|ana)conda3?|miniforge3|mambaforge)(?:\/|$))/;
const TEMPORARY = /^\/(?:private\/)?(?:tmp|var\/tmp|var\/folders|dev\/shm)\//;
/** Files that a project contains on purpose. */
const WRAPPER = /^(?:gradlew|mvnw|mill|sbt|lein|bazelisk|bazelw|dotnet-test|artisan|manage\.py)(?:\.bat|\.cmd)?$/;
/** Come with the machine. A project's `bin` has stubs of test runners (`bin/rspec`), not these. */
const MACHINE =
  /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|deno|node|nodejs|tsx|python[\d.]*|pip[\d.]*|uv|uvx|poetry|pdm|hatch|pipenv|rye|go|cargo|make|gmake|just|task|gradle|mvn|dotnet|composer|php|ruby|git|bash|sh)$/;

/**
 * Is a test runner where one is usually installed? `path` is relative to the workspace if it lies in it. A file of
 * another place may be one that the agent wrote, so its exit code proves nothing.
 */
export function isUsualRunnerPlace(path: string): boolean {
  const at = path.lastIndexOf("/");
  if (at < 0) return true;
  const [folder, name] = [path.slice(0, at).replace(/^(?:\.\/)+/, ""), path.slice(at + 1)];
  if (/^[/~$]/.test(folder)) return SYSTEM.test(folder) || (INSTALLED.test(folder) && !TEMPORARY.test(folder));
  if (INSTALLED.test(folder) || WRAPPER.test(name)) return true;
  return /(?:^|\/)s?bin$/.test(folder) && !MACHINE.test(name);
}
