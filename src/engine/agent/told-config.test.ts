import { describe, expect, it } from "vitest";
import type { Agent } from "../../base/words/agent.ts";
import type { ContributorContext } from "../../base/words/prompt.ts";
import { AgentError, defineAgent } from "./define-agent.ts";
import type { NamedFile } from "./named-file.ts";
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
  it("TC-1 seed 000's example loads as written; with defaults alone there is one agent, main", () => {
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

  it("TC-2 reads every key, also from files", () => {
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

  it("TC-3 defaults: contributors joined, maps key by key, the agent's own value where there is one", () => {
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

  it.each([
    ["model: sonnet", "3:12 'model' must be provider/model, such as anthropic/claude-sonnet-4-5, not \"sonnet\" -> "],
    ["identity: { nam: Ada }", "3:17 unknown key 'nam' -> did you mean 'name'?"],
    [
      "memory: preloaded",
      "3:13 'memory' must be 'on-demand' or 'preload' or 'off', not \"preloaded\" -> did you mean 'preload'?",
    ],
    ["elevation: always", "3:16 'elevation' must be 'never', not \"always\" -> "],
    ["checkpoints: { review_pln: x }", "3:20 unknown key 'review_pln' -> did you mean 'review_plan'?"],
    ["prompt: { budget: 0 }", "3:23 'budget' must be a whole number above 0, not 0 -> "],
    [
      "prompt: { skills: [3] }",
      "3:24 'skills[0]' must be a folder with SKILL.md in it, or a map with 'name', 'description' and 'path', not 3 -> ",
    ],
    ["prompt: { skills: [{ name: n, path: p }] }", "3:24 'description' is missing -> "],
    [
      "sessionLabels: { model: x/y }",
      "3:20 'sessionLabels' does not say whether sessions are classified -> add enabled: true, or false",
    ],
    [
      "sessionLabels: { enabled: true, model: haiku }",
      "3:44 'model' must be provider/model, such as anthropic/claude-sonnet-4-5, not \"haiku\" -> ",
    ],
    [
      "sessionLabels: { enabled: true }",
      "3:20 (sessions are not classified: 'sessionLabels' names no model) -> add a cheap one, model: provider/model, or model: local/rules",
    ],
    ["promptContributors: [{ content: x }]", "3:26 'id' is missing -> "],
    ["promptContributors: [{ id: a }]", "3:26 'content' is missing -> "],
    [
      "promptContributors: [{ id: a b, content: x }]",
      "3:32 'id' must be a name of at most 100 letters, digits and . _ : / -, without spaces, not \"a b\" -> ",
    ],
    [
      "promptContributors: [{ id: a, content: x, priority: high }]",
      "3:57 'priority' must be a number, not \"high\" -> ",
    ],
    [
      "promptContributors: [{ id: a, content: x, priority: .inf }]",
      "3:57 'priority' must be a number, not Infinity -> ",
    ],
    ["promptContributors: [{ id: a, content: x, tag: [] }]", "3:47 unknown key 'tag' -> did you mean 'tags'?"],
    [
      "promptContributors: [{ id: a, content: x, zone: trun }]",
      "3:53 'zone' must be 'static' or 'session' or 'turn', not \"trun\" -> did you mean 'turn'?",
    ],
    [
      "promptContributors: [{ id: a, content: x, tags: [{ dimension: topics, value: x }] }]",
      "3:67 'dimension' must be 'topic' or 'complexity' or 'domain' or 'flag' or 'channel' or 'custom', not \"topics\" -> did you mean 'topic'?",
    ],
    [
      "promptContributors: [{ id: a, content: x, tags: [{ dimension: topic, value: codng }] }]",
      "3:81 contributor 'a': 'codng' is no topic -> did you mean 'coding'?",
    ],
    [
      "promptContributors: [{ id: a, content: x, tags: [{ dimension: complexity, value: enormous }] }]",
      "3:86 contributor 'a': 'enormous' is no complexity -> known: trivial, simple, moderate, hard, complex",
    ],
    [
      "promptContributors: [{ id: a, content: x, tags: [{ dimension: channel, value: telegramm }] }]",
      "3:83 (contributor 'a': no channel 'telegramm' is known) -> did you mean 'telegram'? Otherwise declare it under channels",
    ],
    [
      "promptContributors: [{ id: a, content: x, tags: [{ dimension: domain, value: front end }] }]",
      "3:82 (contributor 'a': no session is ever classified with the domain 'front end') -> write one word of at most 32 letters a-z, digits and - _ . + #",
    ],
    [
      "promptContributors: [{ id: 'builtin:soul', content: x }]",
      "3:32 contributor 'builtin:soul': ids under builtin: are taken -> give it another id",
    ],
    [
      "promptContributors: [{ id: a, content: x }, { id: a, content: y }]",
      "3:55 two contributors have the id 'a' -> give one of them another id; the defaults may have it already",
    ],
    [
      "soul: ./none.md",
      "3:11 there is no none.md -> create it; a text that looks like a path is written as a block, after '|'",
    ],
    ["soul: ./empty.md", "3:11 empty.md is empty -> write the text there, or remove this"],
    [
      "soul: other.md",
      "3:11 files of texts are not read here -> load the file with loadConfigFile; a text that looks like a path is written as a block, after '|'",
    ],
    [
      "prompt: { skills: [./s] }",
      "3:24 s/SKILL.md does not say the skill's name and description -> begin it with front matter: ---, name: …, description: …, ---",
    ],
    [
      "prompt: { skills: [./t] }",
      "3:24 t/SKILL.md:2 this is not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ] -> correct it there",
    ],
  ])("TC-4 %s is told with its place", (body, fault) => {
    const files = {
      "./none.md": { message: "there is no none.md", hint: "create it" },
      "./empty.md": { file: "empty.md", text: " \n" },
      "./s/SKILL.md": { file: "s/SKILL.md", text: "# A skill\n" },
      "./t/SKILL.md": { file: "t/SKILL.md", text: "---\nname: [\n---\n" },
    };
    expect(told(agent(body), files)).toEqual([fault]);
  });

  it.each([
    ["channels: []", "2:11 'channels' must be a map from names to channels, not a list -> "],
    ["channels: { 'a b': {} }", "2:13 'a b' is no name for a channel: leave out spaces, '/' and '#' -> "],
    ["channels: { x: { guidence: y } }", "2:18 unknown key 'guidence' -> did you mean 'guidance'?"],
    [
      "channels: { telegram: { operators: [1] } }",
      "2:25 'operators' is not supported yet -> it comes with a later version; remove it for now",
    ],
  ])("TC-5 %s is told with its place", (line, fault) => {
    expect(told(`agents: { a: {} }\n${line}\n`)).toEqual([fault]);
  });

  it("TC-6 an id that the defaults have already is told at the agent's own", () => {
    const text = `${SEED}  ada:\n    promptContributors: [{ id: frontend-patterns, content: x }]\n`;
    expect(told(text)).toEqual([
      "20:32 two contributors have the id 'frontend-patterns' -> give one of them another id; the defaults may have it already",
    ]);
  });

  it("TC-7 a declared channel is known, and * is any", () => {
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
  ])("TC-8 the text %j is the name of a file: %s", (soul, isFile) => {
    const text = JSON.stringify(soul);
    expect(told(agent(`soul: ${text}`)).length === 1).toBe(isFile);
  });
});

describe("what an agent is told, from code", () => {
  const contribute = () => undefined;
  const faultsOf = (input: object): readonly string[] => {
    try {
      defineAgent({ name: "a", ...input });
      return [];
    } catch (error) {
      if (error instanceof AgentError) return error.faults;
      throw error;
    }
  };

  it.each([
    [
      {
        contributors: [{ id: "x", tags: [{ dimension: "domain", value: "y" }], priority: 1, contribute }],
        model: "a/b",
      },
      [],
    ],
    [
      { contributors: [{ id: "", contribute }] },
      ['a contributor needs an id, and "" is none; at most 100 letters, digits and . _ : / -, without spaces'],
    ],
    [
      { contributors: [{ id: "builtin:x", contribute }] },
      ["contributor 'builtin:x': ids under builtin: are taken; give it another id"],
    ],
    [
      {
        contributors: [
          { id: "x", contribute },
          { id: "x", contribute },
        ],
      },
      ["two contributors have the id 'x'; give one of them another id; the defaults may have it already"],
    ],
    [{ contributors: [{ id: "x", priority: Number.NaN, contribute }] }, ["contributor 'x': priority is no number"]],
    [
      { contributors: [{ id: "x", zone: "late", contribute }] },
      ["contributor 'x': zone is one of static, session, turn"],
    ],
    [{ contributors: [{ id: "x" }] }, ["contributor 'x': it has no function 'contribute'"]],
    [
      { contributors: [{ id: "x", tags: [{ dimension: "topc", value: "y" }], contribute }] },
      ["contributor 'x': 'topc' is no dimension; did you mean 'topic'?"],
    ],
    [
      { contributors: [{ id: "x", tags: [{ dimension: "domain", value: " " }], contribute }] },
      ["contributor 'x': a tag of 'domain' has no value; give it one, or * for any"],
    ],
    [{ model: "sonnet" }, ["model must be provider/model, such as anthropic/claude-sonnet-4-5, not 'sonnet'"]],
    [
      { sessionLabels: { enabled: true, model: "haiku", every: 0 } },
      [
        "sessionLabels.model must be provider/model, such as anthropic/claude-sonnet-4-5, not 'haiku'",
        "sessionLabels.every must be a number of turns above 0, and is 0",
      ],
    ],
    [
      { prompt: { budget: -1, mode: "all" } },
      [
        "prompt.budget must be a number of tokens above 0, and is -1",
        "prompt.mode must be one of full, minimal, none, not 'all'",
      ],
    ],
  ])("TC-9 %j", (input, faults) => {
    expect(faultsOf(input)).toEqual(faults);
  });
});
