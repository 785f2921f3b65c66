#!/usr/bin/env node
// Plain JavaScript that any Node can read: a Node that is too old is told so before it meets a file it cannot parse.

const [major] = process.versions.node.split(".");
const [, , ...argv] = process.argv;
/** The build copies this file to `dist`, next to the bundles. In a checkout it runs the sources. */
const isInstalled = import.meta.url.endsWith("/dist/conduct.mjs");
if (Number(major) < 24) {
  const fix = isInstalled
    ? "install Node 24 or newer, then install agent-conduct again"
    : 'run "npm install" in the project without --ignore-scripts, which brings its own Node, then "npm start" or "npm run -s conduct -- --help"';
  process.stderr.write(
    `conduct needs Node 24 or newer, and this is ${process.versions.node} (${process.execPath}): ${fix}.\n`,
  );
  // A hook must not allow what it could not check: exit code 2 denies.
  process.exitCode = argv[0] === "hook" ? 2 : 1;
} else if (/^hook (codex|cursor|gemini|copilot \w+)$/.test(argv.join(" "))) {
  process.exitCode = await runHook(argv[1], argv[2]);
} else {
  keepCompiled();
  hideSqliteWarning();
  const { runCommandLine } = await import(isInstalled ? "./cli.mjs" : "./line/run-command-line.ts");
  process.exitCode = await runCommandLine(argv);
}

/** Node 24.0 announces its SQLite as experimental in every command; ours is tested there. */
function hideSqliteWarning() {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...more) => {
    if (!String(warning).startsWith("SQLite is an experimental")) emitWarning.call(process, warning, ...more);
  };
}

/**
 * Halves the start time. In Conduct's own folder, because anyone can write to /tmp; in CONDUCT_HOME, if there is one,
 * where another account installed Conduct.
 */
function keepCompiled() {
  const { enableCompileCache, constants } = process.getBuiltinModule("node:module");
  const { CONDUCT_HOME, HOME } = process.env;
  const home = CONDUCT_HOME || `${HOME}/.conduct`;
  const own = `${import.meta.dirname}/${isInstalled ? ".." : "../../.."}/node_modules/.cache/conduct`;
  if (enableCompileCache(own).status !== constants.compileCacheStatus.FAILED) return;
  if (process.getBuiltinModule("node:fs").existsSync(home)) enableCompileCache(`${home}/cache`);
}

/**
 * A runtime waits for this at every call: two small files that import only Node, and no more of it than they use
 * (`node:fs` would load its streams too). A load failure denies.
 */
async function runHook(runtime, event) {
  try {
    const bundle = isInstalled ? await import(`${import.meta.dirname}/hook.mjs`) : await loadBundle();
    if (bundle !== undefined) return bundle.runHook(runtime, event);
    keepCompiled();
    const { runHook } = await import("./commands/hook/run-hook.ts");
    return await runHook(runtime, event);
  } catch (error) {
    const fix = isInstalled ? "agent-conduct is installed again" : '"npm install" has repaired it';
    process.stderr.write(`Conduct cannot be loaded: ${error}\nEvery call is blocked until ${fix}.\n`);
    return isStop(event) ? 1 : 2;
  }
}

/** The bundle (`scripts/build-hook.ts`), used only while its sources are unchanged. */
async function loadBundle() {
  const root = new URL("../../../", import.meta.url);
  const { readFileSync } = process.getBuiltinModule("node:fs");
  try {
    const { entry, made } = JSON.parse(readFileSync(new URL(".cache/hook/hook.json", root), "utf8"));
    for (const file in made) if (readFileSync(new URL(file, root), "utf8") !== made[file]) return undefined;
    return await import(new URL(`.cache/hook/${entry}`, root).href);
  } catch {
    return undefined;
  }
}

/** An agent that may not stop would loop. */
function isStop(event) {
  try {
    if (event !== undefined) return /^(agent|subagent)Stop$/.test(event);
    const { readFileSync } = process.getBuiltinModule("node:fs");
    return /^((Subagent)?Stop|AfterAgent)$/.test(JSON.parse(readFileSync(0, "utf8")).hook_event_name);
  } catch {
    return false;
  }
}
