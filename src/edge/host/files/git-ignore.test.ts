import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findRepository, ignoreRules, ignoreRulesAbove, isIgnored } from "./git-ignore.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-ignore-")));
  spawnSync("git", ["init", "-q"], { cwd: root });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const PATTERNS = [
  ["*.log"],
  ["/only"],
  ["a/b"],
  ["a/"],
  ["**/deep"],
  ["a/**/z"],
  ["a/**"],
  ["*.js", "!keep.js"],
  ["?.txt"],
  ["[ab].txt"],
  ["[!ab].txt"],
  ["# note", "\\#real", "\\!bang"],
  ["trailing.txt   "],
  ["a*c", "!abc"],
  ["*"],
  ["/*", "!/a"],
  ["doc/*.txt"],
  ["x.(y)"],
];
const FILES = [
  ...["x.log", "a/x.log", "only", "a/only", "a/b/c", "b/a/b/c", "a/x", "deep", "a/deep", "a/z", "a/m/n/z", "keep.js"],
  ...["b.js", "a/keep.js", "c.txt", "a.txt", "ab.txt", "#real", "!bang", "trailing.txt", "abc", "axc", "ac"],
  ...["doc/a.txt", "doc/x/a.txt", "a/doc/a.txt", "x.(y)", "x.y"],
];

/** As the walk does it: a folder that is ignored is not entered. */
function ours(path: string): boolean {
  const rules = ignoreRules(root, "");
  const parts = path.split("/");
  return parts.some((_, i) => isIgnored(rules, parts.slice(0, i + 1).join("/"), i < parts.length - 1));
}

describe("ignored files", () => {
  it.each(PATTERNS.map((lines) => [lines.join(" | "), lines] as const))(
    "STL-13 %s ignores what git ignores",
    (_, lines) => {
      for (const file of FILES) {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        if (!file.endsWith("/b")) writeFileSync(join(root, file), "");
      }
      writeFileSync(join(root, ".gitignore"), `${lines.join("\n")}\n`);
      const asked = spawnSync("git", ["check-ignore", "--stdin", "-z"], {
        cwd: root,
        input: FILES.join("\0"),
        encoding: "utf8",
      });
      const theirs = asked.stdout.split("\0").filter((path) => path !== "");
      expect(FILES.filter(ours)).toEqual(FILES.filter((file) => theirs.includes(file)));
    },
  );

  it("STL-14 a hostile pattern is left out, a folder in a repository has the patterns above it, and a linked worktree its own index", () => {
    writeFileSync(join(root, ".gitignore"), `${"*a".repeat(50)}\n${"x".repeat(500)}\n[z-a]\n*.tmp\n`);
    expect(ours(`${"a".repeat(200)}b`)).toBe(false);
    mkdirSync(join(root, "packages/a"), { recursive: true });
    const repository = findRepository(join(root, "packages/a"));
    expect(repository?.top).toBe(root);
    const rules = repository && ignoreRulesAbove(repository, join(root, "packages/a"));
    expect(isIgnored(rules, "packages/a/x.tmp", false)).toBe(true);
    const git = (...args: string[]) =>
      spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd: root });
    writeFileSync(join(root, "kept.js"), "");
    git("add", "kept.js");
    git("commit", "-qm", "x");
    git("worktree", "add", "-q", join(root, "tree"));
    expect(findRepository(join(root, "tree"))?.index.includes("kept.js\0")).toBe(true);
  });
});
