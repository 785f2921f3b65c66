import { describe, expect, it } from "vitest";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { ContributorContext } from "../../../base/words/prompt.ts";
import type { NamedFile } from "./config-files.ts";
import { parseConfig } from "./parse-config.ts";

/** As seed 000 has it, to the letter. */
const SEED = `agents:
  defaults:
    promptContributors:
      - id: "security-guidelines"
        tags: [{ dimension: "domain", value: "security" }]
        priority: 50
        content: |
          ## Security Guidelines
          - Never commit secrets or credentials
          - Always validate user input
          - Use parameterized queries for database access
      - id: "frontend-patterns"
        tags: [{ dimension: "domain", value: "frontend" }]
        priority: 60
        content: |
          ## Frontend Patterns
          - Use React hooks, not class components
          - Follow the project's component structure
`;

function parse(text: string, texts: Readonly<Record<string, NamedFile>> = {}) {
  const parsed = parseConfig(text, "conduct.yaml", { texts: new Map(Object.entries(texts)) });
  if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults, null, 2));
  return parsed;
}

function told(text: string, texts: Readonly<Record<string, NamedFile>> = {}): readonly string[] {
  const parsed = parseConfig(text, "conduct.yaml", { texts: new Map(Object.entries(texts)) });
  const all =
    "faults" in parsed ? parsed.faults : parsed.warnings.map((one) => ({ ...one, message: `(${one.message})` }));
  return all.map(({ line, column, message, hint }) => `${line}:${column} ${message} -> ${hint ?? ""}`);
}

const agent = (body: string) => `agents:\n  a:\n    ${body}\n`;

/** What contributors from a file give needs no context. */
function given(one: Agent | undefined) {
  return one?.contributors.map(({ contribute, ...rest }) => ({ ...rest, ...contribute({} as ContributorContext) }));
}

describe("what an agent is told, in conduct.yaml", () => {
  it("TC-1 the example of seed 000 loads as written; with defaults alone there is one agent, main", () => {
    const { agents, warnings } = parse(SEED);
    expect(warnings).toEqual([]);
    expect(agents.map(({ name }) => name)).toEqual(["main"]);
    expect(given(agents[0])).toEqual([
      {
        id: "security-guidelines",
        tags: [{ dimension: "domain", value: "security" }],
        priority: 50,
        content:
          "## Security Guidelines\n- Never commit secrets or credentials\n- Always validate user input\n- Use parameterized queries for database access\n",
      },
      {
        id: "frontend-patterns",
        tags: [{ dimension: "domain", value: "frontend" }],
        priority: 60,
        content:
          "## Frontend Patterns\n- Use React hooks, not class components\n- Follow the project's component structure\n",
      },
    ]);
    expect(given(parse(`${SEED}  ada: {}\n`).agents[0])).toHaveLength(2);
  });

  it("TC-2 every prompt key can be read from conduct.yaml and from files", () => {
    const { agents, channels } = parse(
      `agents:
  ada:
    model: openrouter/anthropic/claude
    identity: { name: Ada, vibe: "dry, precise", description: a personal assistant }
    soul: ./soul.md
    memory: preload
    elevation: never
    checkpoints: { verify_context: Look again., review_plan: plan.md }
    sessionLabels: { enabled: true, model: local/rules, every: 5, wait: 1.5s }
    promptContributors:
      - { id: a, tags: [{ dimension: topic, value: Coding }, { dimension: channel, value: "*" }], priority: -1.5, zone: turn,
          heading: H, content: ../a.md, maxChars: 1_000, maxTokens: 200 }
    prompt:
      mode: minimal
      layout: priority
      budget: 8_000
      skills: [./skills/release, { name: n, description: d, path: p }]
      docs: [README.md, { path: docs/a.md, about: all of it }]
      messaging: Be short.
      voice: voice.md
      replyTags: [{ tag: final, means: the answer }]
channels:
  signal: { guidance: Two sentences., interactive: true }
  pager:
`,
      {
        "./soul.md": { file: "soul.md", text: "\uFEFFBe useful.\r\nBe kind.\r\n" },
        "plan.md": { file: "plan.md", text: "Read the plan." },
        "../a.md": { file: "../a.md", text: "A" },
        "voice.md": { file: "voice.md", text: "Calm." },
        "./skills/release/SKILL.md": {
          file: "skills/release/SKILL.md",
          path: "/w/skills/release/SKILL.md",
          text: "---\r\nname: release\r\ndescription: How to release.\r\n---\r\nDo it.\r\n",
        },
      },
    );
    const { contributors: _, ...ada } = agents[0] ?? {};
    expect(ada).toMatchObject({
      model: "openrouter/anthropic/claude",
      identity: { name: "Ada", vibe: "dry, precise", description: "a personal assistant" },
      soul: "Be useful.\nBe kind.",
      memory: "preload",
      elevation: "never",
      checkpoints: { verify_context: "Look again.", review_plan: "Read the plan." },
      sessionLabels: { enabled: true, model: "local/rules", every: 5, wait: 1_500 },
      prompt: {
        mode: "minimal",
        layout: "priority",
        budget: 8_000,
        skills: [
          { name: "release", description: "How to release.", path: "/w/skills/release/SKILL.md" },
          { name: "n", description: "d", path: "p" },
        ],
        docs: [{ path: "README.md" }, { path: "docs/a.md", about: "all of it" }],
        messaging: "Be short.",
        voice: "Calm.",
        replyTags: [{ tag: "final", means: "the answer" }],
      },
    });
    expect(given(agents[0])).toEqual([
      {
        id: "a",
        tags: [
          { dimension: "topic", value: "Coding" },
          { dimension: "channel", value: "*" },
        ],
        priority: -1.5,
        zone: "turn",
        heading: "H",
        content: "A",
        maxChars: 1_000,
        maxTokens: 200,
      },
    ]);
    expect(channels).toEqual({ signal: { guidance: "Two sentences.", interactive: true }, pager: {} });
  });

  it("TC-3 contributors are joined with the defaults, maps merged by key, and the agent's values override", () => {
    const [a, b] = parse(`agents:
  defaults:
    model: x/y
    soul: Soul.
    identity: { name: Ada, vibe: dry }
    sessionLabels: { enabled: true, model: local/rules }
    prompt: { mode: minimal, voice: Calm. }
    promptContributors: [{ id: one, content: 1st }]
  a:
    model: x/z
    identity: { name: Bob }
    sessionLabels: { enabled: false }
    prompt: { mode: full }
    promptContributors: [{ id: two, content: 2nd }]
  b:
`).agents;
    expect(given(a)?.map(({ id }) => id)).toEqual(["one", "two"]);
    expect(a).toMatchObject({
      model: "x/z",
      soul: "Soul.",
      identity: { name: "Bob", vibe: "dry" },
      sessionLabels: { enabled: false, model: "local/rules" },
      prompt: { mode: "full", voice: "Calm." },
    });
    expect(b).toMatchObject({ model: "x/y", identity: { name: "Ada", vibe: "dry" } });
    expect(given(b)?.map(({ id }) => id)).toEqual(["one"]);
  });

  it("TC-6 an id that the defaults already use is reported at the agent's entry", () => {
    const text = `${SEED}  ada:\n    promptContributors: [{ id: frontend-patterns, content: x }]\n`;
    expect(told(text)).toEqual([
      "20:32 two contributors have the id 'frontend-patterns' -> rename one of them; 'defaults' may define it too",
    ]);
  });

  it("TC-7 a declared channel is known, and * matches any channel", () => {
    const tags = "tags: [{ dimension: channel, value: Signal }, { dimension: topic, value: '*' }]";
    expect(told(`${agent(`promptContributors: [{ id: a, content: x, ${tags} }]`)}channels: { signal: }\n`)).toEqual([]);
  });

  it.each([
    ["a.md", true],
    ["./a", true],
    ["../a b.txt", true],
    ["/etc/motd", true],
    ["Follow AGENTS.md", false],
    ["./a.md\n", false],
    ["Be kind.", false],
    ["mdx", false],
  ])("TC-8 the text %j is read as a file name: %s", (soul, isFile) => {
    const text = JSON.stringify(soul);
    expect(told(agent(`soul: ${text}`)).length === 1).toBe(isFile);
  });
});
