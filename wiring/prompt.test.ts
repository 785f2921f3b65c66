import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type Gateway, Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let model: ModelServer;
let gateway: Gateway;

const CONFIG = (url: string) => `
agents:
  clerk:
    model: own/scripted
    identity: { name: Clara, vibe: brisk, description: keeps the books }
    soul: You love ledgers.
    sections:
      - { heading: House rules, content: Round to cents. }
      - heading: Files
        content: Read first.
        tools: [read_file, write_file]
        policies: [{ name: look-first, readBeforeWrite: { readTools: [read_file], writeTools: [write_file] } }]
    tools:
      - { name: shell, description: Looks an account up, args: [command] }
      - { name: read_file, args: [path] }
      - { name: write_file, args: [path, content] }
    promptContributors:
      - { id: on-top, heading: On top, priority: 1, content: The first words. }
      - { id: from-file, heading: From a file, content: ./words.md, zone: session }
      - { id: for-web, heading: For the web, content: Of the web., tags: [{ dimension: channel, value: web }] }
      - { id: for-chat, heading: For Telegram, content: Of Telegram., tags: [{ dimension: channel, value: telegram }] }
      - { id: long-a, heading: Cut by characters, content: ./long.md, maxChars: 40 }
      - { id: long-b, heading: Cut by tokens, content: ./long.md, maxTokens: 10 }
    prompt:
      layout: priority
      skills: [{ name: audit, description: Audits the books, path: skills/audit.md }]
      docs: [{ path: docs/a.md, about: the accounts }]
      messaging: Write to people with send.
      voice: Speak slowly.
      replyTags: [{ tag: "[silent]", means: say nothing }]
  cached:
    model: own/scripted
    soul: You wait.
    memory: off
    promptContributors: [{ id: now, priority: 1, zone: turn, heading: Changing, content: It changes. }]
  small:
    model: own/scripted
    soul: You are small.
    prompt: { mode: minimal }
  narrow:
    model: own/scripted
    soul: You are narrow.
    prompt: { budget: 120, docs: [{ path: docs/a.md, about: the accounts }] }
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;

beforeAll(async () => {
  model = await machine.model(() => ({ text: "done" }));
  machine.write({
    ".conduct/conduct.yaml": CONFIG(model.openaiUrl),
    ".conduct/words.md": "Words of a file.",
    ".conduct/long.md": "many words ".repeat(100),
  });
  gateway = await machine.gateway();
});
afterAll(() => machine.close());

/** The system prompt of one message to an agent. */
async function promptOf(agent: string): Promise<string> {
  expect(await gateway.say(agent, "hello")).toMatchObject({ status: "complete", answer: "done" });
  return model.requests.at(-1)?.system ?? "";
}

const sectionOf = (prompt: string, heading: string) =>
  prompt.split(/^## /m).find((one) => one.startsWith(`${heading}\n`));

describe("what conduct.yaml puts into the request of the gateway's model", () => {
  wired(
    [
      "agents",
      "agents.*.identity",
      "agents.*.identity.name",
      "agents.*.identity.vibe",
      "agents.*.identity.description",
    ],
    "WIR-1 an agent's name, vibe and description are in its prompt",
    async () => {
      expect(sectionOf(await promptOf("clerk"), "Identity")).toMatch(/You are Clara — keeps the books\.\nBrisk\./);
    },
  );
  wired(
    ["agents.*.soul", "agents.*.sections"],
    "WIR-2 the soul and the sections of an agent are in its prompt, and of no other agent's",
    async () => {
      const prompt = await promptOf("clerk");
      expect(sectionOf(prompt, "Soul")).toContain("You love ledgers.");
      expect(sectionOf(prompt, "House rules")).toContain("Round to cents.");
      expect(await promptOf("small")).not.toMatch(/ledgers|Round to cents/);
    },
  );
  wired(
    ["agents.*.sections[].heading", "agents.*.sections[].content", "agents.*.sections[].tools"],
    "WIR-3 a section brings its text under its heading, and its tools",
    async () => {
      expect(sectionOf(await promptOf("clerk"), "Files")).toContain("Read first.");
      expect(model.requests.at(-1)?.toolNames).toEqual(expect.arrayContaining(["read_file", "write_file"]));
    },
  );
  wired(
    ["agents.*.promptContributors", "agents.*.promptContributors[].heading"],
    "WIR-4 a contributor's text stands under its heading, in the order of priorities",
    async () => {
      const prompt = await promptOf("clerk");
      expect(prompt.startsWith("## On top\n\nThe first words.")).toBe(true);
    },
  );
  wired(
    [
      "agents.*.promptContributors[].priority",
      "agents.*.promptContributors[].zone",
      "agents.*.prompt",
      "agents.*.prompt.layout",
    ],
    "WIR-5 the layout 'priority' keeps the order of priorities, and 'cache' puts what changes last",
    async () => {
      expect((await promptOf("clerk")).indexOf("On top")).toBeLessThan((await promptOf("clerk")).indexOf("Identity"));
      const cached = await promptOf("cached");
      expect(cached.indexOf("It changes.")).toBeGreaterThan(cached.indexOf("You wait."));
    },
  );
  wired(
    ["agents.*.promptContributors[].content"],
    "WIR-6 a contributor may name a file beside conduct.yaml, and say how often it changes",
    async () => {
      expect(sectionOf(await promptOf("clerk"), "From a file")).toContain("Words of a file.");
      expect(await promptOf("cached")).toContain("It changes.");
    },
  );
  wired(
    [
      "agents.*.promptContributors[].tags",
      "agents.*.promptContributors[].tags[].dimension",
      "agents.*.promptContributors[].tags[].value",
    ],
    "WIR-7 a contributor with tags is only in the sessions that have one of them",
    async () => {
      const prompt = await promptOf("clerk");
      expect(prompt).toContain("Of the web.");
      expect(prompt).not.toContain("Of Telegram.");
    },
  );
  wired(
    ["agents.*.promptContributors[].maxChars", "agents.*.promptContributors[].maxTokens"],
    "WIR-8 a contributor's text is cut at its limit of characters or tokens",
    async () => {
      const prompt = await promptOf("clerk");
      const long = (heading: string) => (sectionOf(prompt, heading)?.match(/many/g) ?? []).length;
      expect(long("Cut by characters")).toBeLessThan(5);
      expect(long("Cut by tokens")).toBeLessThan(8);
      expect(long("Cut by characters") * long("Cut by tokens")).toBeGreaterThan(0);
    },
  );
  wired(
    [
      "agents.*.prompt.skills",
      "agents.*.prompt.skills[].name",
      "agents.*.prompt.skills[].description",
      "agents.*.prompt.skills[].path",
      "agents.*.prompt.docs",
      "agents.*.prompt.docs[].path",
      "agents.*.prompt.docs[].about",
    ],
    "WIR-9 skills and documents are listed in the prompt",
    async () => {
      const prompt = await promptOf("clerk");
      expect(sectionOf(prompt, "Skills")).toMatch(/- audit: Audits the books \(.*skills\/audit\.md\)/);
      expect(sectionOf(prompt, "Docs")).toContain("docs/a.md: the accounts");
    },
  );
  wired(
    [
      "agents.*.prompt.messaging",
      "agents.*.prompt.voice",
      "agents.*.prompt.replyTags",
      "agents.*.prompt.replyTags[].tag",
      "agents.*.prompt.replyTags[].means",
    ],
    "WIR-10 the texts on messaging, voice and reply tags are in the prompt",
    async () => {
      const prompt = await promptOf("clerk");
      expect(sectionOf(prompt, "Messaging")).toContain("Write to people with send.");
      expect(sectionOf(prompt, "Voice")).toContain("Speak slowly.");
      expect(sectionOf(prompt, "Reply Tags")).toContain("- [silent]: say nothing");
    },
  );
  wired("agents.*.prompt.mode", "WIR-11 the mode 'minimal' leaves sections out", async () => {
    expect(sectionOf(await promptOf("clerk"), "Channel")).toBeDefined();
    const small = await promptOf("small");
    expect([sectionOf(small, "Channel"), sectionOf(small, "Soul")]).toEqual([undefined, expect.any(String)]);
  });
  wired("agents.*.prompt.budget", "WIR-12 a prompt over its budget drops what matters least", async () => {
    const narrow = await promptOf("narrow");
    expect(narrow).not.toContain("the accounts");
    expect(narrow.length).toBeLessThan((await promptOf("cached")).length);
  });
  wired(
    "agents.*.memory",
    "WIR-13 an agent whose memory is off has neither the section nor the tool to save",
    async () => {
      expect(sectionOf(await promptOf("cached"), "Memory")).toBeUndefined();
      expect(model.requests.at(-1)?.toolNames).not.toContain("save_memory");
      expect(sectionOf(await promptOf("clerk"), "Memory")).toBeDefined();
      expect(model.requests.at(-1)?.toolNames).toContain("save_memory");
    },
  );
  wired(
    ["agents.*.model", "models", "models.*.baseUrl", "models.*.api", "models.*.key"],
    "WIR-14 an agent's model is asked at its address, in its format, with the key of its variable",
    async () => {
      await promptOf("clerk");
      expect(model.requests.at(-1)).toMatchObject({ wire: "openai-chat", path: "/v1/chat/completions" });
      expect(model.requests.at(-1)?.headers.authorization).toBe("Bearer provider-key");
    },
  );
  wired(
    ["agents.*.tools", "agents.*.tools[].name", "agents.*.tools[].description", "agents.*.tools[].args"],
    "WIR-15 a declared tool reaches the model with its description and arguments",
    async () => {
      await promptOf("clerk");
      const [, tool] = /("name":"shell".*?"required":\["command"\])/s.exec(model.requests.at(-1)?.raw ?? "") ?? [];
      expect(tool).toContain("Looks an account up");
    },
  );
});
