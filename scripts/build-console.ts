import { readyConsole } from "../src/apps/gateway/http/console/build-console.ts";

/** `npm run build:console`: `npm start` does the same when the console's sources have changed. */
const found = await readyConsole({ building: () => console.log("building the console …") });
if (found.kind === "failed") {
  console.error(`${found.message}\n${found.fix}`);
  process.exitCode = 1;
} else console.log(`${found.built ? "built" : "up to date"}: ${found.folder}`);
