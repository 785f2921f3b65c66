import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { conductProgram } from "../../edge/host/node/package-files.ts";
import { useDaemons } from "./test/test-daemon.ts";
import { testWorkspace } from "./test/test-workspace.ts";

/** Hooks, commands and a daemon on a machine that others use too. */
const PATIENT = 60_000;
const daemons = useDaemons();
const { place, start, send } = daemons;
const work = testWorkspace(daemons);

beforeEach(() => {
  daemons.configure("agents:\n  coder:\n    rules: [packs/coding]\n");
  work.init();
});

async function asked(command: string) {
  const { permissionDecision: decision = "allow", permissionDecisionReason: text = "" } = await work.ask(command);
  return { decision, text, approval: /\((a_\w+)\)/.exec(text)?.[1] ?? "" };
}

const allow = (approval: string) => send({ answers: { session: "cc", approval, answer: "yes", by: "cli:ann" } });

/** The shipped program, with the home of the test. */
function run(
  program: string,
  ...args: readonly string[]
): { readonly result: { readonly approvals: readonly unknown[] } } {
  const env = { PATH: process.env.PATH, HOME: place.home, CONDUCT_HOME: place.home };
  const { stdout } = spawnSync(process.execPath, [program, ...args], { cwd: place.workspace, env, encoding: "utf8" });
  return JSON.parse(stdout);
}

describe("discarding nothing", () => {
  it.each(["git checkout src/price.js", "git restore .", "cd src && git checkout price.js", "git reset --hard"])(
    "LW-1 %s is allowed if everything is committed",
    async (command) => {
      await start();
      expect((await asked(command)).decision).toBe("allow");
      work.write("src/price.js", "exports.price = 2;\n");
      expect((await asked(command)).decision).toBe("ask");
      work.run("git add -A");
      expect((await asked(command)).decision).toBe("ask");
    },
    PATIENT,
  );

  it.each([
    ["in another repository", "git -C . checkout src/price.js"],
    ["after a command that writes", "git stash pop; git checkout src/price.js"],
    ["of another machine", "ssh host git checkout src/price.js"],
    ["with other settings", "GIT_WORK_TREE=/x git checkout src/price.js"],
    ["without the index", "git stash drop"],
  ])(
    "LW-2 a discard is asked about if its loss cannot be computed: %s",
    async (_, command) => {
      await start();
      expect((await asked(command)).decision).not.toBe("allow");
    },
    PATIENT,
  );

  it(
    "LW-3 git clean asks only if there are untracked files, and always with -x",
    async () => {
      work.write("ignored.cache", "1");
      await start();
      expect((await asked("git clean -f")).decision).toBe("allow");
      expect((await asked("git clean -fd")).decision).toBe("allow");
      expect((await asked("git clean -fd; rm -rf src")).decision).toBe("ask");
      expect((await asked("git clean -fx")).decision).toBe("ask");
      work.write("src/new.js", "1");
      expect((await asked("git clean -f")).text).toContain("Deletes 1 file that git does not track: src/new.js.");
    },
    PATIENT,
  );

  it(
    "LW-4 a question says that a branch moves only if it does",
    async () => {
      work.write("src/price.js", "exports.price = 2;\n");
      await start();
      expect((await asked("git reset --hard")).text).not.toContain("moves a branch");
      expect((await asked("git reset --hard HEAD")).text).not.toContain("moves a branch");
      expect((await asked("git reset --hard other")).text).toContain("moves a branch to another commit");
    },
    PATIENT,
  );
});

describe("uncommitted work", () => {
  it.each([
    [
      "rm src/price.js",
      "Deletes src/price.js with 1 changed line that is not committed:\n-exports.price = 1;\n+exports.price = 2;",
    ],
    ["cd src; rm ./price.js", "Deletes src/price.js with 1 changed line"],
    ["mv test.js src/price.js", "Replaces src/price.js with"],
  ])(
    "LW-5 %s asks, and shows the lines that would be lost",
    async (command, says) => {
      work.write("src/price.js", "exports.price = 2;\nexports.tax = 2;\n");
      await start();
      await work.act("cat src/price.js");
      const { decision, text } = await asked(command);
      expect([decision, text]).toEqual(["ask", expect.stringContaining(says)]);
    },
    PATIENT,
  );

  it.each([
    "rm test.js",
    "rm -f error.log",
    "rm -rf reports",
    "rm notes.txt",
    "echo done > out.txt",
    "echo '// end' >> src/price.js",
    "sed -i s/1/2/ src/price.js",
    "grep -v tax src/price.js > t && mv t src/price.js",
  ])(
    "LW-6 %s is allowed: it loses nothing that git has seen changed",
    async (command) => {
      work.write("src/price.js", "exports.price = 2;\nexports.tax = 2;\n");
      work.write("notes.txt", "1");
      work.write("reports/a.txt", "1");
      await start();
      await work.act("cat src/price.js");
      const { decision, text } = await asked(command);
      expect([decision, text]).toEqual(["allow", ""]);
    },
    PATIENT,
  );

  it(
    "LW-7 the agent may delete a tracked file that it wrote itself, until somebody else changes it",
    async () => {
      await start();
      await work.act("cat src/price.js");
      await work.writeFile("src/price.js", "exports.price = 9;\n");
      expect((await asked("rm src/price.js")).decision).toBe("allow");
      work.write("src/price.js", "exports.price = 10; // by a person\n");
      expect((await asked("rm src/price.js")).decision).toBe("ask");
    },
    PATIENT,
  );
});

describe("an approval", () => {
  it(
    "LW-8 is about the loss that was shown: if the files change, the question comes again and says why",
    async () => {
      work.write("src/price.js", "exports.price = 2;\nexports.tax = 2;\n");
      await start();
      const first = await asked("git checkout src/price.js");
      await allow(first.approval);
      work.write("src/price.js", "exports.price = 3;\n".repeat(300));
      const again = await asked("git checkout src/price.js");
      expect(again.decision).toBe("ask");
      expect(again.text).toContain("The files have changed since a person allowed this, so it is asked again.");
      expect(again.text).toContain("Discards 300 changed lines");
      expect(again.approval).not.toBe(first.approval);
      await allow(again.approval);
      expect((await asked("git checkout src/price.js")).decision).toBe("allow");
    },
    PATIENT,
  );

  it(
    "LW-9 an answer to a question whose files have changed in the meantime allows nothing",
    async () => {
      await start();
      const first = await asked("rm -rf src");
      work.write("src/new.js", "1");
      const second = await asked("rm -rf src");
      expect(second.approval).not.toBe(first.approval);
      await allow(first.approval);
      expect((await asked("rm -rf src")).decision).toBe("ask");
      await allow(second.approval);
      expect((await asked("rm -rf src")).decision).toBe("allow");
    },
    PATIENT,
  );
});

describe("paths in rules", () => {
  it.each([
    ["absolute", () => join(place.workspace, "src/price.js")],
    ["with dots", () => `${place.workspace}/src/../src/./price.js`],
    ["relative", () => "src/price.js"],
  ])(
    "LW-10 a rule about src/price.js applies to a file tool whose path is %s, and to a command",
    async (_, path) => {
      daemons.configure(`
agents:
  coder:
    rules:
      - { id: no-src, on: [read_file, files.delete], when: 'args.path == "src/price.js"', say: "Not {{args.path}}." }
      - { id: no-outside, on: read_file, when: 'args.path == "/etc/shadow" && !isInside(args.path)', say: "Not {{args.path}}." }
`);
      await start();
      const read = (file_path: string) => work.ask("", { tool_name: "Read", tool_input: { file_path } });
      expect(await read(path())).toMatchObject({
        permissionDecision: "deny",
        permissionDecisionReason: expect.stringContaining("Not src/price.js."),
      });
      expect((await asked(`rm ${path()}`)).text).toContain("Not src/price.js.");
      expect((await asked("cd src && rm price.js")).text).toContain("Not src/price.js.");
      expect(await read("/etc/../etc/shadow")).toMatchObject({ permissionDecision: "deny" });
      expect((await read(join(place.workspace, "test.js"))).permissionDecision).not.toBe("deny");
    },
    PATIENT,
  );
});

describe("a session that Claude Code has ended", () => {
  it(
    "LW-11 its questions no longer wait, and a late stop is not checked",
    async () => {
      daemons.configure(
        "agents:\n  coder:\n    rules: [packs/coding]\n    completion: { command: touch checked && false }\n",
      );
      work.write("src/price.js", "exports.price = 2;\n");
      await start();
      await work.act("ls");
      const { approval } = await asked("git checkout src/price.js");
      await work.post({ hook_event_name: "SessionEnd", session_id: "cc", cwd: place.workspace, reason: "exit" });
      const stop = { hook_event_name: "Stop", session_id: "cc", cwd: place.workspace, stop_hook_active: false };
      expect(await work.post(stop)).toEqual({});
      expect(work.run("ls checked").status).not.toBe(0);
      const listed = () => run(conductProgram(), "approvals", "--json");
      await vi.waitFor(async () => expect((await listed()).result.approvals).toEqual([]), PATIENT);
      expect(approval).not.toBe("");
      // A message resumes the session: then its stop is checked again.
      await work.post({ ...stop, hook_event_name: "UserPromptSubmit", prompt: "go on", prompt_id: "p1" });
      await work.act("ls");
      expect(await work.post(stop)).toMatchObject({ decision: "block" });
    },
    PATIENT,
  );
});

describe("what Claude Code's model reads", () => {
  it(
    "LW-12 has no default role and no expression of a rule",
    async () => {
      await start();
      const message = { hook_event_name: "UserPromptSubmit", prompt: "hello", prompt_id: "p1", session_id: "cc" };
      const answer = JSON.stringify(await work.post({ ...message, cwd: place.workspace }));
      expect(answer).toContain("Read the file first: it exists, and you have not seen its current content.");
      expect(answer).not.toMatch(/Soul|helpful assistant|has\(|args\.|repo\./);
    },
    PATIENT,
  );
});
