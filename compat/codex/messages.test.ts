import { describe, expect, it } from "vitest";
import { asList, asObject, asString } from "../../src/base/kernel/json.ts";
import { FileOutputChecker } from "../../src/behavior/completion/completion-checkers.ts";
import { ReadBeforeWritePolicy } from "../../src/behavior/policy/builtin/read-before-write-policy.ts";
import { trustCodexHooks } from "../../src/edge/adapters/codex/trust.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import { startModelServer } from "../../src/testing/test/model-server/index.ts";
import { openAppClient } from "./app-client.ts";
import { CODEX, codexEnv, writeHome } from "./codex-run.ts";
import { given, patch, shell, update, useCodex } from "./play.ts";

const codex = useCodex();
const plain = defineAgent({ name: "plain", sections: [{ heading: "Task", content: "Marker TOLD-1." }] });
const done = { text: "ok" };
const ann = () => ({ user: "ann" });

/** How often a text stands in what the model was sent. */
function count(raw: string | undefined, part: string): number {
  return (raw ?? "").split(part).length - 1;
}

describe("a conversation of several messages", () => {
  it("G13: the request of the second turn contains the prompt's prefix once, and the new time", async () => {
    let now = Date.parse("2026-03-06T09:05:00Z");
    await codex.start(plain, ann, { clock: { now: () => now, monotonic: () => performance.now() } });
    const before = (turn: number) => {
      now += turn * 60_000;
    };
    const end = await codex.run({
      further: ["two", "/think three", "/think off four"],
      before,
      script: [done, done, done, done],
    });
    const [first, second, third, fourth] = end.server.requests.map(({ raw }) => raw);
    expect(count(first, "09:06 AM (UTC)")).toBe(1);
    for (const text of ["Marker TOLD-1.", "## Tools", "## Safety", "09:06 AM (UTC)", "09:08 AM (UTC)"])
      expect(`${text} ${count(second, text)}`).toBe(`${text} 1`);
    expect(count(third, "Think step-by-step")).toBe(1);
    expect(count(fourth, "These sections no longer apply: Reasoning.")).toBe(1);
    for (const text of ["Marker TOLD-1.", "## Tools"]) expect(`${text} ${count(fourth, text)}`).toBe(`${text} 1`);
  });

  it("CX-S1 a conversation of several messages keeps its modes, its evidence and its budget", async () => {
    const agent = defineAgent({ name: "writer", policies: [new ReadBeforeWritePolicy()] });
    await codex.start(agent, () => ({ budget: { calls: 2 } }));
    const end = await codex.run({
      message: "/think:low read it",
      further: ["write it", "once more"],
      files: { "a.txt": "old\n" },
      script: [
        { calls: [shell("call_1", "cat a.txt")] },
        done,
        { calls: [patch("call_2", update("a.txt", "old", "new"))] },
        done,
        { calls: [shell("call_3", "cat a.txt")] },
        done,
      ],
    });
    expect(end.files.get("a.txt")).toBe("new\n");
    expect(given(end, "call_3")).toContain("budget");
    expect(codex.events("message").map(({ turn, modes }) => [turn, modes.thinkLevel])).toEqual([
      [1, "low"],
      [2, "low"],
      [3, "low"],
    ]);
    expect(codex.events("session").map(({ change }) => change)).toEqual(["opened", "resumed", "resumed"]);
  });

  it("CX-S3 an approval given between two messages lets the retry run", async () => {
    const asking = { name: "asking", check: () => ({ kind: "ask", question: "Really?" }) as const };
    const { conduct } = await codex.start(defineAgent({ name: "careful", policies: [asking] }));
    const before = (turn: number) => {
      const [asked] = codex.events("call");
      if (turn === 1 || asked?.decision.kind !== "ask") return;
      conduct.find(asked.session)?.resolve(asked.decision.approval, "yes", "olga");
    };
    const touch = (id: string) => ({ calls: [shell(id, "touch done.txt")] });
    const end = await codex.run({ further: ["now"], before, script: [touch("call_1"), done, touch("call_2"), done] });
    expect(given(end, "call_1")).toContain("Waiting for a person's approval");
    expect(end.files.has("done.txt")).toBe(true);
  });
});

describe("modes", () => {
  it("K05: the model sees mode words, with a note that they were not for it", async () => {
    await codex.start(plain);
    const end = await codex.run({ message: "/think:high look", script: [done] });
    const [request] = end.server.requests;
    expect(request?.lastUserText).toBe("/think:high look");
    expect(request?.raw).toContain("Conduct has handled them; the message itself begins");
    // A hook cannot set the level: it is what Codex was started with.
    expect(request?.thinking).toBe("medium");
  });

  it("K17: debug lines weaken no denial, no truncation and no refused stop, and never reach the model", async () => {
    const agent = defineAgent({
      name: "watched",
      limits: { window: 8_000 },
      completion: new FileOutputChecker({ files: ["out.txt"] }),
    });
    const daemon = await codex.start(agent);
    const end = await codex.run({
      message: "/verbose go",
      further: ["again"],
      script: [
        { calls: [shell("call_1", "cat ~/.conduct/x; touch ran.txt")] },
        { calls: [shell("call_2", "seq 1 9000")] },
        done,
        { calls: [shell("call_3", "touch out.txt")] },
        done,
        done,
      ],
    });
    expect(given(end, "call_1")).toContain("Denied by builtin:protected-paths");
    expect(end.files.has("ran.txt")).toBe(false);
    expect(given(end, "call_2")).toContain("[Output truncated: ");
    expect(end.server.requests).toHaveLength(6);
    const shown = daemon.shown.join("\n");
    for (const part of ["Outcome: denied", "Outcome: ok", "[DEBUG] Prompt: "]) expect(shown).toContain(part);
    for (const { raw } of end.server.requests) expect(raw).not.toContain("[DEBUG]");
  });

  it("CX-M1 clients of the app server are shown replies, notes and debug lines", async () => {
    await codex.start(plain);
    await withClient([{ calls: [shell("call_1", "echo hi")] }, done], async ({ say, raws }) => {
      expect(await say("/verbose on /elevated on")).toEqual([
        "Not elevated: only an operator can elevate a session, in the console or with conduct elevate.\n\nverbose: on\nelevated: off",
      ]);
      expect(raws()).toEqual([]);
      const shown = await say("/thinj look");
      expect(shown[0]).toMatch(/^\/thinj is not a mode .*\n\n\[DEBUG\] Prompt: /s);
      expect(shown[1]).toMatch(/^\[DEBUG\] Tool: shell\n/);
      for (const raw of raws()) expect(raw).not.toMatch(/\[DEBUG\]|is not a mode|Not elevated/);
    });
  });

  it("CX-P4 the prompt is sent again to a rewound conversation", async () => {
    await codex.start(plain);
    await withClient([done, done], async ({ say, raws, request, thread }) => {
      await say("one");
      const turns = await request("thread/turns/list", { threadId: thread });
      const first = asString(asObject(asList(turns.data).at(-1)).id);
      await request("thread/revert", { threadId: thread, beforeTurnId: first });
      await say("two");
      expect(raws().map((raw) => count(raw, "Marker TOLD-1."))).toEqual([1, 1]);
      expect(raws()[1]).not.toContain('"one"');
      expect(codex.events("notice").map(({ notice }) => notice.kind)).toContain("compacted");
    });
  });
});

describe("Conduct's own tools", () => {
  const save = { id: "call_1", name: "save_memory", namespace: "mcp__conduct", input: { text: "Gate 9." } };

  it.each([
    { who: "a user", session: ann, says: "Saved as note" },
    { who: "nobody", session: () => ({}), says: "This session has no user" },
  ])("CX-U1 save_memory answers in a session of $who with Codex' own approvals on", async ({ session, says }) => {
    await codex.start(plain, session);
    const end = await codex.run({ approvals: true, script: [{ calls: [save] }, done] });
    expect(given(end, "call_1")).toContain(says);
  });

  it("CX-P3 the prompt names Conduct's tools without a prefix, as the model finds them by search", async () => {
    await codex.start(plain, ann);
    const end = await codex.run({ script: [done] });
    const [request] = end.server.requests;
    expect(request?.tools.find(({ name }) => name === "tool_search")?.description).toMatch(/- conduct: .*save_memory/);
    expect(request?.system).toMatch(/Available tools: .*exec_command.* save_memory,/);
    expect(request?.raw).not.toContain("mcp__conduct__");
  });
});

type Talk = {
  readonly thread: string;
  readonly say: (text: string) => Promise<readonly string[]>;
  readonly request: Awaited<ReturnType<typeof openAppClient>>["request"];
  raws(): readonly string[];
};

/** Talks to Codex as the IDE does, with trusted hooks. */
async function withClient(script: Parameters<typeof startModelServer>[0]["script"], talk: (on: Talk) => Promise<void>) {
  const { place } = codex;
  const server = await startModelServer({ script });
  await writeHome(place, server.openaiUrl);
  await trustCodexHooks(place.home, place.workspace, CODEX);
  const client = await openAppClient(place.workspace, codexEnv(place));
  try {
    const options = { cwd: place.workspace, approvalPolicy: "never", sandbox: "danger-full-access" };
    const started = await client.request("thread/start", options);
    const thread = asString(asObject(started.thread).id);
    await talk({
      thread,
      say: (text) => client.say(thread, text),
      request: client.request,
      raws: () => server.requests.map(({ raw }) => raw),
    });
  } finally {
    await client.close();
    await server.close();
  }
}
