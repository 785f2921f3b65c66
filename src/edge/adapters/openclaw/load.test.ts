import { execFileSync } from "node:child_process";
import { join, relative } from "node:path";
import { expect, it } from "vitest";

const SRC = join(import.meta.dirname, "../../..");

/** What Node has really loaded when `load.ts` is there, as the plugin's entry file has it loaded. */
const LIST = `
const { registerHooks } = require("node:module");
const loaded = [];
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
const { registerConduct } = require(process.argv[1]);
process.stdout.write(JSON.stringify({ loaded, registers: typeof registerConduct }));
`;

it("OCL-64 the plugin loads little into OpenClaw: no packages, and none of Conduct's engine, stores and tokenizer", () => {
  const told = execFileSync(process.execPath, ["-e", LIST, join(import.meta.dirname, "load.ts")], { encoding: "utf8" });
  const { loaded, registers }: { loaded: string[]; registers: string } = JSON.parse(told);
  expect(registers).toBe("function");
  const files = loaded.filter((url) => url.startsWith("file:")).map((url) => relative(SRC, new URL(url).pathname));
  expect(files.filter((name) => name.startsWith("..") || /^(engine|edge\/stores|testing|apps)\//.test(name))).toEqual(
    [],
  );
  expect(loaded).not.toContain("node:sqlite");
  expect(files).toContain("edge/host/daemon/remote-session.ts");
  expect(files.length).toBeLessThan(60);
});
