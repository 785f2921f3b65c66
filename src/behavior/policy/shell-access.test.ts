import { describe, expect, it } from "vitest";
import { shellAccess } from "./shell-access.ts";

describe("what a command line does to files", () => {
  it.each([
    ["cat a.txt", ["a.txt"]],
    ["cat -n a.txt 'b c.txt'", ["a.txt", "b c.txt"]],
    ["nl -ba a.txt", ["a.txt"]],
    ["head -n 20 a.txt", ["a.txt"]],
    ["head -20 a.txt", ["a.txt"]],
    ["tail -n +5 a.txt", ["a.txt"]],
    ["sed -n 1,200p a.txt", ["a.txt"]],
    ["sed -n '5,$p' a.txt", ["a.txt"]],
  ])("SA-1 %s reads %j", (command, paths) => {
    expect(shellAccess(command)).toEqual({
      paths: paths.map((path) => ({ path, access: "read" })),
      actions: ["read_file"],
      proves: ["read_file"],
    });
  });

  it.each([
    "cat",
    "cat *.txt",
    "cat $FILE",
    "cat - a.txt",
    "cat a.txt | grep x",
    "cat a.txt && true",
    "sudo cat a.txt",
    "head -n 0 a.txt",
    "tail -f a.txt",
    "sed -i s/a/b/ a.txt",
    "sed -n p a.txt",
    "grep x a.txt",
    "npm test",
  ])("SA-2 %s is not known to show a file", (command) => {
    expect(shellAccess(command).proves).toEqual([]);
  });

  it.each([
    ["echo x > a.txt", ["a.txt"], ["write_file"]],
    ["echo x >> a.txt", ["a.txt"], ["write_file"]],
    ["cat b.txt > a.txt", ["b.txt", "a.txt"], ["write_file"]],
    ["true && echo x > a.txt", ["a.txt"], []],
    ["echo $(echo x > a.txt)", ["a.txt"], []],
    ["npm test > /dev/null 2>&1", [], []],
  ])("SA-3 %s touches %j and proves %j", (command, paths, proves) => {
    const access = shellAccess(command);
    expect(access.paths.map(({ path }) => path)).toEqual(paths);
    expect(access.proves).toEqual(proves);
    expect(access.actions.includes("write_file")).toBe(paths.includes("a.txt"));
  });
});
