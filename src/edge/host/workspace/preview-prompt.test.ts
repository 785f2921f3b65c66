import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { sha256 } from "../../../base/kernel/canonical-json.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { ContributorTag, PromptContributor } from "../../../base/words/prompt.ts";
import { lintPrompt } from "../../../behavior/prompt/lint/lint-prompt.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { demoAgent } from "../opening/demo-agent.ts";
import { trustStore } from "../trust/trust.ts";
import { openPreviews, type PreviewRequest, promptBudget } from "./preview-prompt.ts";
import { parseClassification } from "./preview-prompt-classification.ts";
import { probeAgent } from "./preview-prompt-probes.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "conduct-preview-")));
const workspace = join(base, "shop");
const home = join(base, "home");
const PROMPTS = join(workspace, ".agents/prompts");
mkdirSync(PROMPTS, { recursive: true });
writeFileSync(join(PROMPTS, "style.md"), "---\nid: style\n---\nBe short.\n");
writeFileSync(join(PROMPTS, "kept.md"), "---\nid: kept\ntags: [{ dimension: custom, value: vip }]\n---\nBe kind.\n");
writeFileSync(join(PROMPTS, "broken.md"), "---\nprioritee: 1\n---\nBe odd.\n");
await trustStore(home).trust([
  {
    path: join(PROMPTS, "kept.md"),
    sha256: sha256("---\nid: kept\ntags: [{ dimension: custom, value: vip }]\n---\nBe kind.\n"),
  },
]);
afterAll(() => rmSync(base, { recursive: true, force: true }));

const AT = Date.UTC(2026, 2, 6, 9, 5);

async function preview(agent: Agent, request: Partial<PreviewRequest> = {}) {
  const previews = openPreviews({ agents: [agent], workspace, home });
  try {
    return await previews.preview({ agent: agent.name, at: AT, runtime: "pi", ...request });
  } finally {
    previews.close();
  }
}

async function probe(agent: Agent, channels: readonly string[] = []) {
  const previews = openPreviews({ agents: [agent], workspace, home });
  try {
    return await probeAgent(previews, agent, channels);
  } finally {
    previews.close();
  }
}

function told(id: string, tags: readonly ContributorTag[], content: string): PromptContributor {
  return { id, tags, contribute: () => ({ content }) };
}

describe("a preview", () => {
  it("G18: a preview has the same bytes as the prompt of a session with the same request", async () => {
    const request = { user: "ann", channel: "telegram", zone: "Asia/Kolkata", think: true, custom: ["freeze", "vip"] };
    const [first, second] = [await preview(demoAgent(), request), await preview(demoAgent(), request)];
    expect(second).toEqual(first);
    expect(first.prompt.text).toContain("02:35 PM (Asia/Kolkata)");
    const included = first.prompt.sections.map(({ contributor }) => contributor);
    expect(included).toEqual(expect.arrayContaining(["builtin:reasoning", "freeze", "on-a-phone", "kept"]));
  });

  it("G18: a preview reports omitted contributors, including untrusted and broken files", async () => {
    const { trace, faults } = await preview(demoAgent());
    expect(trace.find(({ contributor }) => contributor === "security")?.reason).toBe("tag-miss");
    expect(faults.map(({ where, code }) => `${where} ${code}`).sort()).toEqual([
      ".agents/prompts/broken.md:2 prompt-broken",
      ".agents/prompts/style.md:1 prompt-untrusted",
    ]);
  });

  it.each([
    ["pi", "call read_memory FIRST"],
    ["claude", "call mcp__conduct__read_memory FIRST"],
    ["codex", "call mcp__conduct__read_memory FIRST"],
  ])("I06: on %s the memory section names the tool as that runtime does: %j", async (runtime, text) => {
    expect((await preview(demoAgent(), { runtime, user: "ann" })).prompt.text).toContain(text);
  });

  it.each([
    [{ limits: { window: 4_000 } }, 1_000],
    [{ prompt: { budget: 300 } }, 300],
  ])("G19: the preview's budget for %j is %i tokens, the same as in the engine", async (given, budget) => {
    const long = told("long", [], "word ".repeat(40_000));
    const agent = defineAgent({ name: "a", contributors: [{ ...long, priority: 200 }], ...given });
    expect(promptBudget(agent)).toBe(budget);
    const { trace, prompt } = await preview(agent);
    const detail = trace.find(({ contributor }) => contributor === "long")?.detail ?? "";
    // Left out with the budget in the reason, or cut so that the prompt just fits.
    if (prompt.cuts.length === 0) expect(detail).toContain(`the budget is ${budget}`);
    else expect(prompt.tokens).toBeGreaterThan(budget - 80);
    expect(prompt.tokens).toBeLessThanOrEqual(budget);
  });

  it("G18: a preview for an unknown agent fails with the names of the known ones", async () => {
    await expect(preview(demoAgent(), { agent: "dmo" })).rejects.toThrow("did you mean 'demo'?");
  });
});

describe("a classification as a person writes it", () => {
  it("G18: a written classification needs topic and complexity; the rest gets defaults", () => {
    expect(parseClassification('{"topic":"coding","complexity":"hard"}')).toEqual({
      label: "A coding session",
      topic: "coding",
      complexity: "hard",
      domain: [],
      flags: [],
    });
    expect(
      parseClassification('{"topic":"ops","complexity":"simple","domain":["K8s"],"flags":["production"]}'),
    ).toMatchObject({ domain: ["k8s"], flags: ["production"] });
  });

  it.each([
    ["", "not a JSON object"],
    ["[]", "not a JSON object"],
    ["coding", "not a JSON object"],
    ['{"complexity":"hard"}', '"topic" is missing'],
    ['{"topic":"codng","complexity":"hard"}', '"topic" is "codng"'],
    ['{"topic":"coding","complexity":"hard","domains":[]}', "did you mean 'domain'?"],
    ['{"topci":"coding","complexity":"hard"}', "did you mean 'topic'?"],
    ['{"topic":"coding","complexity":"hard","domain":"security"}', '"domain" must be a list'],
    ['{"topic":"coding","complexity":"hard","domain":["a","b","c","d"]}', "at most 3"],
    ['{"topic":"coding","complexity":"hard","flags":["two words"]}', "not a valid tag"],
    ['{"topic":"coding","complexity":"hard","flags":[1]}', "not a valid tag"],
    ['{"topic":"coding","complexity":"hard","label":1}', "must be a text"],
    [`{"topic":"coding","complexity":"hard","label":"${"x".repeat(80)}"}`, "at most 79"],
  ])("G18: the classification %s is rejected", (text, fault) => {
    expect(parseClassification(text)).toEqual({ fault: expect.stringContaining(fault) });
  });
});

describe("the probes of an agent", () => {
  it("G18: probes select every contributor once, whatever its tags", async () => {
    const tags = [
      "topic:coding",
      "topic:ops",
      "complexity:hard",
      "domain:a",
      "domain:*",
      "flag:b",
      "flag:*",
      "channel:web",
    ];
    const contributors = [...tags, "channel:fax", "custom:c", "custom:*", "topic:*"].map((text) => {
      const [dimension = "", value = ""] = text.split(":");
      return told(
        text.replace("*", "any"),
        [{ dimension: dimension as ContributorTag["dimension"], value }],
        `Of ${text}.`,
      );
    });
    const { input } = await probe(defineAgent({ name: "a", contributors }), ["fax"]);
    const seen = new Map(input.contributors.map((one) => [one.id, one]));
    for (const { id } of contributors) expect(seen.get(id), id).toMatchObject({ source: "config", reason: "included" });
    expect(seen.get("kept")).toMatchObject({ source: "workspace", reason: "included", text: "Be kind." });
  });

  it("I06: the prompt linter reports nothing about the built-in agent's own texts", async () => {
    const { input } = await probe(demoAgent());
    expect(lintPrompt(input).filter(({ level }) => level !== "hint")).toEqual([]);
    expect(input.contributors.find(({ id }) => id === "security")?.tokens).toBeGreaterThan(5);
  });

  it("G18: a file with a configured contributor's id is a clash, and a domain unknown to local/rules is reported", async () => {
    const contributors = [told("kept", [{ dimension: "domain", value: "quantum" }], "Hello there.")];
    const local = defineAgent({ name: "a", contributors, sessionLabels: { enabled: true, model: "local/rules" } });
    const { input } = await probe(local);
    expect(input.clashes).toEqual([{ id: "kept", kept: "config", held: "workspace" }]);
    expect(lintPrompt(input).map(({ rule }) => rule)).toEqual(["id-clash", "never-selected"]);
    const model = defineAgent({ name: "a", contributors, sessionLabels: { enabled: true, model: "x/y" } });
    expect(lintPrompt((await probe(model)).input).map(({ rule }) => rule)).toEqual(["id-clash"]);
  });
});
