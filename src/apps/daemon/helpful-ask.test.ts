import { beforeEach, describe, expect, it } from "vitest";
import { daemonPlace } from "../../edge/host/daemon/daemon-place.ts";
import { remoteHost } from "../../edge/host/daemon/remote-session.ts";
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

/** Uncommitted work in the files that the tests discard. */
function change(): void {
  work.write("src/price.js", "exports.price = 3;\n");
  work.write("test.js", "require('./src/price.js'); // changed\n");
}

/** The reason of a native ask, and the id of its approval. */
async function asked(command: string, more: object = {}) {
  const { permissionDecision, permissionDecisionReason: text = "" } = await work.ask(command, more);
  return { decision: permissionDecision ?? "allow", text, approval: /\((a_\w+)\)/.exec(text)?.[1] ?? "" };
}

const answer = (approval: string, given: "yes" | "no" | "always", session = "cc") =>
  send({ answers: { session, approval, answer: given, by: "cli:ann" } });

describe("a question about work that would be lost", () => {
  it(
    "ASK2-1 a checkout shows how many lines it discards, and the diff",
    async () => {
      await start();
      work.write("src/price.js", "exports.price = 2;\nexports.tax = 2;\nexports.more = 3;\n");
      const { decision, text } = await asked("git checkout src/price.js");
      expect(decision).toBe("ask");
      expect((await asked("git checkout src/price.js && npm publish")).text).toContain("It also publishes a package.");
      expect(text).toContain(
        "Discards 2 changed lines in src/price.js:\n-exports.price = 1;\n+exports.price = 2;\n+exports.more = 3;",
      );
    },
    PATIENT,
  );

  it.each([
    ["git reset --hard", "Discards 1 changed line in src/price.js:"],
    ["git checkout .", "Discards 1 changed line in src/price.js:"],
    ["git restore src", "Discards 1 changed line in src/price.js:"],
    ["git clean -fd", "Deletes 1 file that git does not track: src/new.js."],
    [
      "rm -rf src",
      "Deletes 2 files in src: 1 in git (1 with uncommitted changes), 1 not in git, which git cannot restore.",
    ],
  ])(
    "ASK2-2 %s says what is lost",
    async (command, says) => {
      await start();
      work.write("src/price.js", "exports.price = 2;\nexports.tax = 2;\n");
      work.write("src/new.js", "1");
      expect((await asked(command)).text).toContain(says);
    },
    PATIENT,
  );

  it(
    "ASK2-3 a long diff, secrets and control characters are cut or removed",
    async () => {
      await start();
      const lines = Array.from({ length: 40 }, (_, i) => `line ${i} \u001b[31m ${"x".repeat(200)}`);
      work.write("src/price.js", [`key = "ghp_${"a1B2".repeat(9)}"`, ...lines].join("\n"));
      const { text } = await asked("git checkout src/price.js");
      expect(text).toContain("Discards 41 changed lines");
      expect(text).toMatch(/… \d+ more lines/);
      expect(text).not.toContain("\u001b");
      expect(text).not.toContain("a1B2a1B2");
      expect(text.length).toBeLessThan(2_500);
    },
    PATIENT,
  );

  it(
    "ASK2-4 no program that the repository configures runs for the question",
    async () => {
      work.run(
        `git config core.fsmonitor 'touch ran; false' && git config filter.x.clean 'touch ran; cat' && git config filter.x.smudge 'touch ran; cat' && git config diff.external 'touch ran' && git config diff.x.textconv 'touch ran; cat' && git config core.pager 'touch ran' && echo '*.js filter=x diff=x' > .git/info/attributes`,
      );
      await start();
      work.write("src/price.js", "exports.price = 2;\n");
      expect((await asked("git checkout src/price.js")).text).toContain("changed lines in src/price.js");
      expect((await asked("git reset --hard")).text).toContain("changed lines in src/price.js");
      expect(work.run("ls ran").status).not.toBe(0);
    },
    PATIENT,
  );

  it(
    "ASK2-5 a checkout that may lose something which cannot be computed is asked without a diff",
    async () => {
      await start();
      const { decision, text } = await asked("git -C src checkout price.js");
      expect([decision, text.includes("Discards")]).toEqual(["ask", false]);
    },
    PATIENT,
  );
});

describe("always in this session", () => {
  it(
    "ASK2-6 an always admits the same effect on the same file, however it is written, and nothing else",
    async () => {
      change();
      await start();
      const first = await asked("git checkout src/price.js");
      expect(first.text).toContain(`conduct approve ${first.approval} --always`);
      expect(await answer(first.approval, "always")).toEqual({ kind: "answered" });
      expect((await asked("git checkout src/price.js")).decision).toBe("allow");
      expect((await asked("git status; git checkout src/price.js")).decision).toBe("allow");
      expect((await asked("git checkout test.js")).decision).toBe("ask");
      expect((await asked("git checkout src/price.js test.js")).decision).toBe("ask");
      expect((await asked("git checkout src/price.js && rm -rf src")).decision).toBe("ask");
      expect((await asked("git reset --hard")).decision).toBe("ask");
      expect((await asked("F=test.js; git checkout $F src/price.js")).decision).toBe("ask");
      expect((await asked("cd src && git checkout price.js")).decision).toBe("allow");
    },
    PATIENT,
  );

  it(
    "ASK2-7 an always survives a new daemon, and a later no ends it",
    async () => {
      const first = await start();
      const { approval } = await asked("rm -rf src");
      await answer(approval, "always");
      await first.end("over");
      await start();
      expect((await asked("rm -rf src")).decision).toBe("allow");
      expect(await answer(approval, "no")).toEqual({ kind: "answered" });
      const again = await asked("rm -rf src");
      expect(again.decision).toBe("ask");
      expect(again.approval).not.toBe(approval);
    },
    PATIENT,
  );

  it(
    "ASK2-8 an always is not inherited by subagents and other sessions",
    async () => {
      await start();
      await answer((await asked("rm -rf src")).approval, "always");
      expect((await asked("rm -rf src", { session_id: "other" })).decision).toBe("ask");
      const remote = remoteHost({ socket: daemonPlace(place.home).socket });
      const child = await remote.open({ runtime: "test", id: "child", parent: "cc", cwd: place.workspace });
      expect(await child.onCall({ id: "c1", tool: "shell", args: { command: "rm -rf src" } })).toMatchObject({
        kind: "ask",
      });
    },
    PATIENT,
  );

  it(
    "ASK2-9 a rule that does not offer it cannot be answered with always",
    async () => {
      await start();
      const { text, approval } = await asked("npm publish");
      expect(text).not.toContain("--always");
      expect(await answer(approval, "always")).toEqual({ kind: "once" });
      expect((await asked("npm publish")).decision).toBe("ask");
    },
    PATIENT,
  );

  it(
    "ASK2-10 a command whose words are only known when it runs is asked every time",
    async () => {
      await start();
      const { text, approval } = await asked("rm -rf $DIR");
      expect(text).not.toContain("--always");
      expect(await answer(approval, "always")).toEqual({ kind: "once" });
    },
    PATIENT,
  );

  it(
    "ASK2-11 a person's no to another file does not end an always, and an always does not lift a denial",
    async () => {
      change();
      await start();
      await answer((await asked("git checkout src/price.js")).approval, "always");
      await answer((await asked("git checkout test.js")).approval, "no");
      expect((await asked("git checkout src/price.js")).decision).toBe("allow");
      expect((await asked("git checkout src/price.js && git push -f")).decision).toBe("deny");
    },
    PATIENT,
  );
});
