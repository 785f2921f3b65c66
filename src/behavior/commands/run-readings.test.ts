import { expect, it } from "vitest";
import { lineEffects } from "./line-effects.ts";
import { PROGRAMS } from "./programs/program-table.ts";

/** Pairs of lines with a command of the same words: something else on the second line decides what it does. */
const LINES = [
  ["git commit -m x", "export HUSKY=0; git commit -m x"],
  ["git commit -m x", "cd ../other && git commit -m x"],
  ["npm test", "ln -sf /bin/true node_modules/.bin/jest; npm test"],
  ["npm test", "npm test > report.txt"],
  ["git checkout price.js", "echo 1 > price.js; git checkout price.js"],
  ["cp a.js b.js", "echo 1 > a.js; cp a.js b.js"],
  ["rm -rf '$t'", "t=$(mktemp -d); rm -rf '$t'"],
  ["sh run.sh", "echo 'git push -f' > run.sh; sh run.sh"],
  ["bash", "echo 'git push -f' | bash"],
  ["make test", "printf 'test:\\n\\tgit push -f\\n' > Makefile; make test"],
] as const;

it.each(LINES)("RRD-1 the effects of a command that was read in %j do not leak into %j", (first, second) => {
  const fresh = [first, second].map((line) => lineEffects(line, PROGRAMS.withPrograms({})));
  for (const order of [
    [first, second],
    [second, first],
  ]) {
    const table = PROGRAMS.withPrograms({});
    for (const line of order) lineEffects(line, table);
    // A comment makes the line new, its commands stay known.
    expect([first, second].map((line) => lineEffects(`${line} # again`, table))).toEqual(fresh);
  }
});

it("RRD-2 the variables of a line count for every command after them, however many there are", () => {
  const many = Array.from({ length: 500 }, (_, i) => `V${i}=${i}`).join("\n");
  const names = lineEffects(`export GIT_SSH_COMMAND='ssh -i k'\n${many}\ngit fetch`).map(({ name }) => name);
  expect(names).toContain("git.config");
});
