import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { lineEffects } from "./line-effects.ts";

/** Runs scripts with a real bash in which `npm` only notes that it ran, and then succeeds or fails as it is told. */
class Bash {
  readonly #dir = mkdtempSync(join(tmpdir(), "conduct-status-"));

  constructor() {
    const npm = join(this.#dir, "npm");
    writeFileSync(npm, '#!/bin/sh\n: > "$RAN"\nexit "$STATUS"\n');
    chmodSync(npm, 0o755);
  }

  run(script: string, npmStatus: 0 | 1): { readonly ok: boolean; readonly ran: boolean } {
    const ran = join(this.#dir, "ran");
    rmSync(ran, { force: true });
    const env = { PATH: `${this.#dir}:/usr/bin:/bin`, RAN: ran, STATUS: String(npmStatus) };
    const { status } = spawnSync("/bin/bash", ["--norc", "--noprofile", "-c", script], {
      cwd: this.#dir,
      env,
      timeout: 10_000,
    });
    return { ok: status === 0, ran: existsSync(ran) };
  }

  [Symbol.dispose](): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

const atom = fc.oneof(
  { weight: 8, arbitrary: fc.constant("npm test") },
  fc.constantFrom("true", "false", "exit 0", "exit 1", "exit", "exit $?", "s=$?", "exit $s", "s=0", "(exit 1)", ":"),
  fc.constantFrom("set -e", "set +e", "set -o pipefail", "set +o pipefail", "[ $s -eq 0 ]", "exec true", "trap : EXIT"),
  fc.constantFrom(
    `exit \${PIPESTATUS[0]}`,
    "[ $? -eq 0 ]",
    "command npm test",
    "bash -c 'npm test'",
    "bash -ec 'npm test; true'",
  ),
);

const { script } = fc.letrec<{ script: string; compound: string; pipe: string; chain: string }>((tie) => ({
  compound: fc.oneof(
    { maxDepth: 2, depthSize: "small", withCrossShrink: true },
    { weight: 9, arbitrary: atom },
    { weight: 1, arbitrary: tie("script").map((text) => `( ${text} )`) },
    { weight: 1, arbitrary: tie("script").map((text) => `{ ${text}; }`) },
    { weight: 1, arbitrary: tie("chain").map((text) => `if ${text}; then npm test; fi`) },
    { weight: 1, arbitrary: tie("script").map((text) => `if true; then ${text}; fi`) },
    { weight: 1, arbitrary: tie("chain").map((text) => `for p in a b; do ${text}; done`) },
    { weight: 1, arbitrary: tie("chain").map((text) => `eval '${text.replaceAll("'", "'\\''")}'`) },
  ),
  pipe: fc
    .tuple(fc.constantFrom("", "", "", "! "), tie("compound"), fc.constantFrom("", "", "", " | cat", " | false"))
    .map((parts) => parts.join("")),
  chain: fc
    .tuple(tie("pipe"), fc.array(fc.tuple(fc.constantFrom(" && ", " || "), tie("pipe")), { maxLength: 2 }))
    .map(([first, more]) => first + more.flat().join("")),
  script: fc.array(tie("chain"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("; ")),
}));

it("EX-1 a real bash never ends with status 0 if a test that the line is said to prove did not run or failed", () => {
  using bash = new Bash();
  let proofs = 0;
  fc.assert(
    fc.property(script, (line) => {
      if (!lineEffects(line).some(({ name, proven }) => name === "tests.run" && proven)) return;
      proofs += 1;
      const passing = bash.run(line, 0);
      expect(passing.ok && !passing.ran, `did not run: ${line}`).toBe(false);
      expect(bash.run(line, 1).ok, `failed: ${line}`).toBe(false);
    }),
    { numRuns: 600 },
  );
  expect(proofs).toBeGreaterThan(50);
}, 120_000);
