import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { resultOf } from "../../src/testing/kit/expect.ts";
import { resultOfRun, setUp } from "./cli.ts";
import { play, release, scripts, shell } from "./play.ts";

const touch = { script: [{ calls: [shell("call_1", "touch ran.txt")] }, { text: "Blocked." }] };
const ADVICE = "#Conduct:if-this-is-all-you-see-a-person-can-run-conduct-doctor";

describe("without a daemon", () => {
  it("CC-F1 without a daemon a message is blocked before the model is called, and the person sees why and what to do", async () => {
    const outcome = await play({}, touch, { prepare: (daemon) => daemon.close() });
    expect(outcome.requests).toHaveLength(0);
    const said = String(resultOfRun(outcome.ends[0] ?? never()).result);
    expect(said).toContain("ECONNREFUSED");
    expect(said).toContain("#Conduct:if-this-is-all-you-see-send-it-again");
    expect(said).toContain("run-conduct-doctor");
  });

  it("CC-F2 a message that finds no daemon runs the start command, and the person is asked to send it again", async () => {
    const outcome = await play({}, touch, {
      async prepare(daemon, place) {
        setUp(place, daemon, { startCommand: `cat > ${join(place.workspace, "woken.json")}; exit 2` });
        await daemon.close();
      },
    });
    expect(outcome.requests).toHaveLength(0);
    expect(outcome.file("woken.json")).toContain('"hook_event_name":"UserPromptSubmit"');
    expect(outcome.shown.join("\n")).toContain("send-it-again");
  });

  it("CC-F3 if the daemon ends while a call runs, its result passes unchecked and no further call runs (README, not enforced)", async () => {
    const calls = ["echo FIRST", "touch ran.txt"].map((command, at) => ({ calls: [shell(`call_${at + 1}`, command)] }));
    let over = false;
    const outcome = await play(
      {},
      { script: [...calls, { text: "Blocked." }] },
      {
        daemon: { around: (answer) => (over ? Promise.reject(new Error("gone")) : answer()) },
        prepare: ({ hooks }) => {
          const { handle } = hooks;
          Object.assign(hooks, {
            async handle(...given: Parameters<typeof handle>) {
              const answer = await handle(...given);
              over ||= JSON.stringify(given[0]).includes('"PreToolUse"');
              return answer;
            },
          });
        },
      },
    );
    expect(resultOf(outcome, "call_1")).toBe("FIRST");
    expect(resultOf(outcome, "call_2")).toContain(ADVICE);
    expect(outcome.file("ran.txt")).toBeUndefined();
  });
});

describe("a daemon that does not answer as it should", () => {
  it("CC-F4 a wrong token blocks every message", async () => {
    const outcome = await play({}, touch, { prepare: (daemon, place) => setUp(place, { ...daemon, token: "other" }) });
    expect(outcome.requests).toHaveLength(0);
    expect(String(resultOfRun(outcome.ends[0] ?? never()).result)).toContain("401");
  });

  it("CC-F5 a session that throws on a call blocks the call, with the reason and the next step", async () => {
    const outcome = await play({}, touch, {
      prepare({ conduct }) {
        const { find } = conduct;
        const broken = { decide: () => Promise.reject(new Error("store is gone")) };
        Object.assign(conduct, {
          find(id: string) {
            const session = find.call(conduct, id);
            return session === undefined ? undefined : Object.assign(session, broken);
          },
          session: (options: Parameters<typeof conduct.session>[0]) =>
            Object.assign(Object.getPrototypeOf(conduct).session.call(conduct, options), broken),
        });
      },
    });
    expect(resultOf(outcome, "call_1")).toContain("could not be checked (store is gone)");
    expect(outcome.file("ran.txt")).toBeUndefined();
  });

  it("CC-F6 a message is blocked if its prompt cannot be built", async () => {
    const content = "x".repeat(60_000);
    const outcome = await play({ sections: [{ heading: "Task", content }] }, touch);
    expect(outcome.requests).toHaveLength(0);
    expect(outcome.shown.join("\n")).toContain("characters, but Claude Code's hooks can carry only");
  });
});

describe("what a repository brings along", () => {
  const settings = (value: object) => ({ ...scripts, ".claude/settings.json": JSON.stringify(value) });
  const deploy = { script: [{ calls: [shell("call_1", "sh deploy.sh")] }, { text: "Done." }] };

  it("CC-F7 if a repository's settings forbid Conduct's hooks, nothing runs at all", async () => {
    const files = settings({ allowedHttpHookUrls: ["https://example.com/*"] });
    const outcome = await play(release, { files, ...deploy });
    expect(outcome.requests).toHaveLength(0);
  });

  it("CC-F8 a repository's settings can switch all hooks off, and Claude Code does not report it (README, not enforced)", async () => {
    const outcome = await play(release, { files: settings({ disableAllHooks: true }), ...deploy });
    expect(outcome.seen.filter((name) => name !== "mcp")).toEqual([]);
    expect(outcome.file("deployed.txt")).toBeDefined();
  });

  it("CC-F9 a repository's settings cannot make a program pass for a person", async () => {
    const asked: unknown[] = [];
    await play(
      {},
      { files: settings({ env: { CLAUDE_CODE_ENTRYPOINT: "cli" } }), script: [{ text: "Hello." }] },
      {
        env: { CLAUDE_CODE_ENTRYPOINT: "cli" },
        prepare: ({ hooks }) => {
          const { handle } = hooks;
          Object.assign(hooks, {
            handle: (...given: Parameters<typeof handle>) => {
              asked.push(given[1]?.interactive);
              return handle(...given);
            },
          });
        },
      },
    );
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked)).toEqual(new Set([false]));
  });
});

describe("hooks of others beside ours", () => {
  const command = (text: string) => ({ hooks: [{ type: "command", command: text }] });

  it("CC-F10 other hooks run as before next to Conduct's", async () => {
    const outcome = await play(
      release,
      { files: scripts, script: [{ calls: [shell("call_1", "sh deploy.sh")] }, { text: "No." }] },
      {
        setUp: {
          settings: JSON.stringify({
            hooks: { PreToolUse: [command("cat >> seen.txt")], Stop: [command("echo stop >> seen.txt")] },
          }),
        },
      },
    );
    expect(outcome.file("seen.txt")).toMatch(/"PreToolUse".*stop\n$/s);
    expect(resultOf(outcome, "call_1")).toContain("requires: test");
  });

  it("CC-F11 a denial by another hook stays in force, and the call proves nothing", async () => {
    const outcome = await play(
      release,
      {
        files: scripts,
        script: [
          { calls: [shell("call_1", "sh test.sh")] },
          { calls: [shell("call_2", "sh deploy.sh")] },
          { text: "No." },
        ],
      },
      {
        prepare(_daemon, place) {
          writeFileSync(join(place.home, "no.sh"), "grep -q test.sh && { echo not today >&2; exit 2; }; exit 0");
        },
        setUp: { settings: JSON.stringify({ hooks: { PreToolUse: [command('sh "$HOME/no.sh"')] } }) },
      },
    );
    expect(resultOf(outcome, "call_1")).toContain("not today");
    expect(resultOf(outcome, "call_2")).toContain("requires: test");
  });

  it("CC-F12 an input that another hook rewrites after the decision proves nothing", async () => {
    const rewritten = {
      hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: "echo something else" } },
    };
    const outcome = await play(
      release,
      { files: scripts, script: [{ calls: [shell("call_1", "sh test.sh")] }, { text: "Done." }] },
      {
        setUp: {
          settings: JSON.stringify({ hooks: { PreToolUse: [command(`echo '${JSON.stringify(rewritten)}'`)] } }),
        },
      },
    );
    expect(resultOf(outcome, "call_1")).toBe("something else");
    expect(outcome.events.flatMap((event) => (event.type === "result" ? [event.outcome] : []))).toEqual(["unknown"]);
  });
});

function never(): never {
  throw new Error("Claude Code was not run");
}
