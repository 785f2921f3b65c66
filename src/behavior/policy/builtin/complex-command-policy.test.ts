import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { globMatches } from "../../../base/kernel/glob.ts";
import { shellAccess } from "../../commands/files/access.ts";
import { parseShellLine } from "../../commands/shell/shell-line.ts";
import { call, context, facts } from "../test/test-policy.ts";
import { complexCommandPolicy } from "./complex-command-policy.ts";

/** Constructs that are repeated, one after the other or one inside the other. */
const REPEATED = [
  ...["env A=1 ", "sudo ", "sudo -u me ", "nohup ", "timeout 5 ", "xargs ", "npx ", "docker run ", "ssh h ", "watch "],
  ...["su -c x ", "env -S x ", "parallel ", "sh -c ", "eval ", "find . -exec ", "find . -exec ls \\; ", "command "],
  ...[
    "> f ",
    "ls > f$x ; ",
    "2>&1 ",
    "&> f ",
    "< f ",
    "<<< x ",
    "a; ",
    "a && ",
    "a | ",
    "a & ",
    "a\n",
    "A=1 ",
    "HOME=x ",
  ],
  ...[
    "$(a) ",
    "$(a)",
    "`a` ",
    '"$(a)" ',
    "<(a) ",
    "$((1+1)) ",
    "((1)) ; ",
    `\${x} `,
    `\${x:-y}`,
    "$x ",
    "$'a' ",
    "'a'",
  ],
  ...["cat <<A\nx\nA\n", "cat <<-A\n\tx\n\tA\n", "cat <<A\n", "<<A ", "{a,b}", "* ", "[a] ", "~/x ", "\\a", "# a\n"],
  ...[
    "case x in x) a;; esac; ",
    "f() { a; }; ",
    "for i in a; do ",
    "if a; then ",
    "[[ a ]] ; ",
    "[[ a < ",
    "cd a; ",
    "cd a && ",
  ],
  ...[
    "cp ",
    "/etc/passwd ",
    "../",
    "/./",
    "--a=/b ",
    "a:/b ",
    "echo a | sh; ",
    "sh -c 'a'; ",
    "eval a; ",
    "word ",
    "\n",
    " ",
    "''",
  ],
  ...[
    "$(",
    "(",
    "((",
    "{ ",
    "${",
    "`",
    '"',
    "'",
    '"$(',
    "$((",
    "<(",
    "\\",
    "$",
    "&",
    "|",
    ";",
    ")",
    "}",
    "<",
    ">",
    "<<",
    "!",
    "[[",
  ],
];
/** Text that unbash alone reads in quadratic time or overflows the stack on. */
const COSTLY = ["{a,", "{a..", "{' '", "$[", "$${", "f() ", "function f ", "coproc ", "<<A ", "''~", "A=$A$A;"];
const NESTED: readonly (readonly [string, string])[] = [
  ["$(", ")"],
  ["(", ")"],
  ["((", "))"],
  ["$((", "))"],
  ["$" + "{x:-", "}"],
  ["{ ", "; }"],
  ['"$(', ')"'],
  ["<(", ")"],
  ["if ", "; then a; fi"],
];
const SIZES = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 100_000];

/** The limits of `ReadBudget`, with room for the step that passes them: at most the line itself. */
const MOST_WORK = (length: number) => Math.min(1_000_000, 10_000 + 100 * length) + length + 20;

function expectLinear(line: string, shown: string): void {
  const { work, tooComplex } = parseShellLine(line);
  expect(work, shown).toBeLessThanOrEqual(MOST_WORK(line.length));
  if (tooComplex === undefined) return;
  const decision = complexCommandPolicy.check(call("shell", { args: { command: line } }), context(null, facts()));
  expect(decision, shown).toMatchObject({ kind: "deny", code: "too-complex" });
}

describe("the work of reading a command line", () => {
  it.each([...REPEATED, ...COSTLY])("CPX-1 %j repeated up to 100 KB is parsed in linear work or denied", (part) => {
    for (const size of SIZES) expectLinear(part.repeat(Math.ceil(size / part.length)), `${part} ${size}`);
  });

  it.each(NESTED)("CPX-1 %j … %j nested up to 100 KB is parsed in linear work or denied", (open, close) => {
    for (const size of SIZES) {
      const depth = Math.ceil(size / (open.length + close.length));
      expectLinear(`${open.repeat(depth)}x${close.repeat(depth)}`, `${open} ${size}`);
    }
  });

  it("CPX-2 mixtures of all shell constructs are parsed in linear work or denied", () => {
    const part = fc.constantFrom(...REPEATED, ...NESTED.flat());
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), fc.constantFrom(1, 50, 1_000), (parts, times) => {
        const line = parts.join("").repeat(times).slice(0, 100_000);
        expectLinear(line, line.slice(0, 200));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["env A=1 ".repeat(5_000), "1,000,000 steps of reading"],
    [`${"sudo ".repeat(5_000)}ls`, "1,000,000 steps of reading"],
    [`${"sudo ".repeat(129)}ls`, "128 programs in one command"],
    [`sudo ${"-x yyyyyyyyyyyyyyyyyyyyyyyyyy ".repeat(127)} ${"a".repeat(100_000)}`, "1,000,000 steps of reading"],
    ["a".repeat(131_073), "131,072 characters"],
  ])("CPX-3 a command line past a limit is denied with the limit and a next step", (command, limit) => {
    expect(complexCommandPolicy.check(call("shell", { args: { command } }), context(null, facts()))).toEqual({
      kind: "deny",
      code: "too-complex",
      reason: `This command line is too complex to check (limit: ${limit}). Split it.`,
      next: "Replace it with several smaller calls, or run a script file.",
    });
    expect(shellAccess(command)).toMatchObject({ paths: [], proves: [], unclear: ["read"] });
  });

  it.each([
    ["a script of 100 KB for a file", `cat > out.txt <<'EOF'\n${"some words on a line\n".repeat(4_700)}EOF`],
    ["3,000 commands", "git add src/some/file.ts && echo done\n".repeat(2_600)],
    ["900 files", `git add ${"src/some/folder/file.ts ".repeat(900)}`],
    ["a container with 100 options", `docker run ${"-v /from:/to ".repeat(100)} image npm test`],
    ["a script in sh -c", `sudo -u me bash -lc '${"npm run lint; npm test; ".repeat(2_000)}'`],
  ])("CPX-4 %s is parsed and not denied", (_what, command) => {
    expect(parseShellLine(command).tooComplex).toBeUndefined();
  });

  it("CPX-5 a call of any tool that names more than 1,000 files is denied", () => {
    const paths = Array.from({ length: 1_001 }, (_, i) => ({ path: `f${i}`, access: "write" as const }));
    const decide = (many: typeof paths) =>
      complexCommandPolicy.check(call("write_files", { args: {}, paths: many }), context(null, facts()));
    expect(decide(paths)).toMatchObject({ kind: "deny", code: "too-complex" });
    expect(decide(paths.slice(1))).toMatchObject({ kind: "allow" });
  });

  it("CPX-6 matching a pattern with many stars takes one pass over a long command", () => {
    expect(globMatches(`${"*a".repeat(2_000)}*b`, "a".repeat(100_000))).toBe(false);
  });
});
