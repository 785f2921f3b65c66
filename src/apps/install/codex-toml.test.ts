import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addToCodexToml, codexTomlFaults, removeFromCodexToml } from "./codex.ts";

const COMMAND = ["/node", "/conduct.mjs", "hook", "codex-tools"];
const SERVER = [
  "[mcp_servers.conduct] # conduct init codex",
  'command = "/node" # conduct init codex',
  'args = ["/conduct.mjs","hook","codex-tools"] # conduct init codex',
  "required = true # conduct init codex",
  "startup_timeout_sec = 30 # conduct init codex",
  "",
].join("\n");
const OFF = "unified_exec_tty = false # conduct init codex";

function added(text: string | undefined): string {
  const edited = addToCodexToml(text, COMMAND);
  if ("refused" in edited) throw new Error(edited.refused);
  return edited.text ?? "";
}

describe("Conduct in Codex' config.toml", () => {
  it.each([
    ["no file", undefined, `[features] # conduct init codex\n${OFF}\n\n${SERVER}`],
    ["none of our tables", 'model = "x"\n', `model = "x"\n\n[features] # conduct init codex\n${OFF}\n\n${SERVER}`],
    ["a table of features", "[features]\na = true\n", `[features]\n${OFF}\na = true\n\n${SERVER}`],
    ["dotted features", "features.a = true\n", `features.${OFF}\nfeatures.a = true\n\n${SERVER}`],
    ["it switched off", "[features]\nunified_exec_tty = false\n", `[features]\nunified_exec_tty = false\n\n${SERVER}`],
  ])(
    "INS-10 Conduct's entries are added to config.toml once and removed completely, starting from %s",
    (_what, before, after) => {
      expect(added(before)).toBe(after);
      expect(added(after)).toBe(after);
      expect(codexTomlFaults(after, COMMAND)).toEqual([]);
      expect(removeFromCodexToml(after)).toBe(before ?? "");
    },
  );

  it.each([
    ["another server of that name", 'a = 1\n[mcp_servers.conduct]\ncommand = "x"\n', 2],
    ["servers on one line", "mcp_servers = { x = {} }\n", 1],
    ["typing switched on", "[features]\nunified_exec_tty = true\n", 2],
  ])("INS-11 a config.toml with %s is rejected with its line", (_what, text, line) => {
    expect(addToCodexToml(text, COMMAND)).toMatchObject({ refused: expect.any(String), line });
  });

  it("INS-12 undo keeps a table that Codex has added entries to, and removes only Conduct's lines", () => {
    const text = added(undefined).replace(OFF, `${OFF}\nplugins = false`);
    expect(removeFromCodexToml(`${text}\n[hooks.state]\nx = 1\n`)).toBe(
      "[features]\nplugins = false\n\n[hooks.state]\nx = 1\n",
    );
  });

  it.each([
    ["nothing of it", "", 2],
    ["another program", SERVER.replace("/node", "/old"), 2],
    ["the tools, and typing allowed", SERVER, 1],
  ])("INS-13 the check reports every fault of a config.toml with %s (%#)", (_what, text, faults) => {
    expect(codexTomlFaults(text, COMMAND)).toHaveLength(faults);
  });

  it("INS-14 adding and removing Conduct's entries restores any other content of config.toml", () => {
    const line = fc.constantFrom("[a]", "[b.c]", "x = 1", 'y = "z" # mine', "", "[features]", "  w = true", "# note");
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = `${lines.join("\n").trimEnd()}\n`;
        const edited = addToCodexToml(text, COMMAND);
        if ("text" in edited) expect(removeFromCodexToml(edited.text ?? "").trimEnd()).toBe(text.trimEnd());
      }),
    );
  });
});
