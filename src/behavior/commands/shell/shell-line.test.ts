import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redirectAccess } from "../files/access.ts";
import { parseShellLine } from "./shell-line.ts";

describe("shell lines", () => {
  it.each([
    ["npm test", [["npm", "test"]], true],
    ["  npm   test  ", [["npm", "test"]], true],
    [`npm test -- "a b" 'c d' e\\ f`, [["npm", "test", "--", "a b", "c d", "e f"]], true],
    ["npm test 2>&1", [["npm", "test"]], true],
    ["npm test > out.log", [["npm", "test"]], true],
    ["npm test # a comment", [["npm", "test"]], true],
    ["npm test && true", [["npm", "test"], ["true"]], false],
    ["npm test || true", [["npm", "test"], ["true"]], false],
    ["npm test | tail", [["npm", "test"], ["tail"]], false],
    ["npm test; true", [["npm", "test"], ["true"]], false],
    ["npm test;", [["npm", "test"]], true],
    ["npm test &", [["npm", "test"]], false],
    ["a\nb", [["a"], ["b"]], false],
    ["(npm test)", [["npm", "test"]], false],
    ["! npm test", [["npm", "test"]], false],
    [
      "CI=1 npm test",
      [
        ["CI=1", "npm", "test"],
        ["npm", "test"],
      ],
      false,
    ],
    [
      "echo $(npm test)",
      [
        ["npm", "test"],
        ["echo", "$()"],
      ],
      false,
    ],
    [
      "echo `npm test`",
      [
        ["npm", "test"],
        ["echo", "$()"],
      ],
      false,
    ],
    [
      'echo "$(npm test)"',
      [
        ["npm", "test"],
        ["echo", "$()"],
      ],
      false,
    ],
    ["echo '$(npm test)'", [["echo", "$(npm test)"]], true],
    ["cat <<EOF\nnpm test\nEOF", [["cat"]], false],
    ["cat <<'A' <<-B\n$(npm test)\nA\n\tit's\n\tB\necho x", [["cat"], ["echo", "x"]], false],
    ["cat <<EOF\n$(npm test)\nEOF", [["npm", "test"], ["cat"]], false],
    ["[[ 1 > a.txt && 2 < 3 ]]", [["[[", "1", "a.txt", "2", "3"]], false],
    [
      "echo $((1>2)) $(( $(npm test) + 1 ))",
      [
        ["npm", "test"],
        ["echo", "$()", "$()"],
      ],
      false,
    ],
    [
      "cat <(npm test) > >(tee x)",
      [
        ["npm", "test"],
        ["tee", "x"],
        ["cat", "/dev/fd/63"],
      ],
      false,
    ],
    [
      "npx vitest run",
      [
        ["npx", "vitest", "run"],
        ["vitest", "run"],
      ],
      true,
    ],
    ["echo a\u00a0# b", [["echo", "a\u00a0#", "b"]], true],
    ["a &> log", [["a"]], true],
    ["((0)) || npm test", [["npm", "test"]], false],
    ["npm test || ((1))", [["npm", "test"]], false],
    ["G=git; $G push -f", [["G=git"], ["git", "push", "-f"]], false],
    ["{npm,publish}", [["npm", "publish"]], true],
    ["npm$IFS'publish'", [["npm", "publish"]], true],
  ])("SH-1 the shell line %s is split into its commands", (text, commands, simple) => {
    const line = parseShellLine(text);
    expect(line.commands).toEqual(commands);
    expect(line.simple).toBe(simple);
    expect(line.parsed).toBe(true);
  });

  it.each([
    ["sudo npm run deploy", ["npm", "run", "deploy"]],
    ["env A=1 npm run deploy", ["npm", "run", "deploy"]],
    ["timeout 5 npm run deploy", ["npm", "run", "deploy"]],
    ["bash -lc 'cd x && npm run deploy'", ["npm", "run", "deploy"]],
    ["eval 'npm run deploy'", ["npm", "run", "deploy"]],
    ["if true; then npm run deploy; fi", ["npm", "run", "deploy"]],
    ["sudo bash -c \"sh -c 'npm run deploy'\"", ["npm", "run", "deploy"]],
    ["x=$(echo $(npm run deploy))", ["npm", "run", "deploy"]],
  ])("SH-2 the parser finds the inner command of %s", (text, inside) => {
    expect(parseShellLine(text).commands).toContainEqual(inside);
  });

  it.each([
    ["export X=--force; bash -c 'git push $X'", ["--force"]],
    ["X=--force; export X; sh -c 'git push $X'", ["--force"]],
    ["X=--force bash -c 'git push $X'", ["--force"]],
    ["env X=--force bash -c 'git push $X'", ["--force"]],
    ["export X=--force; bash -c \"bash -c 'git push \\$X'\"", ["--force"]],
    ["export X=a; X=--force; bash -c 'git push $X'", ["--force"]],
    ["X=--force; bash -c 'git push $X'", undefined],
  ])("SH-40 the inner shell of %s likely has the variables that it inherits", (text, likely) => {
    const push = parseShellLine(text).runs.find(({ words }) => words[0]?.text === "git");
    expect(push?.words[2]?.unknown?.likely).toEqual(likely);
  });

  it.each(["echo 'open", 'echo "open', "echo $(open", "echo `open", 'echo "$(open"'])(
    "SH-3 %s does not parse and is not simple",
    (text) => {
      expect(parseShellLine(text)).toMatchObject({ parsed: false, simple: false });
    },
  );

  it("SH-4 redirections list the files that are read and written", () => {
    const { runs } = parseShellLine("a < in > 'out 1' 2>> err >| forced >& both 2>&1 <> rw &>> all {fd}> named");
    const redirects = runs.flatMap((run) => run.redirects).filter((redirect) => redirectAccess(redirect) !== undefined);
    expect(redirects.map((redirect) => [redirect.target.text, redirectAccess(redirect)])).toEqual([
      ["in", "read"],
      ["out 1", "write"],
      ["err", "write"],
      ["forced", "write"],
      ["both", "write"],
      ["rw", "write"],
      ["all", "write"],
      ["named", "write"],
    ]);
  });

  it("SH-5 the shell parser never throws or hangs on nested or long lines", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."ab'\"\\$()`;|&<># \n={}[~"), maxLength: 300 }), (text) => {
        parseShellLine(text);
      }),
      { numRuns: 2_000 },
    );
    const long = (unit: string) => unit.repeat(100_000 / unit.length);
    for (const unit of [
      "$(",
      "((",
      "( ",
      "${",
      "`a`",
      "cd a && ",
      "eval ",
      "sudo ",
      "cat <<A\n",
      "sh -c ",
      "find -exec ",
    ]) {
      parseShellLine(long(unit));
      parseShellLine(`${long(unit)}${long(")")}`.slice(0, 130_000));
    }
  });

  it.each([
    ["an unclosed nest", "$(".repeat(5_000)],
    ["a deep nest", `${"$(a ".repeat(50)}${")".repeat(50)}`],
    ["a deep script", nested(14)],
    ["a line no shell is started with", "a ".repeat(70_000)],
    ["a here-document without an end", "cat <<EOF\nx"],
    ["an end that only some shells see", "cat <<EOF\nE\\\nOF\necho x > a\nEOF"],
    ["quotes that only some shells close", "echo $'\\'' > a.txt #'"],
    ["quotes in an expression", '((echo ")) > a.txt" )'],
    ["a redirection to nothing", "echo x > ; ls"],
    ["an endless wrapper", `${"sudo ".repeat(200)} npm test`],
    ["a comparison that does not end", "[[ 1 > a.txt; ls"],
  ])("SH-6 %s is not parsed and is not simple", (_what, text) => {
    expect(parseShellLine(text)).toMatchObject({ parsed: false, simple: false });
  });

  it.each([
    ["sh -c '[[ 1 > a.txt ]]'", ["a.txt"]],
    ["bash -c '[[ 1 > a.txt ]]'", []],
    ["FOO=1 [[ > a.txt", ["a.txt"]],
    ["echo x 2>&1>a.txt", ["a.txt"]],
  ])("SH-7 %s redirects to %j: reserved words count only in shells that have them", (text, targets) => {
    const written = parseShellLine(text)
      .runs.flatMap(({ redirects }) => redirects)
      .filter((redirect) => redirectAccess(redirect) === "write");
    expect(written.map(({ target }) => target.text)).toEqual(targets);
  });

  it.each([
    ["cd sub && here", ["sub"]],
    ["cd sub; here", ["", "sub"]],
    ["cd sub &&\nhere", ["sub"]],
    ["cd sub || here", ["", "sub"]],
    ["true ||\ncd sub && here", ["", "sub"]],
    ["true | cd sub && here", ["", "sub"]],
    ["! cd sub && here", ["", "sub"]],
    ["(cd sub && ls) && here", [""]],
    ["(cd sub && here)", ["sub"]],
    ["{ cd sub && here; }", ["sub"]],
    ["cd a && cd b && here", ["a/b"]],
    ["cd a && cd /b && here", ["/b"]],
    ["cd && here", ["~"]],
    ['cd "$HOME/x" && here', ["~/x"]],
    ["HOME=.; cd ~ && here", ["", undefined]],
    ["cd $X && here", ["", undefined]],
    ["cd - && here", ["", undefined]],
    ["pushd a && popd && here", ["", "a"]],
    ["set -e; pushd a; popd; here", [""]],
    ["set -e; pushd a; (pushd b); popd; here", [""]],
    ["pushd ../a; if x; then pushd b; fi; popd; here", ["", "../a", "b", "../a/b", undefined]],
    ["set -e; for d in a b; do pushd $d; popd; done; here", [""]],
    ['cd "$(git rev-parse --show-toplevel)" && here', ["."]],
    ['git() { echo /; }; cd "$(git rev-parse --show-toplevel)" && here', ["", undefined]],
    ["env -C a here", ["a"]],
    ["sudo -C 3 here", [undefined]],
    ["command cd a && here", ["a"]],
    ["eval 'cd a' && here", ["a"]],
    ["sh -c 'cd a' && here", [""]],
    ["echo $(cd a && here)", ["a"]],
    ["while cd ..; do :; done; here", ["", undefined]],
    ["for i in 1 2; do ls; done; cd a && here", ["a"]],
    ["f() { cd a; }; f; f; here", ["", undefined, "a", "a/a"]],
    ["case x in y) cd a;; esac; here", ["", "a"]],
    ["env -C /x here", ["/x"]],
  ])("SH-8 the command in '%s' runs in one of the directories %j", (text, folders) => {
    const run = parseShellLine(text).runs.find(({ words }) => words.some((word) => word.text === "here"));
    expect(run?.folders).toEqual(folders);
  });
});

function nested(depth: number): string {
  return depth === 0 ? "ls" : `sh -c '${nested(depth - 1).replaceAll("'", `'\\''`)}'`;
}
