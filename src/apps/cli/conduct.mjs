#!/usr/bin/env node
// Plain JavaScript that any Node can read: a Node that is too old is told so before it meets a file it cannot parse.
import module from "node:module";
import { fileURLToPath } from "node:url";

const [major] = process.versions.node.split(".");
if (Number(major) < 24) {
  process.stderr.write(
    `conduct needs Node 24 or newer, and this is ${process.versions.node} (${process.execPath}): run "npm install" in the project without --ignore-scripts, which brings its own Node, then "npm start" or "npm run -s conduct -- --help".\n`,
  );
  // A hook must not let pass what it could not look at: for hooks 2 means no.
  process.exitCode = process.argv[2] === "hook" ? 2 : 1;
} else {
  // Halves the start of a checkout without a build. In our own folder: what lies in /tmp anyone may have put there.
  module.enableCompileCache?.(fileURLToPath(new URL("../../../node_modules/.cache/conduct", import.meta.url)));
  const { main } = await import("./main.ts");
  process.exitCode = await main(process.argv.slice(2));
}
