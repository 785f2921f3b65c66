import { describe, expect, it } from "vitest";
import type { NamedFile } from "./config-files.ts";
import { parseConfig } from "./parse-config.ts";

/** Faults, or the warnings of a file that can be used in brackets, as `line:column message -> hint`. */
function told(text: string, texts: Readonly<Record<string, NamedFile>> = {}): readonly string[] {
  const parsed = parseConfig(text, "conduct.yaml", { texts: new Map(Object.entries(texts)) });
  const all =
    "faults" in parsed ? parsed.faults : parsed.warnings.map((one) => ({ ...one, message: `(${one.message})` }));
  return all.map(({ line, column, message, hint }) => `${line}:${column} ${message} -> ${hint ?? ""}`);
}

const agent = (body: string) => `agents:\n  a:\n    ${body}\n`;

describe("faults in what an agent is told", () => {
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
      "3:24 'skills[0]' must be a folder that contains SKILL.md, or a map with 'name', 'description' and 'path', not 3 -> ",
    ],
    ["prompt: { skills: [{ name: n, path: p }] }", "3:24 'description' is missing -> "],
    ["sessionLabels: { model: x/y }", "3:20 'sessionLabels' has no 'enabled' -> add enabled: true, or false"],
    [
      "sessionLabels: { enabled: true, model: haiku }",
      "3:44 'model' must be provider/model, such as anthropic/claude-sonnet-4-5, not \"haiku\" -> ",
    ],
    [
      "sessionLabels: { enabled: true }",
      "3:20 (sessions are not classified: 'sessionLabels' has no model) -> add a cheap model (model: provider/model) or model: local/rules",
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
      "3:82 (contributor 'a': sessions never get the domain 'front end') -> use one word of at most 32 letters a-z, digits and - _ . + #",
    ],
    [
      "promptContributors: [{ id: 'builtin:soul', content: x }]",
      "3:32 contributor 'builtin:soul': ids that start with builtin: are reserved -> give it another id",
    ],
    [
      "promptContributors: [{ id: a, content: x }, { id: a, content: y }]",
      "3:55 two contributors have the id 'a' -> rename one of them; 'defaults' may define it too",
    ],
    [
      "soul: ./none.md",
      "3:11 there is no none.md -> create it; to write text that looks like a path, use a block after '|'",
    ],
    ["soul: ./empty.md", "3:11 empty.md is empty -> add text to the file, or remove this key"],
    [
      "soul: other.md",
      "3:11 text files cannot be read here -> load the file with loadConfigFile; to write text that looks like a path, use a block after '|'",
    ],
    [
      "prompt: { skills: [./s] }",
      "3:24 s/SKILL.md does not give the skill's name and description -> start the file with front matter: ---, name: …, description: …, ---",
    ],
    [
      "prompt: { skills: [./t] }",
      "3:24 t/SKILL.md:2 this is not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ] -> fix that file",
    ],
  ])("TC-4 the fault in the agent's prompt setting %s is reported with its position", (body, fault) => {
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
    ["channels: { 'a b': {} }", "2:13 'a b' is not a valid channel name: remove spaces, '/' and '#' -> "],
    ["channels: { x: { guidence: y } }", "2:18 unknown key 'guidence' -> did you mean 'guidance'?"],
    ["channels: { telegram: { operators: [ann] } }", "2:37 'operators[0]' must be a number, not \"ann\" -> "],
    ["channels: { telegram: { strangers: yes } }", `2:36 'strangers' must be 'refuse' or 'welcome', not "yes" -> `],
    ["schedules: [{ agent: a, user: u, cron: '0 8 * * *' }]", "2:13 'say' is missing -> "],
    [
      "models: { own/one: { api: rest, baseUrl: 'http://127.0.0.1' } }",
      `2:27 'api' must be 'anthropic-messages' or 'openai-completions' or 'openai-responses', not "rest" -> `,
    ],
  ])("TC-5 the fault in the top-level setting %s is reported with its position", (line, fault) => {
    expect(told(`agents: { a: {} }\n${line}\n`)).toEqual([fault]);
  });
});
