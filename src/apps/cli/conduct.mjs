#!/usr/bin/env node
// Plain JavaScript that any Node can read: a Node that is too old is told so before it meets a file it cannot parse.
import { readFileSync, statSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const [major] = process.versions.node.split(".");
const [, , ...argv] = process.argv;
if (Number(major) < 24) {
  process.stderr.write(
    `conduct needs Node 24 or newer, and this is ${process.versions.node} (${process.execPath}): run "npm install" in the project without --ignore-scripts, which brings its own Node, then "npm start" or "npm run -s conduct -- --help".\n`,
  );
  // A hook must not let pass what it could not look at: for hooks 2 means no.
  process.exitCode = argv[0] === "hook" ? 2 : 1;
} else if (argv.join(" ") === "hook codex" && isFresh()) {
  // A runtime waits for this one at every call: two small files that load nothing but Node.
  const { hookCodex } = await import("../../../dist/hook.mjs");
  process.exitCode = await hookCodex();
} else {
  // Halves the start of a checkout without a build. In our own folder: what lies in /tmp anyone may have put there.
  module.enableCompileCache?.(fileURLToPath(new URL("../../../node_modules/.cache/conduct", import.meta.url)));
  const { main } = await import("./main.ts");
  process.exitCode = await main(argv);
}

/** Is there a bundle (`scripts/build.ts`), newer than all that it was made of? */
function isFresh() {
  try {
    const root = new URL("../../../", import.meta.url);
    const built = statSync(new URL("dist/hook.mjs", root)).mtimeMs;
    const inputs = JSON.parse(readFileSync(new URL("dist/hook.json", root), "utf8"));
    return inputs.every((file) => statSync(new URL(file, root)).mtimeMs <= built);
  } catch {
    return false;
  }
}
