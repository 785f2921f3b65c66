import fc from "fast-check";
import { describe, expect, it } from "vitest";
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
    [
      "! npm test",
      [
        ["!", "npm", "test"],
        ["npm", "test"],
      ],
      false,
    ],
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
        ["echo", "$()"],
        ["npm", "test"],
      ],
      false,
    ],
    [
      "echo `npm test`",
      [
        ["echo", "$()"],
        ["npm", "test"],
      ],
      false,
    ],
    [
      'echo "$(npm test)"',
      [
        ["echo", "$()"],
        ["npm", "test"],
      ],
      false,
    ],
    ["echo '$(npm test)'", [["echo", "$(npm test)"]], true],
    ["cat <<EOF\nnpm test\nEOF", [["cat"], ["npm", "test"], ["EOF"]], false],
    ["a &> log", [["a"]], true],
  ])("SH-1 %s", (text, commands, simple) => {
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
  ])("SH-2 %s is seen through", (text, inside) => {
    expect(parseShellLine(text).commands).toContainEqual(inside);
  });

  it.each(["echo 'open", 'echo "open', "echo $(open", "echo `open", 'echo "$(open"'])(
    "SH-3 %s does not parse, and is not simple",
    (text) => {
      expect(parseShellLine(text)).toMatchObject({ parsed: false, simple: false });
    },
  );

  it("SH-4 redirections name what is read and written", () => {
    expect(parseShellLine("a < in > 'out 1' 2>> err >| forced").redirects).toEqual([
      { target: "in", access: "read" },
      { target: "out 1", access: "write" },
      { target: "err", access: "write" },
      { target: "forced", access: "write" },
    ]);
  });

  it("SH-5 never throws and never hangs, nested or long as it may be", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."ab'\"\\$()`;|&<># \n={}"), maxLength: 300 }), (text) => {
        parseShellLine(text);
      }),
    );
    expect(parseShellLine("$(".repeat(5_000)).parsed).toBe(false);
    expect(parseShellLine(`${"$(a ".repeat(50)}${")".repeat(50)}`).parsed).toBe(false);
    expect(parseShellLine("a ".repeat(50_000)).parsed).toBe(false);
    expect(parseShellLine("sudo ".repeat(5_000)).simple).toBe(false);
  });
});
