import { describe, expect, it } from "vitest";
import type { InstructionsStore } from "../../base/ports/stores/instructions.ts";
import type { MemoryStore } from "../../base/ports/stores/memory.ts";
import type { SessionClassification } from "../../base/words/classification.ts";
import type { Sender } from "../../base/words/hosting/channel.ts";
import type { ConductPlugin } from "../../base/words/hosting/plugin.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { PromptContributor } from "../../base/words/prompt.ts";
import { shownText } from "../../behavior/results/result-text.ts";
import type { Session } from "./session.ts";
import { testConduct } from "./test/test-conduct.ts";

const VIEWER: Sender = { id: "v", role: "viewer" };
const OPERATOR: Sender = { id: "o", role: "operator" };
const never = () => new Promise<never>(() => {});

/** A store that gives whatever it is told to give. */
function instructionsOf(read: (agent: string) => unknown): InstructionsStore {
  return {
    read: async ({ agent }) => read(agent) as never,
    write: async () => true,
    version: async () => undefined,
  };
}

async function run(session: Session, tool: string, args: JsonObject) {
  const { outcome, parts } = (await session
    .tools()
    .find(({ name }) => name === tool)
    ?.run(args)) ?? {
    outcome: "none",
    parts: [],
  };
  return `${outcome}: ${shownText(parts)}`;
}

describe("prompt: what others give", () => {
  it.each([
    ["nothing", undefined],
    ["no items", { version: 1 }],
    ["items that are none", { version: 1, items: [null] }],
  ])("H09: an instructions store that returns %s counts as unreadable", async (_, given) => {
    const { open, events } = testConduct({}, { instructions: instructionsOf(() => given) });
    expect((await open({ user: "u" }).onPrompt()).text).toContain("could not be read now");
    expect(events.some((event) => event.type === "fault" && event.fault.where === "instructions")).toBe(true);
  });

  it("I03: a memory store that returns nothing counts as unreadable, not as empty", async () => {
    const memory = { search: async () => undefined, save: never } as unknown as MemoryStore;
    const { open } = testConduct({ memory: "preload" }, { memory });
    expect((await open({ user: "u" }).onPrompt()).text).toContain("That is not the same as empty");
  });

  it("H08: an agent never gets the cached instructions of another agent", async () => {
    let down = false;
    const store = instructionsOf((agent) => {
      if (down) throw new Error("down");
      return { version: 1, items: [{ id: "i1", text: `only for ${agent}` }] };
    });
    const session = testConduct({}, { instructions: store }).open({ user: "u" });
    expect((await session.onPrompt()).text).toContain("only for agent");
    down = true;
    expect((await session.onPrompt()).text).toContain("only for agent");
    session.useAgent("other");
    const { text } = await session.onPrompt();
    expect(text).not.toContain("only for");
    expect(text).toContain("could not be read now");
  });

  it("H08: an agent that takes over while the prompt is built gets its own instructions", async () => {
    const store = instructionsOf((agent) => ({ version: 1, items: [{ id: "i1", text: `only for ${agent}` }] }));
    const session = testConduct({}, { instructions: store }).open({ user: "u" });
    const prompt = session.onPrompt();
    session.useAgent("other");
    expect((await prompt).text).toContain("only for other");
  });

  it("H08: a user without a name has no instructions, neither in the prompt nor in the tools", async () => {
    const store = instructionsOf(() => ({ version: 1, items: [{ id: "i1", text: "of somebody" }] }));
    const session = testConduct({}, { instructions: store }).open({ user: " " });
    expect((await session.onPrompt()).text).not.toContain("of somebody");
    expect(session.tools().map(({ name }) => name)).not.toContain("update_instructions");
  });

  it.each([0, 3, -1, Number.NaN])("G19: a window of %s still produces a prompt", async (window) => {
    const session = testConduct().open({ window });
    session.notice({ kind: "started", window });
    expect((await session.onPrompt()).sections.map(({ contributor }) => contributor)).toContain("builtin:safety");
  });

  it("G19: without a tokenizer characters are counted, and this is reported once", async () => {
    const { open, events } = testConduct({}, { counter: () => Promise.reject(new Error("no tables")) });
    const session = open();
    expect((await session.onPrompt()).tokens).toBeGreaterThan(0);
    await session.onPrompt();
    expect(events.filter((event) => event.type === "fault" && event.fault.code === "counter")).toHaveLength(1);
  });

  it("G10: an invalid plugin is reported and breaks no prompt", async () => {
    const plugins = [null as unknown as ConductPlugin];
    const { open, conduct } = testConduct({}, { plugins });
    const said: string[] = [];
    conduct.subscribe((event) => event.type === "fault" && said.push(event.fault.where));
    await open().onPrompt();
    expect(said).toEqual(["plugin without a name"]);
  });

  it("G12: a plugin's later changes to its contributor have no effect, even in workspaces opened later", async () => {
    const given: { -readonly [key in keyof PromptContributor]: PromptContributor[key] } = {
      id: "mine",
      contribute: () => ({ content: "from the plugin" }),
    };
    const { open, conduct } = testConduct();
    const takeOut = conduct.registerPromptContributor(given);
    given.priority = Number.NaN;
    given.id = "builtin:soul";
    const elsewhere = { filesystem: { root: "/elsewhere", look: never } };
    const contributors = async () => (await open(elsewhere).onPrompt()).sections.map(({ contributor }) => contributor);
    expect(await contributors()).toContain("mine");
    takeOut();
    expect(await contributors()).not.toContain("mine");
  });

  it("G12: a contributor is called with its own `this`, and must answer yes or no", async () => {
    class Own implements PromptContributor {
      readonly id = "own";
      readonly text = "with its own text";
      contribute() {
        return { content: this.text };
      }
    }
    const { open } = testConduct({
      contributors: [
        new Own(),
        { id: "unsure", shouldContribute: () => undefined as never, contribute: () => ({ content: "x" }) },
      ],
    });
    const { text, trace } = await open().onPrompt();
    expect(text).toContain("with its own text");
    expect(trace.find(({ contributor }) => contributor === "unsure")?.reason).toBe("failed");
  });

  it("G12: old workspaces of an agent are evicted, and their prompt files are loaded again when needed", async () => {
    const workspacePrompts = {
      at: async (root: string) => [{ id: "w", contribute: () => ({ content: `of ${root}` }) }],
    };
    const { open } = testConduct({}, { workspacePrompts });
    const textAt = async (root: string) => (await open({ filesystem: { root, look: never } }).onPrompt()).text;
    for (let at = 0; at < 300; at++) expect(await textAt(`/w${at}`)).toContain(`of /w${at}`);
    expect(await textAt("/w0")).toContain("of /w0");
  });

  it("G12: the runtime's list of tools is not frozen or changed", async () => {
    const tools = ["shell"];
    await testConduct().open().onPrompt({ tools });
    expect(Object.isFrozen(tools)).toBe(false);
  });
});

describe("message: who said it, and when", () => {
  const store = () => instructionsOf(() => ({ version: 0, items: [] }));

  it("H14: a viewer cannot change instructions, even before the first message or after an operator's /modes", async () => {
    const { open } = testConduct({}, { instructions: store() });
    const session = open({ user: "u", sender: VIEWER });
    expect(await run(session, "update_instructions", { add: ["x"] })).toMatch(/^failed: Nothing was changed/);
    await session.onMessage({ text: "always x", sender: VIEWER });
    await session.onMessage({ text: "/modes", sender: OPERATOR });
    expect(await run(session, "update_instructions", { add: ["x"] })).toMatch(/^failed: Nothing was changed/);
    const resumed = testConduct({}, { instructions: store() }).open({ id: session.id, snapshot: session.serialise() });
    expect(await run(resumed, "update_instructions", { add: ["x"] })).toMatch(/^failed: Nothing was changed/);
    await session.onMessage({ text: "always x", sender: OPERATOR });
    expect(await run(session, "update_instructions", { add: ["x"] })).toMatch(/^ok/);
  });

  it("H09: no tool waits forever for a store", async () => {
    const hanging = { read: never, write: never, version: never, search: never, save: never };
    const { open } = testConduct({ limits: { gatherMs: 5 } }, { instructions: hanging, memory: hanging });
    const session = open({ user: "u" });
    expect(await run(session, "update_instructions", { add: ["x"] })).toContain("cannot be read right now");
    expect(await run(session, "read_memory", {})).toMatch(/^failed: .*They may still exist/);
  });

  it("H09: a store that throws at once, or returns nothing, is unreadable for the tools too", async () => {
    for (const read of [() => undefined, () => Promise.reject(new Error("down"))]) {
      const session = testConduct({}, { instructions: instructionsOf(read) }).open({ user: "u" });
      expect(await run(session, "read_memory", {})).toMatch(/^failed: .*They may still exist/);
    }
  });

  it("CL-18 a classification that arrives after a reset is ignored", async () => {
    let answer = (_: { text: string; usage: object }) => {};
    const asked = new Promise<{ text: string; usage: object }>((resolve) => {
      answer = resolve;
    });
    const { open, events } = testConduct(
      { sessionLabels: { enabled: true, model: "a/b" } },
      { models: { ask: () => asked } },
    );
    const session = open();
    await session.onMessage({ text: "a secret project" });
    session.reset();
    answer({ text: '{"label":"Secret","topic":"coding","complexity":"hard"}', usage: {} });
    await new Promise((resolve) => setTimeout(resolve));
    expect(session.view.label).toBeUndefined();
    expect(events.some(({ type }) => type === "classification")).toBe(false);
  });

  it.each([
    ["ended", { limits: {} }],
    ["has used up its budget", { limits: { cost: 1 } }],
  ])("CL-18 a session that %s makes no charged classification request", async (_, { limits }) => {
    let asked = 0;
    const ask = async () => {
      asked += 1;
      return { text: '{"topic":"coding","complexity":"hard"}', usage: { cost: 5 } };
    };
    const labels = { enabled: true, model: "a/b", every: 1 };
    const session = testConduct({ sessionLabels: labels, limits }, { models: { ask } }).open();
    await session.onMessage({ text: "first" });
    await session.classify();
    const before = asked;
    if (!("cost" in limits)) session.notice({ kind: "ended" });
    await session.onMessage({ text: "second" });
    expect(await session.classify()).toBeUndefined();
    expect(asked).toBe(before);
  });

  it("CL-19 a classification from the host is copied, and its lists may be missing", async () => {
    const given = { label: "x", topic: "coding", complexity: "hard" } as unknown as SessionClassification;
    const { open } = testConduct({ sessionLabels: { enabled: true, model: "local/rules", every: 1 } });
    const session = open({ classification: given });
    await session.onMessage({ text: "drop the production database" });
    await session.onPrompt();
    expect(Object.isFrozen(given)).toBe(false);
  });

  it("K10: a message without a text counts as empty", async () => {
    expect(
      (
        await testConduct()
          .open()
          .onMessage({ text: undefined as never })
      ).text,
    ).toBe("");
  });

  it("H08: a snapshot can only be resumed for the user it was made for", async () => {
    const session = testConduct().open({ id: "s", user: "alice" });
    const snapshot = session.serialise();
    expect(() => testConduct().open({ id: "s", user: "bob", snapshot })).toThrow("another user");
    expect(testConduct().open({ id: "s", user: "alice", snapshot }).view.user).toBe("alice");
    expect(testConduct().open({ id: "s", snapshot }).view.user).toBe("alice");
  });

  it("K17: a reset discards pending verbose texts", async () => {
    const session = testConduct().open({ modes: { verbose: true } });
    await session.onPrompt();
    session.reset();
    expect(session.takeDebug()).toBeUndefined();
  });

  describe("read_memory among parallel calls", () => {
    const items = Array.from({ length: 60 }, (_, at) => ({ id: `i${at}`, text: `rule ${at} ${"x".repeat(90)}` }));
    const call = (id: string, tool: string) => ({ id, tool, args: {}, step: "s1" });

    /** Reads before or after the other calls of the step have begun. */
    async function play(when: "before" | "after") {
      const { open } = testConduct({}, { instructions: instructionsOf(() => ({ version: 1, items })) });
      const session = open({ user: "u", window: 8_000 });
      const read = async () =>
        session
          .tools()
          .find(({ name }) => name === "read_memory")
          ?.run({});
      await session.onCall(call("a", "read_memory"));
      const early = when === "before" ? await read() : undefined;
      for (const id of ["b", "c", "d"]) await session.onCall(call(id, "shell"));
      const given = early ?? (await read()) ?? { outcome: "unknown", parts: [] };
      const { changed } = await session.onResult(call("a", "read_memory"), given);
      return { changed, told: await run(session, "update_instructions", { instructions: "rule 0" }) };
    }

    it("H06: read_memory shows no more than can be delivered, and only that counts as seen", async () => {
      const { changed, told } = await play("after");
      expect(changed).toBe(false);
      expect(told).toMatch(/overwrite [1-5]\d instructions that you have not seen/);
    });

    it("H06: if the result of read_memory is cut after all, nothing in it counts as seen", async () => {
      const { changed, told } = await play("before");
      expect(changed).toBe(true);
      expect(told).toContain("60 instructions that you have not seen");
    });
  });
});
