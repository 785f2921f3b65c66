import { describe, expect, it } from "vitest";
import type { SessionClassification } from "../../base/words/classification.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import type { ContributorTag, PromptContributor } from "../../base/words/prompt.ts";
import { SequentialDependencyPolicy } from "../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { testConduct } from "../session/test/test-conduct.ts";

const says = (id: string, content: string, more: Partial<PromptContributor> = {}): PromptContributor => ({
  id,
  contribute: () => ({ content }),
  ...more,
});
const tagged = (...tags: readonly string[]): readonly ContributorTag[] =>
  tags.map((tag) => {
    const [dimension = "", value = ""] = tag.split(":");
    return { dimension: dimension as ContributorTag["dimension"], value };
  });
const subject: SessionClassification = {
  label: "Login",
  topic: "coding",
  complexity: "hard",
  domain: ["security"],
  flags: ["production"],
};
const faults = (events: readonly ConductEvent[]) =>
  events.flatMap((event) => (event.type === "fault" ? [event.fault] : []));

describe("prompt: sources and dimensions", () => {
  it.each([
    ["topic:coding", "topic:ops"],
    ["complexity:hard", "complexity:simple"],
    ["domain:Security", "domain:frontend"],
    ["flag:production", "flag:multi-file"],
    ["channel:telegram", "channel:web"],
    ["custom:beta", "custom:alpha"],
  ])("PR-1 in a matching session the tag %s selects a contributor, and %s does not", async (fits, other) => {
    const { open } = testConduct({
      contributors: [
        says("fits", "THIS ONE", { tags: tagged(fits) }),
        says("other", "NOT THAT", { tags: tagged(other) }),
      ],
    });
    const { text } = await open({ channel: "telegram", custom: ["beta"], classification: subject }).onPrompt();
    expect(text).toContain("THIS ONE");
    expect(text).not.toContain("NOT THAT");
  });

  it("PR-2 an unclassified session gets no contributor that needs a class", async () => {
    const { open } = testConduct({
      contributors: [
        says("t", "TOPIC", { tags: tagged("topic:*") }),
        says("c", "CHANNEL", { tags: tagged("channel:*") }),
      ],
    });
    const { text } = await open().onPrompt();
    expect(text).not.toContain("TOPIC");
    expect(text).toContain("CHANNEL");
  });

  it("PR-3 a plugin's contributor is in the next prompt of the agents it names, until it is unregistered", async () => {
    const { open, conduct } = testConduct();
    const takeOut = conduct.registerPromptContributor(says("p", "FROM A PLUGIN"), { agents: ["agent"] });
    const [session, other] = [open(), open({ agent: "other" })];
    expect((await session.onPrompt()).text).toContain("FROM A PLUGIN");
    expect((await other.onPrompt()).text).not.toContain("FROM A PLUGIN");
    takeOut();
    takeOut();
    expect((await session.onPrompt()).text).not.toContain("FROM A PLUGIN");
  });

  it("PR-4 the first prompt waits for every plugin; a failing plugin is reported and loses only its own text", async () => {
    const slow = {
      name: "slow",
      setup: async (api: { registerPromptContributor(one: PromptContributor): unknown }) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        api.registerPromptContributor(says("slow", "CAME LATE"));
      },
    };
    const broken = {
      name: "broken",
      setup: () => {
        throw new Error("no licence");
      },
    };
    const { open, events } = testConduct({}, { plugins: [slow, broken] });
    expect((await open().onPrompt()).text).toContain("CAME LATE");
    expect(faults(events)).toMatchObject([{ where: "plugin broken", message: "no licence" }]);
  });

  it("PR-5 an invalid contributor is rejected for all agents at once", async () => {
    const { open, conduct } = testConduct();
    expect(() => conduct.registerPromptContributor(says("builtin:soul", "MINE"))).toThrow("builtin:");
    expect(() => conduct.registerPromptContributor(says("x", "X"), { agents: ["agent", "nobody"] })).toThrow("nobody");
    expect((await open().onPrompt()).text).not.toContain("X\n");
  });

  it("PR-6 a workspace's prompt files are read for every prompt, and only for sessions in that workspace", async () => {
    let files: readonly PromptContributor[] = [says("workspace:a", "FROM A FILE")];
    const workspacePrompts = { at: async (root: string) => (root === "/w" ? files : []) };
    const { open } = testConduct({}, { workspacePrompts });
    const session = open();
    const elsewhere = open({
      filesystem: { root: "/v", look: async () => ({ resolved: "", inside: true, exists: false }) },
    });
    expect((await session.onPrompt()).text).toContain("FROM A FILE");
    expect((await elsewhere.onPrompt()).text).not.toContain("FROM A FILE");
    files = [says("workspace:a", "CHANGED")];
    const { text } = await session.onPrompt();
    expect(text).toContain("CHANGED");
    expect(text).not.toContain("FROM A FILE");
    files = [];
    expect((await session.onPrompt()).text).not.toContain("CHANGED");
  });

  it("PR-7 if a workspace is unreadable its last known prompts stay in use, and a fault is reported", async () => {
    let fail = false;
    const workspacePrompts = {
      at: async () => {
        if (fail) throw new Error("disk gone");
        return [file];
      },
    };
    const file = says("workspace:a", "FROM A FILE");
    const { open, events } = testConduct({}, { workspacePrompts });
    const session = open();
    await session.onPrompt();
    fail = true;
    expect((await session.onPrompt()).text).toContain("FROM A FILE");
    expect(faults(events)).toMatchObject([{ code: "gather-error", message: "disk gone" }]);
  });

  it("PR-8 the stronger source wins an id: config before plugin before workspace", async () => {
    const workspacePrompts = { at: async () => [says("x", "WORKSPACE")] };
    const { open, conduct } = testConduct({ contributors: [says("x", "CONFIG")] }, { workspacePrompts });
    conduct.registerPromptContributor(says("x", "PLUGIN"));
    const { text } = await open().onPrompt();
    expect(text).toContain("CONFIG");
    expect(text).not.toMatch(/PLUGIN|WORKSPACE/);
  });

  it("PR-9 a failing contributor loses only its own section, and is reported once", async () => {
    const bad = says("bad", "", {
      contribute: () => {
        throw new Error("boom");
      },
    });
    const { open, events } = testConduct({ soul: "Be kind.", contributors: [bad] });
    const session = open();
    await session.onPrompt();
    expect((await session.onPrompt()).text).toContain("Be kind.");
    expect(faults(events)).toMatchObject([{ code: "contributor-failed", message: expect.stringContaining("boom") }]);
  });

  it("PR-10 explain gives the reason why each contributor is included or not", async () => {
    const { open } = testConduct({ contributors: [says("miss", "M", { tags: tagged("topic:ops") })] });
    const trace = await open().explainPrompt();
    expect(trace).toContainEqual(expect.objectContaining({ contributor: "miss", reason: "tag-miss" }));
    expect(trace).toContainEqual(expect.objectContaining({ contributor: "builtin:soul", reason: "included" }));
  });
});

describe("prompt: what stays and what changes", () => {
  it("G13: a changed time or mode does not change the prompt before the cache boundary", async () => {
    const { open, pass } = testConduct({ soul: "Be kind." });
    const session = open({ zone: "Asia/Kolkata" });
    const first = await session.onPrompt();
    pass(61_000);
    await session.onMessage({ text: "/think harder" });
    const second = await session.onPrompt();
    expect(second.prefixHash).toBe(first.prefixHash);
    expect(second.hash).not.toBe(first.hash);
    expect(first.text).toContain("(Asia/Kolkata)");
    expect(second.text).toContain("step-by-step");
    expect(first.text).not.toContain("step-by-step");
  });

  it("G09: an unknown time zone is replaced by UTC, and the fault is reported once", async () => {
    const { open, events } = testConduct();
    const session = open({ zone: "Mars/Olympus" });
    await session.onPrompt();
    expect((await session.onPrompt()).text).toContain("(UTC)");
    expect(faults(events)).toMatchObject([{ code: "zone", message: expect.stringContaining("Mars/Olympus") }]);
  });

  it("PR-11 a label must come twice in a row to change the prompt, so a brief change does not break the cache", async () => {
    const { open } = testConduct({
      sessionLabels: { enabled: true, model: "local/rules", every: 1 },
      contributors: [
        says("poet", "POET", { tags: tagged("topic:creative") }),
        says("fixer", "FIXER", { tags: tagged("topic:debugging") }),
      ],
    });
    const session = open();
    const poem = "Write a poem about the sea, a haiku with a rhyme";
    const bug = "Debug this: TypeError: x is undefined at a.ts:3, the test crashes with a stack trace";
    const prefixes: string[] = [];
    const texts: string[] = [];
    for (const text of [poem, bug, bug, bug, bug]) {
      await session.onMessage({ text });
      const prompt = await session.onPrompt();
      prefixes.push(prompt.prefixHash);
      texts.push(prompt.text);
    }
    expect(prefixes[1]).toBe(prefixes[0]);
    expect(texts[0]).toContain("POET");
    expect(texts.at(-1)).toContain("FIXER");
    expect(texts.at(-1)).not.toContain("POET");
    expect(new Set(prefixes).size).toBe(2);
  });

  it("PR-12 a subagent gets the minimal prompt, and a request can ask for another mode", async () => {
    const { open } = testConduct({ soul: "Be kind.", sections: [{ heading: "Role", content: "You mend." }] });
    const child = open().child();
    const minimal = await child.onPrompt();
    expect(minimal.text).toContain("Be kind.");
    expect(minimal.text).toContain("You mend.");
    expect(minimal.text).not.toContain("## Channel");
    expect((await child.onPrompt({ mode: "full" })).text).toContain("## Channel");
  });

  it("PR-13 the prompt lists only tools that the model sees, under the names it sees", async () => {
    const { open } = testConduct();
    const { text } = await open().onPrompt({
      tools: ["Read", "mcp__conduct__verify_context"],
      toolName: (tool) => `mcp__conduct__${tool}`,
    });
    expect(text).toContain("Available tools: Read, mcp__conduct__verify_context");
    expect(text).toContain("- mcp__conduct__verify_context:");
    expect(text).not.toContain("review_plan");
  });

  it("PR-13 prerequisites use the tool names that the model sees", async () => {
    const policy = new SequentialDependencyPolicy({ dependencies: { shell: ["read_file"], edit_file: ["read_file"] } });
    const { open } = testConduct({ policies: [policy] });
    const names: Readonly<Record<string, string>> = { shell: "Bash", read_file: "Read", edit_file: "Edit" };
    const { text } = await open().onPrompt({ tools: ["Bash"], toolName: (tool) => names[tool] ?? tool });
    expect(text).toContain("- Bash: only after Read\n- Edit: only after Read");
    expect((await open().onPrompt()).text).toContain("Among your tools: ");
  });

  it("PR-14 the prompt event has every section's contributor, tokens and hash, and what was cut", async () => {
    const { open, events } = testConduct({
      contributors: [{ id: "long", contribute: () => ({ content: "word ".repeat(200), maxChars: 100 }) }],
    });
    const prompt = await open().onPrompt();
    expect(events.at(-1)).toMatchObject({
      type: "prompt",
      hash: prompt.hash,
      tokens: prompt.tokens,
      sections: prompt.sections.map(({ contributor, tokens, hash }) => ({ contributor, tokens, hash })),
      cuts: [{ contributor: "long", limit: "maxChars" }],
    });
  });

  it("PR-15 the prompt uses at most a quarter of the window, unless the agent overrides it", async () => {
    const filler = says("filler", "word ".repeat(4_000));
    const small = testConduct({ contributors: [filler], limits: { window: 4_000 } });
    expect((await small.open().onPrompt()).tokens).toBeLessThanOrEqual(1_000);
    const told = testConduct({ contributors: [filler], limits: { window: 4_000 }, prompt: { budget: 100_000 } });
    expect((await told.open().onPrompt()).tokens).toBeGreaterThan(4_000);
  });
});
