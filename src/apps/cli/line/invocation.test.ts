import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { testTerminal } from "../test/test-terminal.ts";
import { asTyped, findInvocation } from "./invocation.ts";
import { runCommandLine } from "./run-command-line.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-invocation-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function program(path: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "#!/bin/sh\n", { mode: 0o755 });
  return file;
}

const CHECKOUT = program("checkout/src/apps/cli/conduct.mjs");
const PACKAGE = program("lib/node_modules/agent-conduct/dist/conduct.mjs");
const LAUNCHER = program("home/.conduct/bin/conduct");
mkdirSync(join(root, "bin"));
symlinkSync(PACKAGE, join(root, "bin/conduct"));
mkdirSync(join(root, "linked"));
symlinkSync(CHECKOUT, join(root, "linked/conduct"));
program("npx/node_modules/.bin/conduct");

const HOME = join(root, "home");
const [BIN, LINKED, NPX] = [join(root, "bin"), join(root, "linked"), join(root, "npx/node_modules/.bin")];

describe("the command that works here", () => {
  it.each([
    ["installed and on the PATH", PACKAGE, { HOME, PATH: BIN }, "conduct"],
    ["started through a link on the PATH", join(BIN, "conduct"), { HOME, PATH: BIN }, "conduct"],
    ["npx", PACKAGE, { HOME, PATH: NPX, npm_lifecycle_event: "npx" }, "npx agent-conduct"],
    ["npx, although it is installed too", PACKAGE, { HOME, PATH: BIN, npm_lifecycle_event: "npx" }, "conduct"],
    ["only the launcher exists", PACKAGE, { HOME, PATH: "/none" }, "~/.conduct/bin/conduct"],
    ["a launcher elsewhere", PACKAGE, { HOME: "/h", CONDUCT_HOME: dirname(dirname(LAUNCHER)), PATH: "" }, LAUNCHER],
    ["installed in a project", PACKAGE, { HOME: "/h", PATH: NPX }, "npx agent-conduct"],
    ["a checkout", CHECKOUT, { HOME, PATH: NPX }, "npm run -s conduct --"],
    ["a checkout, and another version on the PATH", CHECKOUT, { HOME, PATH: BIN }, "npm run -s conduct --"],
    ["a checkout that is on the PATH", CHECKOUT, { HOME, PATH: LINKED }, "conduct"],
  ])("INV-1 %s", (_, file, env, said) => {
    expect(findInvocation({ env, program: file, cwd: join(root, "checkout/docs") })).toBe(said);
  });

  it("INV-2 outside the checkout the command names the checkout's folder", () => {
    const start = { env: { HOME, PATH: "" }, program: CHECKOUT, cwd: "/" };
    expect(findInvocation(start)).toBe(`npm --prefix ${join(root, "checkout")} run -s conduct --`);
  });

  it.each([
    ["conduct why d_1", "npx agent-conduct why d_1"],
    [
      "run: conduct init codex, then conduct doctor",
      "run: npx agent-conduct init codex, then npx agent-conduct doctor",
    ],
    [
      "`conduct enforce` enforces it; 'conduct --help'",
      "`npx agent-conduct enforce` enforces it; 'npx agent-conduct --help'",
    ],
    ["conduct needs Node 24", "conduct needs Node 24"],
    ["~/.conduct/bin/conduct why, agent-conduct why", "~/.conduct/bin/conduct why, agent-conduct why"],
  ])("INV-3 %j becomes %j", (text, shown) => {
    expect(asTyped(text, "npx agent-conduct")).toBe(shown);
    expect(asTyped(text, "conduct")).toBe(text);
  });

  it("INV-4 a failure and its next actions name the command that works here, also as JSON", async () => {
    const plain = testTerminal({ invocation: "npx agent-conduct" });
    await runCommandLine(["wacth"], plain);
    expect(plain.complained()).toContain("try: npx agent-conduct watch\n");
    const json = testTerminal({ invocation: "npx agent-conduct", json: true });
    await runCommandLine(["wacth"], json);
    expect(JSON.parse(json.said())).toMatchObject({
      command: "conduct",
      fix: "npx agent-conduct watch",
      next_actions: [{ command: "npx agent-conduct watch" }],
    });
  });
});
