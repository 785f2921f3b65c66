import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { lineEffects } from "./line-effects.ts";

/** Notes each status, and takes the next one from the plan; the last one stays. */
const NPM = `#!/bin/bash
read -r done < "$RAN"
n=\${#done}
[ "$n" -lt "\${#PLAN}" ] || n=$((\${#PLAN} - 1))
printf %s "\${PLAN:$n:1}" >> "$RAN"
exit "\${PLAN:$n:1}"
`;

/** Runs scripts with a real bash in which `npm` only notes that it ran, and then succeeds or fails as it is told. */
class Bash {
  readonly #dir = mkdtempSync(join(tmpdir(), "conduct-status-"));

  constructor() {
    const npm = join(this.#dir, "npm");
    writeFileSync(npm, NPM);
    chmodSync(npm, 0o755);
  }

  /** Runs a script in which `npm` ends with the statuses of the plan, one after the other. */
  run(script: string, plan: string): { readonly ok: boolean; readonly passed: boolean } {
    const ran = join(this.#dir, "ran");
    writeFileSync(ran, "");
    const env = { PATH: `${this.#dir}:/usr/bin:/bin`, RAN: ran, PLAN: plan, FUNCNEST: "5" };
    const { status } = spawnSync("/bin/bash", ["--norc", "--noprofile", "-c", script], {
      cwd: this.#dir,
      env,
      timeout: 4_000,
    });
    return { ok: status === 0, passed: readFileSync(ran, "utf8").includes("0") };
  }

  [Symbol.dispose](): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

const atom = fc.oneof(
  { weight: 16, arbitrary: fc.constant("npm test") },
  fc.constantFrom("true", "false", "exit 0", "exit 1", "exit", "exit $?", "s=$?", "exit $s", "s=0", "(exit 1)", ":"),
  fc.constantFrom("set -e", "set +e", "set -o pipefail", "set +o pipefail", "[ $s -eq 0 ]", "exec true", "trap : EXIT"),
  fc.constantFrom(
    `exit \${PIPESTATUS[0]}`,
    "[ $? -eq 0 ]",
    "command npm test",
    "bash -c 'npm test'",
    "bash -ec 'npm test; true'",
  ),
  fc.constantFrom("x=$(npm test)", 'x="$(npm test; true)"', "x=$(false; npm test) || exit 1", "x=<(npm test)"),
  fc.constantFrom("local x=$(npm test)", "local s=$?", "export s=$?", "readonly s", "x=$(set -e; npm test; true)"),
  fc.constantFrom("wait", "wait $!", "pid=$!", 'wait "$pid"', "wait $pid && wait $!", "{ npm test & } ; p=$!"),
  fc.constantFrom("f", "g", "f && g", "return", "return 1", "return 0", "return $s", "f || return 1", "unset s"),
  fc.constantFrom("s=1", "s=$((s+1))", "s=", '[ -z "$s" ]', "[[ $s -eq 0 ]]", '[ "$s" != 0 ]', "((s))", "((s=0))"),
  fc.constantFrom("(exit $s)", "npm test || s=1", "npm test || s=$?", "read s < /dev/null", `: \${s:=0}`, "set -u"),
  fc.constantFrom("break", "continue", "trap 'exit 0' EXIT", "trap 'e=$?; true; exit $e' EXIT", "trap - EXIT"),
  fc.constantFrom("npm test > /none/x", "s=0 > /none/x", "exit 1 > /none/x", "{ npm test; } 2> /none/x", "trap : ERR"),
);

const { script } = fc.letrec<{ script: string; compound: string; pipe: string; chain: string; statement: string }>(
  (tie) => ({
    compound: fc.oneof(
      { maxDepth: 3, depthSize: "small", withCrossShrink: true },
      { weight: 16, arbitrary: atom },
      { weight: 1, arbitrary: tie("script").map((text) => `( ${text} )`) },
      { weight: 1, arbitrary: tie("script").map((text) => `{ ${text}; }`) },
      { weight: 1, arbitrary: tie("chain").map((text) => `if ${text}; then npm test; fi`) },
      { weight: 1, arbitrary: tie("script").map((text) => `if true; then ${text}; fi`) },
      { weight: 1, arbitrary: tie("chain").map((text) => `for p in a b; do ${text}; done`) },
      { weight: 1, arbitrary: tie("chain").map((text) => `eval '${text.replaceAll("'", "'\\''")}'`) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(tie("chain"), tie("script"), tie("script"))
          .map(([test, one, other]) => `if ${test}; then ${one}; else ${other}; fi`),
      },
      { weight: 1, arbitrary: tie("script").map((text) => `if ! npm test; then ${text}; fi`) },
      { weight: 1, arbitrary: tie("script").map((text) => `if [ -e none ]; then :; elif npm test; then ${text}; fi`) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom("a", "b", '"$s"', "$?"), tie("script"), fc.constantFrom("*", "b", "0"), tie("script"))
          .map(([word, one, pattern, other]) => `case ${word} in a) ${one} ;; ${pattern}) ${other} ;; esac`),
      },
      { weight: 1, arbitrary: tie("script").map((text) => `f() { ${text}; }`) },
      { weight: 1, arbitrary: tie("script").map((text) => `g() ( ${text} )`) },
      { weight: 1, arbitrary: tie("script").map((text) => `x=$( ${text} )`) },
      { weight: 1, arbitrary: tie("script").map((text) => `npm test || { ${text}; }`) },
      {
        weight: 1,
        arbitrary: tie("script").map((text) => `for p in a b; do ${text}; [ $p = a ] || break; done`),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom("while", "until"), tie("chain"), tie("script"), fc.nat(1e6))
          .map(
            ([word, test, body, n]) =>
              `n${n}=; ${word} ${test}; do n${n}=x$n${n}; [ $n${n} = xxx ] && exit 1; ${body}; done`,
          ),
      },
      { weight: 1, arbitrary: tie("script").map((text) => `trap '${text.replaceAll("'", "'\\''")}' EXIT`) },
      { weight: 1, arbitrary: tie("script").map((text) => `bash -c '${text.replaceAll("'", "'\\''")}'`) },
    ),
    pipe: fc
      .tuple(fc.constantFrom("", "", "", "! "), tie("compound"), fc.constantFrom("", "", "", "", " | cat", " | false"))
      .map((parts) => parts.join("")),
    chain: fc
      .tuple(tie("pipe"), fc.array(fc.tuple(fc.constantFrom(" && ", " || "), tie("pipe")), { maxLength: 2 }))
      .map(([first, more]) => first + more.flat().join("")),
    statement: fc.oneof(
      { weight: 9, arbitrary: tie("chain") },
      { weight: 1, arbitrary: tie("chain").map((text) => `{ ${text}; } & true`) },
      { weight: 1, arbitrary: tie("chain").map((text) => `${text} & wait $!`) },
    ),
    script: fc
      .tuple(
        fc.constantFrom("", "", "", "set -e; ", "s=0; ", "set -eo pipefail; "),
        fc.array(tie("statement"), { minLength: 1, maxLength: 3 }),
        fc.constantFrom("", "", "", "; exit $s", "; s=$?; true; exit $s", "; exit", "; [ $s -eq 0 ]", " || exit 1"),
      )
      .map(([start, parts, end]) => start + parts.join("; ") + end),
  }),
);

/** `npm test` may fail each time or only the first time, or the second. */
const PLANS = ["0", "1", "01", "10", "011", "100", "101"];

const SCRIPTS = Number(process.env.CONDUCT_SCRIPTS ?? 600);

it(
  "EX-1 a real bash never ends with status 0 if a test that the line is said to prove did not run or failed",
  () => {
    using bash = new Bash();
    let proofs = 0;
    fc.assert(
      fc.property(script, (line) => {
        if (!lineEffects(line).some(({ name, proven }) => name === "tests.run" && proven)) return;
        proofs += 1;
        for (const plan of PLANS) {
          const { ok, passed } = bash.run(line, plan);
          expect(ok && !passed, `${plan}: ${line}`).toBe(false);
        }
      }),
      { numRuns: SCRIPTS },
    );
    if (process.env.CONDUCT_SCRIPTS !== undefined) console.log(`${proofs} proofs`);
    expect(proofs).toBeGreaterThan(20);
  },
  Math.max(120_000, SCRIPTS * 60),
);
