import { describe, expect, it } from "vitest";
import { parseShellLine } from "../../../behavior/commands/shell/shell-line.ts";
import { COMMANDS } from "../declared/command-tree.ts";
import { testTerminal } from "../test/test-terminal.ts";
import { parseCommandLine } from "./command-line.ts";
import { listCommands, renderHelp } from "./help.ts";
import { runCommandLine } from "./run-command-line.ts";

const NARROW = testTerminal({ columns: 80 });
const ALL = await listCommands([], COMMANDS);
const GROUPS = [...new Set(ALL.filter(({ path }) => path.length > 1).map(({ path }) => path[0] ?? ""))];
const tooWide = (text: string) => text.split("\n").filter((line) => line.length > 80);

describe("conduct --help", () => {
  it("HLP-1 the help fits one screen of 40 rows and 80 columns (golden)", async () => {
    const text = await renderHelp([], COMMANDS, NARROW);
    expect(text.split("\n").length).toBeLessThanOrEqual(40);
    expect(tooWide(text)).toEqual([]);
    await expect(text).toMatchFileSnapshot("help.golden.txt");
  });

  it("HLP-2 each command is in one section of the help, unless only programs call it", () => {
    const { sections = {}, hidden = [] } = COMMANDS;
    const listed = Object.values(sections).flatMap((rows) => Object.keys(rows).flatMap((names) => names.split(", ")));
    expect([...listed, ...hidden].toSorted()).toEqual(Object.keys(COMMANDS.commands).toSorted());
  });

  it.each(ALL.map(({ path, command }) => [path.join(" "), path, command] as const))(
    "HLP-3 the help of '%s' fits 80 columns and has an example that the parser accepts",
    async (name, path, command) => {
      const text = await renderHelp(path, command, NARROW);
      expect(tooWide(text)).toEqual([]);
      expect(text).toContain(`Example: conduct ${name}`);
      const [words = []] = parseShellLine(`conduct ${command.example}`).commands;
      expect(await parseCommandLine(words.slice(1), COMMANDS)).toMatchObject({ kind: "run", path });
    },
  );

  it.each(GROUPS)("HLP-4 a bare '%s' shows the help of the group and succeeds", async (name) => {
    const terminal = testTerminal({ columns: 80 });
    expect(await runCommandLine([name], terminal)).toBe(0);
    expect(terminal.said()).toContain(`conduct ${name} COMMAND --help`);
    expect(tooWide(terminal.said())).toEqual([]);
    expect(terminal.complained()).toBe("");
  });

  it.each([
    [["help"], ["--help"]],
    [
      ["help", "policy", "test"],
      ["policy", "test", "--help"],
    ],
    [["version"], ["--version"]],
  ])("HLP-6 conduct %j is read like %j", async (words, options) => {
    expect(await parseCommandLine(words, COMMANDS)).toEqual(await parseCommandLine(options, COMMANDS));
  });

  it("HLP-5 in a terminal a long error message is wrapped, but a command to copy is not", async () => {
    const terminal = testTerminal({
      tty: true,
      columns: 80,
      invocation: "npm --prefix /somewhere/far/away run -s conduct --",
    });
    expect(await runCommandLine(["zzzzzz"], terminal)).toBe(2);
    const [fix] = terminal
      .complained()
      .split("\n")
      .filter((line) => line.includes("try:"));
    expect(fix).toBe("    try: npm --prefix /somewhere/far/away run -s conduct -- --help");
    expect(tooWide(terminal.complained())).toEqual([]);
  });
});
