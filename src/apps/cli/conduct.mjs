#!/usr/bin/env node
// Plain JavaScript that any Node can read: a Node that is too old is told so before it meets a file it cannot parse.

const [major] = process.versions.node.split(".");
const [, , ...argv] = process.argv;
if (Number(major) < 24) {
  process.stderr.write(
    `conduct needs Node 24 or newer, and this is ${process.versions.node} (${process.execPath}): run "npm install" in the project without --ignore-scripts, which brings its own Node, then "npm start" or "npm run -s conduct -- --help".\n`,
  );
  // A hook must not let pass what it could not look at: for hooks 2 means no.
  process.exitCode = argv[0] === "hook" ? 2 : 1;
} else if (argv.join(" ") === "hook codex") {
  process.exitCode = await hookCodex();
} else {
  process.exitCode = await fromSource();
}

async function fromSource() {
  keepCompiled();
  const { runCommandLine } = await import("./line/run-command-line.ts");
  return runCommandLine(argv);
}

/** Halves the start of a checkout without a build. In our own folder: what lies in /tmp anyone may have put there. */
function keepCompiled() {
  const { enableCompileCache } = process.getBuiltinModule("node:module");
  enableCompileCache(`${import.meta.dirname}/../../../node_modules/.cache/conduct`);
}

/**
 * A runtime waits for this one at every call: two small files that load nothing but Node, and of Node no more than they use (to import
 * `node:fs` loads its streams too). What cannot be loaded lets nothing pass.
 */
async function hookCodex() {
  const bundle = await loadBundle();
  if (bundle !== undefined) return bundle.hookCodex();
  try {
    keepCompiled();
    const { hookCodex } = await import("./commands/hook/codex.ts");
    return await hookCodex();
  } catch (error) {
    process.stderr.write(`Conduct cannot be loaded: ${error}\nIt is blocked until "npm install" has mended it.\n`);
    return isStop() ? 1 : 2;
  }
}

/** The bundle (`scripts/build.ts`), while all that it was made of still says what it said then. */
async function loadBundle() {
  const root = new URL("../../../", import.meta.url);
  const { readFileSync } = process.getBuiltinModule("node:fs");
  try {
    const { entry, made } = JSON.parse(readFileSync(new URL("dist/hook.json", root), "utf8"));
    for (const file in made) if (readFileSync(new URL(file, root), "utf8") !== made[file]) return undefined;
    return await import(new URL(`dist/${entry}`, root).href);
  } catch {
    return undefined;
  }
}

/** An agent that may not stop would only spin. */
function isStop() {
  try {
    const { readFileSync } = process.getBuiltinModule("node:fs");
    return /^(Subagent)?Stop$/.test(JSON.parse(readFileSync(0, "utf8")).hook_event_name);
  } catch {
    return false;
  }
}
