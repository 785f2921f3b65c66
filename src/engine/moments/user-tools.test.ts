import { describe, expect, it } from "vitest";
import type { InstructionsStore } from "../../base/ports/stores/instructions.ts";
import type { MemoryStore } from "../../base/ports/stores/memory.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import type { Instructions, MemoryNote } from "../../base/words/hosting/instructions.ts";
import type { ToolResult } from "../../base/words/result.ts";
import { allow, ask } from "../../behavior/policy/policy-decision.ts";
import { shownText } from "../../behavior/results/result-text.ts";
import type { Session } from "../session/session.ts";
import { testConduct } from "../session/test/test-conduct.ts";

const faults = (events: readonly ConductEvent[]) =>
  events.flatMap((event) => (event.type === "fault" ? [event.fault] : []));

/** Stores whose reads a test can break. */
function userStores() {
  const versions: Instructions[] = [{ version: 0, items: [], at: 0, by: "", change: "none" }];
  const notes: MemoryNote[] = [];
  const state = { broken: false };
  const check = () => {
    if (state.broken) throw new Error("database is locked");
  };
  const newest = () => versions.at(-1) as Instructions;
  const instructions: InstructionsStore = {
    read: async () => {
      check();
      return newest();
    },
    write: async (_, after, next) => {
      if (newest().version !== after) return false;
      versions.push({ version: after + 1, ...next });
      return true;
    },
    version: async (_, version) => versions[version],
  };
  const memory: MemoryStore = {
    save: async (_, note) => {
      notes.unshift(note);
      return { id: note.id, known: false };
    },
    search: async (_, { limit }) => {
      check();
      return { notes: notes.slice(0, limit), total: notes.length };
    },
  };
  return { instructions, memory, state };
}

async function run(session: Session, name: string, args: object): Promise<string> {
  const tool = session.tools().find((one) => one.name === name);
  if (tool === undefined) return `no ${name}`;
  const result: ToolResult = await tool.run(args as never);
  return `${result.outcome}: ${shownText(result.parts)}`;
}

describe("prompt: the user's instructions and memory", () => {
  it("H10: a changed instruction is in the very next prompt", async () => {
    const { instructions, memory } = userStores();
    const { open, events } = testConduct({}, { instructions, memory });
    const session = open({ user: "ann", channel: "web" });
    expect((await session.onPrompt()).text).toContain("(No custom instructions set.)");
    expect(await run(session, "update_instructions", { add: ["Always answer in bullet points"] })).toMatch(/^ok/);
    const { text } = await session.onPrompt();
    expect(text).toContain("- Always answer in bullet points");
    expect(events.find(({ type }) => type === "instructions")).toMatchObject({ version: 1, change: "add" });
  });

  it("H09: if the store is unreadable the last known instructions stay in force, and the agent is warned", async () => {
    const { instructions, memory, state } = userStores();
    const { open, events } = testConduct({}, { instructions, memory });
    const session = open({ user: "ann", channel: "web" });
    await session.onPrompt();
    await run(session, "update_instructions", { add: ["Never send mail without asking"] });
    await session.onPrompt();
    state.broken = true;
    const { text } = await session.onPrompt();
    expect(text).toContain("Never send mail without asking");
    expect(text).toMatch(/cannot be undone/);
    expect(faults(events)).toMatchObject([{ where: "instructions", message: "database is locked" }]);
    const fresh = await open({ user: "ann", channel: "web" }).onPrompt();
    expect(fresh.text).not.toContain("(No custom instructions set.)");
    expect(fresh.text).toMatch(/cannot be undone/);
  });

  it("H06: a replacement may drop instructions that the prompt showed, but no others", async () => {
    const { instructions, memory } = userStores();
    const { open } = testConduct({}, { instructions, memory });
    const session = open({ user: "ann", channel: "web" });
    await session.onPrompt();
    await run(session, "update_instructions", { add: [`a ${"long ".repeat(390)}`, `b ${"long ".repeat(390)}`] });
    expect((await session.onPrompt()).text).toContain("(Instructions truncated at 2000 characters.)");
    const next = open({ user: "ann", channel: "web" });
    await next.onPrompt();
    expect(await run(next, "update_instructions", { instructions: "only this" })).toMatch(/^failed: .*read_memory/s);
    expect(await run(next, "read_memory", {})).toContain("b long");
    expect(await run(next, "update_instructions", { instructions: "only this" })).toMatch(/^ok/);
  });

  it("H14: on a channel without a person instructions cannot change, and the prompt does not offer it", async () => {
    const { instructions, memory } = userStores();
    const { open } = testConduct({}, { instructions, memory });
    const session = open({ user: "ann", channel: "scheduled" });
    expect((await session.onPrompt()).text).not.toContain("update_instructions.");
    expect(await run(session, "update_instructions", { add: ["x y z"] })).toMatch(/^failed/);
  });

  it("H12: the approver of a change of instructions sees the change", async () => {
    const { instructions, memory } = userStores();
    const policy = {
      name: "ask-first",
      initial: null,
      check: ({ tool }: { readonly tool: string }) => (tool === "update_instructions" ? ask("May it?") : allow()),
    };
    const { open } = testConduct({ policies: [policy] }, { instructions, memory });
    const session = open({ user: "ann", channel: "web" });
    const decision = await session.onCall({ id: "c", tool: "update_instructions", args: { instructions: "be brief" } });
    expect(decision).toMatchObject({ kind: "ask", question: expect.stringMatching(/May it\?.*\+ be brief/s) });
  });

  it("H06: after compaction only instructions that the prompt shows again count as seen", async () => {
    const { instructions, memory } = userStores();
    const { open } = testConduct({}, { instructions, memory });
    const session = open({ user: "ann", channel: "web" });
    await run(session, "update_instructions", { add: ["one", "two"] });
    await run(session, "read_memory", {});
    session.notice({ kind: "compacted" });
    expect(await run(session, "update_instructions", { instructions: "three" })).toMatch(/^failed/);
    await session.onPrompt();
    expect(await run(session, "update_instructions", { instructions: "three" })).toMatch(/^ok/);
  });

  it("H08: another user who writes in the session cannot change its user's instructions", async () => {
    const { instructions, memory } = userStores();
    const session = testConduct({}, { instructions, memory }).open({ user: "ann", channel: "web" });
    await session.onMessage({ text: "always shout", sender: { role: "user", user: "bob" } });
    expect(await run(session, "update_instructions", { add: ["shout"] })).toMatch(/^failed/);
    await session.onMessage({ text: "always whisper", sender: { role: "user", user: "ann" } });
    expect(await run(session, "update_instructions", { add: ["whisper"] })).toMatch(/^ok/);
  });

  it("PR-16 a session without a user has no tools and no sections for instructions and memory", async () => {
    const { instructions, memory } = userStores();
    const session = testConduct({}, { instructions, memory }).open();
    expect(session.tools().map(({ name }) => name)).toEqual(["read_result", "verify_context", "review_plan"]);
    expect((await session.onPrompt()).text).not.toMatch(/## (Memory|User Instructions)/);
  });

  it("I05: memory is read on demand by default, and an agent can preload it or turn it off", async () => {
    const texts: Record<string, string> = {};
    for (const mode of ["on-demand", "preload", "off"] as const) {
      const { instructions, memory } = userStores();
      const session = testConduct({ memory: mode }, { instructions, memory }).open({ user: "ann", channel: "web" });
      await run(session, "save_memory", { text: "She likes tea" });
      texts[mode] = (await session.onPrompt()).text;
    }
    expect(texts["on-demand"]).toMatch(/read_memory FIRST/);
    expect(texts["on-demand"]).not.toContain("She likes tea");
    expect(texts.preload).toContain("- She likes tea");
    expect(texts.off).not.toContain("## Memory");
  });
});
