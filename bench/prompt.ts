import type { SessionClassification } from "../src/base/words/classification.ts";
import type { ContributorContext, PromptContributor } from "../src/base/words/prompt.ts";
import { buildAgentPrompt } from "../src/behavior/prompt/build-agent-prompt.ts";
import { channelProfile } from "../src/behavior/prompt/channel-profiles.ts";
import { PromptContributorRegistry } from "../src/behavior/prompt/contributor-registry.ts";
import { SectionMeasures } from "../src/behavior/prompt/section-measures.ts";
import { loadTokenizer } from "../src/behavior/results/token-counter.ts";
import { stableShares } from "./prompt-turns.ts";
import { type Benchmark, main, type Report } from "./report.ts";

export const prompt: Benchmark = {
  name: "prompt",
  about: [
    "What it costs to make a prompt: selection alone, and the whole assembly (20 sections of about 60 tokens, token counts warm), with",
    "20, 1,000 and 10,000 contributors registered of which 20 match. The reference is the registry of 20 in the same batch.",
    "Then a session of 50 turns, minutes apart, whose subject changes and wobbles: the share of the prompt's tokens that is not byte-equal",
    "to the prompt of the turn before, from the first byte on, as a provider's prompt cache sees it.",
  ],
  run,
};

const MATCHING = 20;

const SUBJECT: SessionClassification = {
  label: "Mend the login",
  topic: "coding",
  complexity: "hard",
  domain: ["security", "backend"],
  flags: ["production"],
};

async function run(report: Report): Promise<void> {
  const counter = await loadTokenizer();
  const sizes = [20, 1_000, 10_000];
  const few = registryOf(MATCHING);
  const selection = await report.group(
    "selection",
    { ours: "conduct", reference: "20 registered" },
    sizes.map((size) => {
      const registry = registryOf(size);
      return {
        name: `${size.toLocaleString("en-US")} registered, ${MATCHING} match`,
        ours: () => registry.select(CONTEXT),
        reference: () => few.select(CONTEXT),
        perBatch: 2_000,
      };
    }),
  );
  report.budget(
    "issue 4: selection from 10,000 contributors of which 20 match, against a registry of 20",
    3,
    selection[2]?.ratio.median ?? Number.NaN,
    "ratio",
  );
  const measures = new SectionMeasures();
  const assembly = await report.group(
    "assembly",
    { ours: "conduct", reference: "20 registered" },
    sizes.map((size) => {
      const registry = registryOf(size);
      const make = (of: PromptContributorRegistry) => () => buildAgentPrompt(of, CONTEXT, { counter, measures });
      return {
        name: `${size.toLocaleString("en-US")} registered, ${MATCHING} match`,
        ours: make(registry),
        reference: make(few),
        perBatch: 500,
        each: true,
      };
    }),
  );
  report.budget(
    "design.md: prompt from 1,000 contributors of which 20 match, token counts warm, p99",
    300,
    assembly[1]?.ours.p99 ?? Number.NaN,
    "time",
  );
  const { ours, byPriority, tokens, wobbles, changes } = await stableShares(50);
  report.figures("50 turns", [
    { name: "tokens of the prompt, mean", value: tokens, unit: "count" },
    { name: "times the class given was another", value: wobbles, unit: "count" },
    { name: "times the class held was another", value: changes, unit: "count" },
    { name: "share that changes from turn to turn", value: ours, unit: "ratio" },
    { name: "the same with layout: priority", value: byPriority, unit: "ratio" },
  ]);
  report.budget("issue 4: share of prompt tokens that changes from turn to turn over 50 turns", 0.05, ours, "ratio");
}

/** The first `MATCHING` match this session, by all six dimensions or by none; the others do not match. */
function registryOf(size: number): PromptContributorRegistry {
  const registry = new PromptContributorRegistry();
  const fitting: readonly PromptContributor["tags"][] = [
    undefined,
    [{ dimension: "topic", value: "coding" }],
    [{ dimension: "complexity", value: "hard" }],
    [{ dimension: "domain", value: "security" }],
    [{ dimension: "flag", value: "production" }],
    [{ dimension: "channel", value: "web" }],
    [{ dimension: "custom", value: "beta" }],
  ];
  for (let at = 0; at < size; at++) {
    const tags = at < MATCHING ? fitting[at % fitting.length] : [{ dimension: "domain" as const, value: `d${at}` }];
    const content = `Section ${at}. ${"Say what you did, what you saw and what is left to do. ".repeat(4)}`;
    registry.register(
      {
        id: `c-${at}`,
        priority: at % 90,
        tags,
        contribute: () => ({ heading: `Part ${at}`, content }),
      },
      "config",
    );
  }
  return registry;
}

const CONTEXT: ContributorContext = {
  agentId: "bench",
  classification: SUBJECT,
  availableTools: [],
  toolsKnown: "all",
  channel: "web",
  channelProfile: channelProfile("web"),
  promptMode: "full",
  runtime: "pi",
  workspaceDir: "/w",
  time: { at: 0, zone: "UTC" },
  modes: { think: false, verbose: false, elevated: false },
  custom: ["beta"],
  toolName: (tool) => tool,
};

await main(prompt);
