import { describe, expect, it } from "vitest";
import type { ConductEvent } from "../../base/words/event.ts";
import type { Sender } from "../../base/words/hosting/channel.ts";
import { writeDirective } from "../../behavior/contract/parse/directive-form.ts";
import { testJournal } from "../governance/test/test-journal.ts";
import { testConduct } from "../session/test/test-conduct.ts";

const operator = { id: "1", role: "operator" } as const;
const of = <T extends ConductEvent["type"]>(events: readonly ConductEvent[], type: T) =>
  events.filter((event): event is Extract<ConductEvent, { type: T }> => event.type === type);

describe("message: directives", () => {
  it("A01: an operator's directives apply in the same turn, between Identity and Soul, and are acknowledged", async () => {
    const { journal } = testJournal();
    const { open, events } = testConduct({ identity: { name: "Ada" }, soul: "Be kind." }, { governance: journal });
    const session = open();
    const text = "KEEP: short status notes\nSTOP: long reports\n\nNow release it.";
    const heard = await session.onMessage({ text, id: "m1", sender: operator });
    expect(heard.text).toBe(text);
    expect(heard.reply).toBeUndefined();
    expect(heard.notes).toHaveLength(2);
    const prompt = await session.onPrompt();
    const block =
      /<GATEWAY_BEHAVIOR_CONTRACT version=2 hash=([0-9a-f]{20})>\n- KEEP: short status notes\n- STOP: long reports\n<\/GATEWAY_BEHAVIOR_CONTRACT>/;
    const [, hash] = block.exec(prompt.text) ?? [];
    expect(hash).toBeDefined();
    const order = ["## Identity", "<GATEWAY_BEHAVIOR_CONTRACT", "## Soul"].map((part) => prompt.text.indexOf(part));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(prompt.text.split("<GATEWAY_BEHAVIOR_CONTRACT")).toHaveLength(2);
    expect(of(events, "directive").map(({ outcome }) => outcome)).toEqual(["added", "added"]);
    expect(of(events, "prompt")[0]?.contract).toEqual({ version: 2, hash, directives: 2 });
    const call = { id: "c", tool: "read_file", args: { path: "a" } };
    await session.onCall(call);
    expect(of(events, "call")[0]?.contract_hash).toBe(hash);
  });

  it("FW-6 the reply to directives says what was refused, why, and the message that replaces it", async () => {
    const { journal } = testJournal();
    const { open, conduct } = testConduct({}, { governance: journal });
    const session = open();
    const reply = async (text: string) => (await session.onMessage({ text, sender: operator })).reply ?? "to the model";
    const inForce = async () => (await conduct.contracts?.contract({}))?.directives.map(writeDirective);
    expect(await reply("KEEP: long reports")).toBe("Noted.");
    const refused = await reply("STOP: long reports");
    expect(refused).toMatch(
      /^Nothing was changed\.\n\nSTOP: long reports: not added \(BEHAVIOR_CONFLICT\)\. .* conflicts/,
    );
    expect(await reply("STOP: long reports\nMORE: tests")).toMatch(
      /^Only 1 of 2 were added\.\n\nSTOP: long reports: not/,
    );
    expect(await inForce()).toEqual(["KEEP: long reports", "MORE: tests"]);
    expect(await reply(refused.split("\n").at(-1) ?? "")).toMatch(/^Contract changed: replaced 'STOP: long reports'/);
    expect(await inForce()).toEqual(["MORE: tests", "STOP: long reports"]);
    expect(await reply("/contract undo")).toMatch(/^Contract changed: undone/);
    expect(await inForce()).toEqual(["KEEP: long reports", "MORE: tests"]);
  });

  it("FW-8 in shadow mode the model gets every message, and the person still reads what was refused and the contract", async () => {
    const { journal } = testJournal();
    const { open } = testConduct({}, { governance: journal });
    const session = open({ enforcement: "shadow" });
    const unseen = "This session is in shadow mode, so its agent does not see the contract.";
    const say = async (text: string) => session.onMessage({ text, sender: operator });
    expect(await say("KEEP: long reports")).toMatchObject({ notes: [expect.stringContaining("in force"), unseen] });
    for (const [text, said] of [
      ["STOP: long reports", /^Nothing was changed\.[\s\S]*\/contract replace d_\w+ STOP: long reports$/],
      ["STOP:emoji", /Did you mean 'STOP: emoji'\?/],
      ["What are my rules?", /- KEEP: long reports/],
    ] as const) {
      const heard = await say(text);
      expect(heard.reply).toBeUndefined();
      expect(heard.notes).toEqual([expect.stringMatching(said), unseen]);
    }
    expect((await say("go on")).notes).toEqual([]);
  });

  it.each([
    ["STOP:long reports", /Nothing was changed\.\n\nLine 1: .*Did you mean 'STOP: long reports'\?/],
    ["KEEP: tests\nSTOP : long reports", /Only 1 of 2 were added\.\n\nLine 2: Remove the space before the colon/],
    ["STOP: <b>tags</b>", /Line 1: 'STOP: <b>tags<\/b>' was not added: /],
    ["STOP: long reports?", undefined],
    ["STOP:long reports\nand go on", undefined],
  ])("A07: the near miss %j is reported, without the model if the message is nothing else", async (text, reply) => {
    const { journal } = testJournal();
    const { open, events } = testConduct({}, { governance: journal });
    const heard = await open().onMessage({ text, sender: operator });
    if (reply === undefined) expect(heard).toMatchObject({ reply, notes: [expect.stringMatching(/^Line 1: /)] });
    else expect(heard.reply).toMatch(reply);
    expect(of(events, "directive").at(-1)).toMatchObject({ outcome: "near-miss" });
  });

  it.each([
    ["/contract", true],
    ["What are my rules?", true],
    ["what’s your current rules", true],
    ["Show me my directives, please", true],
    ["Which directives are in force right now?", true],
    ["could you list your standing rules?", true],
    ["What are the rules?", false],
    ["What are my rules for the router?", false],
    ["Which rules do you think I broke?", false],
    ["What are my rules?\nAnd write the report.", false],
  ])("CMD-1 %j is answered without the model: %s", async (text, isAnswered) => {
    const { journal } = testJournal();
    const { open, conduct } = testConduct({}, { governance: journal });
    await conduct.contracts?.change({ kind: "add", type: "stop", text: "long reports" }, "op");
    const heard = await open().onMessage({ text, sender: operator });
    expect(heard.reply !== undefined).toBe(isAnswered);
    if (isAnswered)
      expect(heard.reply).toMatch(
        /contract v1 [0-9a-f]{6}\.\n- STOP: long reports \(d_\w+, since [\d-]{10}\)\n\nagent has no rules/,
      );
  });

  it("CMD-2 only an operator sees or changes the contract by message, and a wrong command changes nothing", async () => {
    const { journal, entries } = testJournal();
    const { open, conduct } = testConduct({}, { governance: journal });
    await conduct.contracts?.change({ kind: "add", type: "stop", text: "long reports" }, "op");
    const session = open({ channel: "web" });
    const reply = async (text: string, sender: Sender = operator) => (await session.onMessage({ text, sender })).reply;
    const user = { role: "user" } as const;
    expect(await reply("/contract", user)).toContain("Only an operator");
    expect(await reply("/contract undo", user)).toContain("only an operator");
    expect(await reply("What are my rules?", user)).toBeUndefined();
    const noted = await session.onMessage({ text: "KEEP: tests", sender: user });
    expect(noted).toMatchObject({ reply: undefined, notes: [expect.stringContaining("was not changed")] });
    for (const wrong of [
      "frobnicate",
      "replace",
      "remove",
      "remove d_9",
      "replace d_9 STOP: a b",
      "replace d_1 STOP:b",
    ])
      expect(await reply(`/contract ${wrong}`)).toMatch(/^Nothing was changed/);
    expect(entries).toHaveLength(1);
  });

  it("FW-7 directives in quoted lines are not captured, with or without modes before them", async () => {
    const { journal, entries } = testJournal();
    const { open } = testConduct({}, { governance: journal });
    const session = open();
    const say = (text: string, quotedLines: readonly number[]) =>
      session.onMessage({ text, quotedLines, sender: operator });
    await say("look\nSTOP: long reports", [2]);
    await say("/think\nSTOP: long reports", [2]);
    await say("/think high\n\nlook\nSTOP: long reports", [4]);
    expect(entries).toEqual([]);
    await say("/think high\n\nlook\nSTOP: long reports", [3]);
    expect(entries).toHaveLength(1);
  });

  it("A17: directives in a message that is delivered twice are captured once", async () => {
    const { journal, entries } = testJournal();
    const { open } = testConduct({}, { governance: journal });
    const session = open();
    for (let times = 0; times < 2; times++) {
      await session.onMessage({ text: "STOP: long reports please\nand go on", id: "m1", sender: operator });
    }
    expect(entries.filter(({ kind }) => kind === "directive-added")).toHaveLength(1);
  });

  it("A17: a redelivered message does not restore its removed directive, and the reply says so", async () => {
    const { journal } = testJournal();
    const { open, conduct } = testConduct({}, { governance: journal });
    const say = { text: "STOP: long reports", id: "m1", sender: operator };
    const session = open();
    await session.onMessage(say);
    await conduct.contracts?.change({ kind: "undo" }, "op");
    expect((await session.onMessage(say)).reply).toContain("no longer in force");
    expect((await conduct.contracts?.contract({}))?.directives).toEqual([]);
  });

  it.each([
    ["a user", { role: "user" } as const, ["not-operator"]],
    ["nobody known", undefined, []],
  ])("A15: directives from %s are not captured, and the attempt is recorded", async (_, sender, outcomes) => {
    const { journal, entries } = testJournal();
    const { open, events } = testConduct({}, { governance: journal });
    await open().onMessage({ text: "STOP: long reports\nthen go", ...(sender === undefined ? {} : { sender }) });
    expect(entries).toEqual([]);
    expect(of(events, "directive").map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  it("ME-6 a message with only directives is answered without the model", async () => {
    const { journal } = testJournal();
    const session = testConduct({}, { governance: journal }).open();
    const heard = await session.onMessage({ text: "LESS: emoji in answers", sender: operator });
    expect(heard.reply).toBeDefined();
    expect(heard.notes[0]).toMatch(/LESS: emoji in answers: in force from now on, contract v1/);
    expect(session.view.turn).toBe(0);
  });

  it("C02: a conflicting directive is rejected with a fix, and the turn continues under the old contract", async () => {
    const { journal } = testJournal();
    const { open, events } = testConduct({}, { governance: journal });
    const session = open();
    await session.onMessage({ text: "KEEP: frequent status handoffs", sender: operator });
    const heard = await session.onMessage({ text: "STOP: frequent status handoffs\nand go on", sender: operator });
    expect(heard.notes[0]).toMatch(/BEHAVIOR_CONFLICT/);
    expect((await session.onPrompt()).text).toContain("- KEEP: frequent status handoffs");
    expect(of(events, "directive").at(-1)).toMatchObject({ outcome: "refused", code: "BEHAVIOR_CONFLICT" });
  });

  it("D13: a turn uses the contract it began with, and the next turn uses the new one", async () => {
    const { journal } = testJournal();
    const { open, conduct } = testConduct({}, { governance: journal });
    const session = open();
    await session.onMessage({ text: "begin" });
    const before = await session.onPrompt();
    await conduct.contracts?.change({ kind: "add", type: "more", text: "tests before every push" }, "cli:me");
    expect((await session.onPrompt()).text).toBe(before.text);
    session.notice({ kind: "compacted" });
    expect((await session.onPrompt()).text).toBe(before.text);
    await session.onMessage({ text: "next" });
    expect((await session.onPrompt()).text).toContain("- MORE: tests before every push");
  });

  it("D19: the contract merges the scopes of this agent, channel and user, and no others", async () => {
    const { journal } = testJournal();
    const { open, conduct } = testConduct({}, { governance: journal });
    const add = (text: string, scope: string) =>
      conduct.contracts?.change({ kind: "add", type: "keep", text, scope }, "cli:me");
    for (const scope of ["global", "agent:agent", "channel:web", "user:ann", "agent:other", "user:bob"]) {
      await add(`what ${scope.replace(":", " ")} wants`, scope);
    }
    const session = open({ channel: "web", user: "ann" });
    await session.onMessage({ text: "hi" });
    const { text } = await session.onPrompt();
    for (const who of ["global", "agent agent", "channel web", "user ann"]) expect(text).toContain(`what ${who} wants`);
    for (const who of ["agent other", "user bob"]) expect(text).not.toContain(`what ${who} wants`);
  });
});

describe("a contract that cannot be read", () => {
  it("D14: an unreadable contract is replaced by the last known one, marked as degraded, never by an empty one", async () => {
    const { journal, state } = testJournal();
    const { open, events } = testConduct({}, { governance: journal });
    const session = open();
    await session.onMessage({ text: "STOP: long reports\ngo", sender: operator });
    await session.onPrompt();
    state.broken = true;
    await session.onMessage({ text: "next" });
    expect((await session.onPrompt()).text).toContain("- STOP: long reports");
    expect(of(events, "prompt").at(-1)?.contract).toMatchObject({ degraded: true });
    expect(of(events, "fault").map(({ fault }) => fault.code)).toEqual(["contract-degraded"]);
    const heard = await session.onMessage({ text: "MORE: detail in commits\nx", sender: operator });
    expect(heard.notes[0]).toMatch(/not added.*the disk is gone/);
  });

  it("D14: the prompt says that the contract cannot be read if it never could be", async () => {
    const { journal, state } = testJournal();
    state.broken = true;
    const session = testConduct({}, { governance: journal }).open();
    await session.onMessage({ text: "hi" });
    expect((await session.onPrompt()).text).toMatch(/could not be read right now/);
  });

  it("D05: with a damaged entry the prompt names the repair command, and nothing more is written", async () => {
    const { journal, entries } = testJournal();
    const first = testConduct({}, { governance: journal });
    const session = first.open();
    await session.onMessage({ text: "STOP: long reports\ngo", sender: operator });
    await session.onMessage({ text: "KEEP: short notes here\ngo", sender: operator });
    const [kept, changed] = entries;
    if (kept === undefined || changed === undefined) throw new Error("two entries expected");
    entries.splice(1, 1, { ...changed, body: { ...(changed.body as object), forged: true } });
    const { open } = testConduct({}, { governance: journal });
    const again = open();
    const heard = await again.onMessage({ text: "MORE: detail in commits\ngo", sender: operator });
    expect(heard.notes[0]).toMatch(/GATEWAY_BEHAVIOR_FAILED/);
    const { text } = await again.onPrompt();
    expect(text).toContain("conduct journal repair");
    expect(text).not.toContain("KEEP: short notes here");
    expect(entries).toHaveLength(2);
  });
});

describe("ContractService", () => {
  it("D07: of 20 services that write at once none loses a directive", async () => {
    const { journal, entries } = testJournal();
    const worlds = Array.from({ length: 20 }, () => testConduct({}, { governance: journal }));
    await Promise.all(
      worlds.map(({ conduct }, at) =>
        conduct.contracts?.change({ kind: "add", type: "keep", text: `habit number ${at} of ours` }, "cli:me"),
      ),
    );
    const state = await worlds[0]?.conduct.contracts?.contract({});
    expect(state?.directives).toHaveLength(20);
    expect(entries).toHaveLength(20);
  });

  it("D22: undo restores lines and hash under a new version, and any past contract can be read", async () => {
    const { journal } = testJournal();
    const { contracts } = testConduct({}, { governance: journal }).conduct;
    await contracts?.change({ kind: "add", type: "keep", text: "short status notes" }, "me");
    const before = await contracts?.contract({});
    await contracts?.change({ kind: "add", type: "stop", text: "long reports" }, "me");
    await contracts?.change({ kind: "undo" }, "me");
    const after = await contracts?.contract({});
    expect(after?.hash).toBe(before?.hash);
    expect(after?.version).toBeGreaterThan(before?.version ?? 0);
    expect((await contracts?.at({ seq: 2 }, {}))?.directives.map(({ text }) => text)).toEqual([
      "short status notes",
      "long reports",
    ]);
    expect((await contracts?.events({ search: "LONG" }))?.map(({ kind }) => kind)).toContain("directive-added");
  });

  it("D23: a search skips entries that are not about the contract, and respects its limit", async () => {
    const { journal } = testJournal();
    const { contracts } = testConduct({}, { governance: journal }).conduct;
    await contracts?.change({ kind: "add", type: "keep", text: "short notes" }, "me");
    await contracts?.change({ kind: "add", type: "stop", text: "long notes" }, "me");
    const others = Array.from({ length: 1_000 }, () => ({ at: 1, by: "me", kind: "test.made", body: "notes" }));
    for (const after of [2, 1_002]) await journal.append(after, others);
    const find = async (query: object) =>
      (await contracts?.events({ search: "notes", ...query }))?.map(({ seq }) => seq);
    expect(await find({})).toEqual([2, 1]);
    expect(await find({ limit: 1 })).toEqual([2]);
    expect(await find({ before: 2 })).toEqual([1]);
  });

  it("F06: a dry run shows the result of a change and writes nothing", async () => {
    const { journal, entries } = testJournal();
    const { contracts } = testConduct({}, { governance: journal }).conduct;
    const decision = await contracts?.change({ kind: "add", type: "keep", text: "short notes" }, "me", {
      dryRun: true,
    });
    expect(decision).toMatchObject({ kind: "accepted", outcome: "added" });
    expect(entries).toEqual([]);
  });
});
