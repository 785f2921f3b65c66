import { describe, expect, it } from "vitest";
import { COMMANDS } from "../declared/command-tree.ts";
import { parseCommandLine, wantsJson } from "./command-line.ts";

const NAMES = Object.keys(COMMANDS.commands)
  .filter((name) => !COMMANDS.hidden?.includes(name))
  .join(", ");
const parse = (line: string) => parseCommandLine(line === "" ? [] : line.split(" "), COMMANDS);

describe("parseCommandLine", () => {
  it.each([
    ["demo", "demo", {}],
    ["demo --fast --json", "demo", { fast: true, json: true }],
    ["--json demo", "demo", { json: true }],
    ["config check", "config check", { file: undefined }],
    ["config check x.yaml --json", "config check", { file: "x.yaml", json: true }],
    ["config --json check x.yaml", "config check", { file: "x.yaml", json: true }],
    ["config check -- --odd.yaml", "config check", { file: "--odd.yaml" }],
    ["config schema", "config schema", {}],
    ["hook codex", "hook codex", {}],
    ["demo --no-fast", "demo", { fast: false }],
    ["demo --fast=false --json=true", "demo", { fast: false, json: true }],
    ["watch --session s_1 --agent=a=b", "watch", { session: "s_1", agent: "a=b" }],
    ["watch --session s_1 --session s_2", "watch", { session: "s_2" }],
    ["prompt show -1 --turn -3", "prompt show", { session: "-1", turn: "-3" }],
    ["policy check a b -- --c", "policy check", { file: ["a", "b", "--c"] }],
    ["mcp proxy --name n -- npx --name x", "mcp", { name: "n", words: ["proxy", "npx", "--name", "x"] }],
  ])("CL-1 '%s' runs '%s'", async (line, path, args) => {
    const parsed = await parse(line);
    if (parsed.kind !== "run") throw new Error(JSON.stringify(parsed));
    expect(parsed.path.join(" ")).toBe(path);
    expect(parsed.args).toMatchObject(args);
  });

  it.each([
    ["", "help", ""],
    ["--help", "help", ""],
    ["config", "help", "config"],
    ["config -h", "help", "config"],
    ["config check --help x y --nonsense", "help", "config check"],
    ["--version", "version", ""],
    ["-v", "version", ""],
  ])("CL-2 '%s' prints the %s", async (line, kind, path) => {
    expect(await parse(line)).toMatchObject({ kind, path: path === "" ? [] : path.split(" ") });
  });

  it.each([
    ["confg", "UNKNOWN_COMMAND", "unknown command 'confg': did you mean 'config'?", "conduct config --help"],
    ["config chek", "UNKNOWN_COMMAND", "unknown command 'chek': did you mean 'config check'?", "conduct config check"],
    ["frobnicate", "UNKNOWN_COMMAND", `unknown command 'frobnicate'; commands: ${NAMES}`, "conduct --help"],
    ["constructor", "UNKNOWN_COMMAND", `unknown command 'constructor'; commands: ${NAMES}`, "conduct --help"],
    ["lint", "UNKNOWN_COMMAND", "unknown command 'lint': did you mean 'prompt lint'?", "conduct prompt lint"],
    ["hok", "UNKNOWN_COMMAND", `unknown command 'hok'; commands: ${NAMES}`, "conduct --help"],
    ["demo --fsat", "UNKNOWN_OPTION", "unknown option '--fsat': did you mean '--fast'?", "conduct demo --help"],
    ["--frobnicate", "UNKNOWN_OPTION", "unknown option '--frobnicate'", "conduct --help"],
    ["watch --session", "BAD_ARGUMENT", "'--session' needs a value", "conduct watch --help"],
    ["demo --fast=maybe", "BAD_ARGUMENT", "'--fast' is a flag and takes no value", "conduct demo --help"],
    [
      "watch --no-session",
      "UNKNOWN_OPTION",
      "unknown option '--no-session': did you mean '--session'?",
      "conduct watch --help",
    ],
    ["demo now", "EXTRA_ARGUMENT", "'conduct demo' takes no arguments: 'now'", "conduct demo --help"],
    [
      "config check a b",
      "EXTRA_ARGUMENT",
      "'conduct config check' takes no further argument: 'b'",
      "conduct config check --help",
    ],
  ])("CL-3 '%s' is rejected with %s and a suggestion", async (line, code, message, fix) => {
    expect(await parse(line)).toMatchObject({ kind: "wrong", code, message, fix });
    expect((await parse(fix.replace(/^conduct /, ""))).kind).not.toBe("wrong");
  });

  it("CL-4 --json is recognised before the line is parsed, but not after a lone --", () => {
    expect(wantsJson(["nonsense", "--json"])).toBe(true);
    expect(wantsJson(["config", "check", "--", "--json"])).toBe(false);
  });
});
