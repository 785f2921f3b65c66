import { beforeEach, describe, expect, it } from "vitest";
import { useDaemons } from "./test/test-daemon.ts";
import { testWorkspace } from "./test/test-workspace.ts";

/** Hooks, commands and a daemon on a machine that others use too. */
const PATIENT = 60_000;
const daemons = useDaemons();
const { start } = daemons;
const work = testWorkspace(daemons);

beforeEach(() => {
  daemons.configure("agents:\n  coder:\n    rules: [packs/coding]\n");
  work.init();
});

const commit = async () => (await work.ask("git commit -am x")).permissionDecisionReason ?? "allowed";

describe("evidence about files that changed", () => {
  it.each([
    ["a Python write", "python3 build.py", "echo 'exports.price = 3;' > src/price.js", "src/price.js changed since"],
    ["a script that edits", "./fix.sh", "sed -i s/1/7/ src/price.js", "src/price.js changed since"],
    ["a new file", "node gen.js", "echo x > src/new.js", "src/new.js changed since"],
    ["the same size", "node gen.js", "echo 'exports.price = 9;' > src/price.js", "src/price.js changed since"],
    ["an old date", "node gen.js", "touch -r README.md src/price.js", "src/price.js changed since"],
    ["another mode", "node gen.js", "chmod +x test.js", "test.js changed since"],
    ["a deleted test", "node clean.js", "rm test.js", "test.js changed since"],
    ["a moved file", "node move.js", "mv src/price.js src/cost.js", "src/"],
    ["a changed script", "node x.js", "sed -i 's/node test.js/true/' package.json", "package.json changed since"],
    ["four files", "node x.js", "for f in a b c d; do echo > $f.js; done", "and 1 more changed since"],
  ])(
    "STL-1 %s after the tests makes them stale, and the denial names the file",
    async (_what, command, really, says) => {
      await start();
      await work.act("npm test", "true");
      await work.act(command, really);
      expect(await commit()).toContain(says);
    },
    PATIENT,
  );

  it.each([
    ["git mv", "git mv src/price.js src/cost.js"],
    ["rm of a test", "rm test.js"],
    ["npm pkg set", "npm pkg set scripts.test=false"],
    ["a checkout", "git checkout other"],
    ["a merge", "git merge other"],
  ])(
    "STL-2 %s makes the tests stale by what the command does",
    async (_what, command) => {
      await start();
      await work.act("npm test", "true");
      await work.act(command, "true");
      expect(await commit()).toMatch(/run the tests \(passed (?:just now|\d+ seconds? ago), but .+ since\)/);
    },
    PATIENT,
  );

  it.each([
    ["an edit", "sed -i s/1/7/ src/price.js"],
    [
      "a checkout",
      "git checkout -q other && echo 1 > o.js && git add . && git commit -qm o && git checkout -q main && git merge -q other",
    ],
    ["a deleted file", "rm test.js"],
  ])(
    "STL-3 %s in another terminal makes the tests stale",
    async (_what, command) => {
      await start();
      await work.act("npm test", "true");
      work.run(command);
      expect(await commit()).toContain("changed since");
    },
    PATIENT,
  );

  it(
    "STL-4 a new daemon still knows the state that was tested",
    async () => {
      const first = await start();
      await work.act("npm test", "true");
      await first.end("over");
      const second = await start();
      expect(await commit()).toBe("allowed");
      await second.end("over");
      work.run("sed -i s/1/7/ src/price.js");
      await start();
      expect(await commit()).toContain("but src/price.js changed since");
    },
    PATIENT,
  );

  it.each([
    [
      "what the test run itself writes",
      "true",
      "mkdir -p coverage .pytest_cache && echo 1 > coverage/a && echo 2 > snap.txt",
    ],
    ["documentation", "echo more >> README.md && mkdir docs && echo x > docs/a.md && echo png > docs/a.png", "true"],
    [
      "what git ignores",
      "mkdir reports && echo x > reports/a.js && echo x > a.cache && echo x > only-here.txt",
      "true",
    ],
    [
      "caches and build output",
      "mkdir -p node_modules/a dist src/__pycache__ && echo x > dist/a.js && echo x > src/__pycache__/b.pyc",
      "true",
    ],
    ["staging and committing", "echo 1 > n.md && git add -A && git commit -qm n", "true"],
    ["a branch of the same commit", "git checkout -q -b feature && git tag t && git fetch -q .", "true"],
  ])(
    "STL-5 %s does not make the tests stale",
    async (_what, later, tests) => {
      await start();
      await work.act("npm test", tests);
      work.run(later);
      expect(await commit()).toBe("allowed");
    },
    PATIENT,
  );

  it(
    "STL-6 the commit does not outdate the evidence that the push needs",
    async () => {
      await start();
      work.write("src/price.js", "exports.price = 5;\n");
      await work.act("npm test", "true");
      expect(await work.act("git add -A")).not.toHaveProperty("permissionDecision", "deny");
      expect(await work.act("git commit -m price")).not.toHaveProperty("permissionDecision", "deny");
      expect((await work.ask("git push origin main")).permissionDecisionReason ?? "allowed").toBe("allowed");
    },
    PATIENT,
  );

  it.each([
    ["a tracked file in an ignored folder", "reports/kept.js"],
    ["a tracked file in a folder that is named like output", "dist/action.js"],
    ["a tracked file that a pattern names", "x.cache"],
    ["an exception of the patterns", "keep.cache"],
    ["a text that the program reads", "src/prompts/system.md"],
  ])(
    "STL-7 %s counts as a source",
    async (_what, path) => {
      work.write(path, "1");
      work.run(`git add -f ${path} && git commit -qm more`);
      await start();
      await work.act("npm test", "true");
      work.write(path, "2");
      expect(await commit()).toContain(`${path} changed since`);
    },
    PATIENT,
  );

  it(
    "STL-8 no program that the repository configures runs",
    async () => {
      work.run(
        "git config core.fsmonitor 'touch ran; false' && git config core.hooksPath . && echo '*.js filter=x' > .gitattributes",
      );
      work.run("git config filter.x.clean 'touch ran; cat'");
      await start();
      await work.act("npm test", "true");
      expect(await commit()).toBe("allowed");
      expect(work.run("ls ran").status).not.toBe(0);
    },
    PATIENT,
  );

  it(
    "STL-9 writing documentation with the file tools or the shell does not outdate the tests; writing a source does",
    async () => {
      await start();
      await work.act("npm test", "true");
      await work.act("echo more >> README.md");
      await work.act("rm README.md");
      await work.writeFile("docs/more.md", "x");
      expect(await commit()).toBe("allowed");
      await work.writeFile("src/more.js", "x");
      expect(await commit()).toContain("but src/more.js changed since");
      await work.act("npm test", "true");
      await work.act("cat src/price.js");
      await work.act("echo 1 >> src/price.js");
      expect(await commit()).toContain("but src/price.js changed since");
    },
    PATIENT,
  );
});

describe("runs that prove nothing", () => {
  it(
    "RNF-1 a test runner that was replaced after the tests makes them stale",
    async () => {
      work.write("node_modules/vitest/vitest.mjs", "");
      work.write("node_modules/.bin/prettier", "");
      work.run("echo node_modules > .gitignore && ln -s ../vitest/vitest.mjs node_modules/.bin/vitest");
      await start();
      await work.act("npx vitest run", "true");
      work.write("node_modules/.bin/prettier", "another");
      expect(await commit()).toBe("allowed");
      work.write("node_modules/vitest/vitest.mjs", "process.exit(0)");
      expect(await commit()).toContain("but node_modules/.bin/vitest changed since");
      await work.act("npx vitest run", "true");
      work.run("rm node_modules/.bin/vitest && echo 'exit 0' > node_modules/.bin/vitest");
      expect(await commit()).toContain("but node_modules/.bin/vitest changed since");
    },
    PATIENT,
  );

  it.each([
    ["go test -run Nope ./...", "printf 'ok  \\tshop/price\\t0.002s [no tests to run]\\n'", false],
    ["go test -run Price ./...", "printf 'ok  \\tshop\\t0.1s [no tests to run]\\nok  \\tshop/price\\t0.002s\\n'", true],
    ["cargo test nope", "printf 'running 0 tests\\n\\ntest result: ok. 0 passed; 0 failed\\n'", false],
    ["cargo test price", "printf 'running 0 tests\\nrunning 2 tests\\n'", true],
    ["npx mocha -g nope", "printf '  0 passing (1ms)\\n'", false],
  ])(
    "RNF-2 the output of %s decides whether tests ran",
    async (command, really, ran) => {
      await start();
      await work.act(command, really);
      if (ran) expect(await commit()).toBe("allowed");
      else expect(await commit()).toContain("but that command cannot show that it passed");
    },
    PATIENT,
  );
});

describe("what is missing", () => {
  it(
    "STL-10 a run that failed is named with its time and exit code",
    async () => {
      await start();
      await work.act("npm test", "exit 3");
      expect(await commit()).toMatch(
        /Missing: run the tests \(ran (?:just now|\d+ seconds? ago) and failed with exit code 3\)/,
      );
    },
    PATIENT,
  );

  it(
    "STL-11 a run whose success the command hides is not called missing",
    async () => {
      await start();
      await work.act("npm test || true", "true");
      expect(await commit()).toMatch(
        /run the tests \(ran (?:just now|\d+ seconds? ago), but that command cannot show that it passed/,
      );
    },
    PATIENT,
  );

  it(
    "STL-12 without any run, the tests are not done",
    async () => {
      await start();
      expect(await commit()).toContain("Missing: run the tests (not done in this session)");
    },
    PATIENT,
  );
});
