import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ShellCommand } from "../shell-script.ts";
import type { ShellWord } from "../shell-word.ts";
import { parseShell } from "./shell-parser.ts";

/** The only programs that recorded scripts can run. */
const PROGRAMS = ["git", "npm", "node", "rm", "tool"];

/** Writes its name and arguments as one record. */
const RECORDER = `#!/bin/sh\nprintf '%s\\037' "\${0##*/}" "$@" "\u001e" >> "$RECORD"\n`;

/** Runs scripts with a real bash in which every program only records its arguments. */
class BashRecorder {
  readonly #dir = mkdtempSync(join(tmpdir(), "conduct-bash-"));
  readonly home = join(this.#dir, "home");
  #runs = 0;

  constructor() {
    const bin = join(this.#dir, "bin");
    for (const dir of [bin, this.home]) mkdirSync(dir);
    for (const name of PROGRAMS) {
      writeFileSync(join(bin, name), RECORDER);
      chmodSync(join(bin, name), 0o755);
    }
  }

  /** The arguments of every program that the script ran, or `undefined` if bash found a syntax error. */
  record(script: string): readonly (readonly string[])[] | undefined {
    const cwd = join(this.#dir, `run-${this.#runs++}`);
    mkdirSync(cwd);
    const record = join(this.#dir, `record-${this.#runs}`);
    const env = { PATH: join(this.#dir, "bin"), HOME: this.home, RECORD: record };
    const options = { cwd, env, timeout: 10_000, encoding: "utf8" } as const;
    const { status, stderr } = spawnSync("/bin/bash", ["--norc", "--noprofile", "-c", script], options);
    if (status === null || /syntax error|unexpected EOF/.test(stderr)) return undefined;
    const text = existsSync(record) ? readFileSync(record, "utf8") : "";
    const records = text.split("\u001e\u001f").slice(0, -1);
    return records.map((one) => one.split("\u001f").slice(0, -1));
  }

  [Symbol.dispose](): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

const oneOf = (...texts: string[]) => fc.constantFrom(...texts);

const piece = oneOf(
  ...[
    "a",
    "b-c",
    "--x=y",
    "1",
    "'x y'",
    '"p q"',
    '""',
    "''",
    "\\ ",
    "\\$V",
    "\\'",
    "'it'\\''s'",
    "a#",
    "%",
    "@",
    ",",
    "=",
    "]",
  ],
  ...["$V", '"$V"', `\${V}`, `"\${V}z"`, "$W", '"$W"', `\${W}`, "$U", '"$U"', `\${U:-d}`, "$HOME", '"$HOME"', "$IFS"],
  ...[
    "{a,b}",
    "{a,}",
    "{1..3}",
    "{c..a}",
    "{x,{y,z}}",
    "{a}",
    "{",
    "}",
    "{}",
    "{a,'b c'}",
    "$'t\\tq'",
    "$'\\x41'",
    '$"l"',
  ],
  ...[
    "~",
    "~/d",
    "\\~",
    "'~'",
    "*.none",
    "[q]none",
    "?none",
    "\\*",
    "$(git sub)",
    "`git sub`",
    '"$(npm x)"',
    "$((1+2))",
    "a\\\nb",
  ],
);
const word = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(""));
const words = fc.array(word, { maxLength: 4 }).map((all) => all.join(" "));
const redirect = oneOf("", "", "", "> out", "2>&1", "< /dev/null", "<<< 'x y'", "&> out", ">> out 2> err");
const command = fc
  .tuple(oneOf("", "", "V=temp ", "A=1 B=2 "), oneOf(...PROGRAMS, "'git'", "g\\it", '"np"m'), words, redirect)
  .map(([before, program, rest, after]) => `${before}${program} ${rest} ${after}`);
const assigned = oneOf(
  "a",
  "'x y'",
  '"one two"',
  "b*",
  "*.none",
  "",
  "$V",
  '"$V"',
  "~/h",
  "{a,b}",
  "$(git sub)",
  "-f",
  "git",
);
const assignment = fc
  .tuple(oneOf("V=", "W=", "V+=", "export V=", "U="), assigned)
  .map(([name, value]) => `${name}${value}`);

const script = fc.letrec<{ list: string; node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 5, arbitrary: command },
    { weight: 3, arbitrary: assignment },
    { weight: 1, arbitrary: words.map((rest) => `$V ${rest}`) },
    { weight: 1, arbitrary: tie("list").map((inner) => `( ${inner} )`) },
    { weight: 1, arbitrary: tie("list").map((inner) => `{ ${inner}; }`) },
    { weight: 1, arbitrary: tie("list").map((inner) => `if true; then ${inner}; else tool no; fi`) },
    { weight: 1, arbitrary: tie("list").map((inner) => `if false; then tool no; elif tool; then ${inner}; fi`) },
    {
      weight: 1,
      arbitrary: fc.tuple(words, tie("list")).map(([over, inner]) => `for i in ${over}; do ${inner}; tool $i; done`),
    },
    { weight: 1, arbitrary: tie("list").map((inner) => `while false; do ${inner}; done`) },
    { weight: 1, arbitrary: tie("list").map((inner) => `case x in (y) tool no;; x) ${inner};; esac`) },
    { weight: 1, arbitrary: tie("list").map((inner) => `f() { ${inner}; }; f`) },
    { weight: 1, arbitrary: tie("list").map((inner) => `tool "$(${inner})"`) },
    { weight: 1, arbitrary: tie("list").map((inner) => `eval '${inner.replaceAll("'", `'\\''`)}'`) },
    { weight: 1, arbitrary: fc.tuple(tie("node"), tie("node")).map(([one, other]) => `${one} | ${other}`) },
    { weight: 1, arbitrary: word.map((text) => `tool <<EOF\n${text} $(git in)\nEOF\n`) },
    {
      weight: 1,
      arbitrary: oneOf("[[ a == b && $V != c ]]", "((1 + 1))", "! tool x", "wait", "# note\n", "cd sub", "unset V"),
    },
  ),
  list: fc
    .array(fc.tuple(tie("node"), oneOf(";", "\n", " && ", " || ", " & ")), { minLength: 1, maxLength: 4 })
    .map((parts) =>
      parts
        .map(([node, end]) => node + (node.endsWith("\n") ? "" : end))
        .join("")
        .concat(":"),
    ),
})).list;

/** Returns whether the words can become the arguments; an unknown word can become any number of them. */
function matches([first, ...rest]: readonly ShellWord[], args: readonly string[], home: string): boolean {
  if (first === undefined) return args.length === 0;
  const at = (text: string) => (first.folder ? text.replace(/^(\w+=)?~/, `$1${home}`) : text);
  const { unknown } = first;
  if (unknown === undefined) return args[0] === at(first.text) && matches(rest, args.slice(1), home);
  return Array.from({ length: args.length + 1 }, (_, count) => count).some((count) => {
    const fits = count === 0 ? unknown.prefix + unknown.suffix === "" : args[0]?.startsWith(at(unknown.prefix));
    return fits && (args[count - 1] ?? "").endsWith(unknown.suffix) && matches(rest, args.slice(count), home);
  });
}

/** Returns whether a command runs for certain: every program here succeeds. */
function mustRun({ scope, after }: Pick<ShellCommand, "scope" | "after">): boolean {
  if (after === "&&" || after === "||") return false;
  if (scope === undefined) return true;
  return (
    /^(?:group|subshell|substitution|eval)$/.test(scope.kind) && mustRun({ scope: scope.parent, after: scope.after })
  );
}

describe.skipIf(!existsSync("/bin/bash"))("the commands that bash runs", () => {
  it("SP-1 the parser finds every program that bash runs, and reports no other as certain to run", () => {
    using bash = new BashRecorder();
    fc.assert(
      fc.property(script, (line) => {
        const ran = bash.record(line);
        const { commands, parsed } = parseShell(line);
        if (ran === undefined) return;
        expect(parsed, line).toBe(true);
        const programs = commands.filter(({ keyword, words }) => keyword === undefined && words.length > 0);
        for (const args of ran) {
          expect(
            programs.some(({ words }) => matches(words, args, bash.home)),
            `${line}\nran ${args}`,
          ).toBe(true);
        }
        for (const one of programs) {
          const [program] = one.words;
          const isRecorded =
            PROGRAMS.includes(program?.text ?? "") && one.words.every((word) => word.unknown === undefined);
          if (!isRecorded || !mustRun(one)) continue;
          const found = ran.some((args) => matches(one.words, args, bash.home));
          expect(found, `${line}\ndid not run ${one.words.map(({ text }) => text)}`).toBe(true);
        }
      }),
      process.env.CONDUCT_FUZZ === undefined ? { numRuns: 40 } : {},
    );
  });
});
