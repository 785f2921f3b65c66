import type { SessionComplexity, SessionTopic } from "../../../base/words/classification.ts";
import type { Fault } from "../../../base/words/event.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { ContributorSource, ContributorTag, PromptContributor, TagDimension } from "../../../base/words/prompt.ts";
import { COMPLEXITIES, TOPICS } from "../../../behavior/classification/classification.ts";
import { LOCAL_DOMAINS, LOCAL_FLAGS } from "../../../behavior/classification/classify-locally.ts";
import { RulesPolicy } from "../../../behavior/policy/rules/rules-policy.ts";
import { agentSections } from "../../../behavior/prompt/builtin/builtin-contributors.ts";
import type { LintedContributor, LintInput } from "../../../behavior/prompt/lint/lint-prompt.ts";
import { CHANNELS } from "../../../engine/agent/config/contributor-problems.ts";
import { VOCABULARY } from "../../../engine/tools/conduct-tool.ts";
import type { Preview, PreviewRequest, PromptPreviews } from "./preview-prompt.ts";

/** Runtimes' own names of tools that Conduct names differently. */
const NATIVE =
  "Agent Bash Edit Glob Grep LS Monitor MultiEdit NotebookEdit Read Task TodoWrite WebFetch WebSearch Write apply_patch bash edit exec_command find grep ls read spawn_agent update_plan view_image write write_stdin".split(
    " ",
  );

/** An agent's texts in sessions of every kind, with the faults found. */
export type Probed = { readonly input: LintInput; readonly faults: readonly Fault[] };

/** Builds enough prompts to select each contributor once. */
export async function probeAgent(
  previews: PromptPreviews,
  agent: Agent,
  declaredChannels: readonly string[],
): Promise<Probed> {
  const files = await previews.files();
  const sources = new Map<PromptContributor, ContributorSource>([
    ...agentSections(agent).map((one) => [one, "agent"] as const),
    ...agent.contributors.map((one) => [one, "config"] as const),
    ...files.map((one) => [one, "workspace"] as const),
  ]);
  const own = [...sources.keys()];
  const base: PreviewRequest = { agent: agent.name, at: 0, runtime: "pi", user: "someone", mode: "full" };
  const plain = await previews.preview(base);
  const probes: Preview[] = [plain];
  for (const request of requestsFor(
    base,
    own.flatMap(({ tags = [] }) => tags),
  ))
    probes.push(await previews.preview(request));
  const labels = agent.sessionLabels;
  const local = labels?.model === "local/rules";
  return {
    input: {
      contributors: contributorsOf(probes, sources),
      cuts: probes
        .flatMap(({ prompt }, at) => prompt.cuts.filter(({ limit }) => at === 0 || limit !== "budget"))
        .filter(once),
      clashes: clashesOf(sources),
      names: { known: namesOf(agent), closed: agent.tools.length > 0 },
      tags: {
        classified: labels?.enabled === true && labels.model !== undefined,
        values: {
          topic: TOPICS,
          complexity: COMPLEXITIES,
          channel: [...CHANNELS, ...declaredChannels],
          ...(local ? { domain: LOCAL_DOMAINS, flag: LOCAL_FLAGS } : {}),
        },
      },
      mode: agent.prompt.mode ?? "full",
    },
    faults: probes.flatMap(({ faults }) => faults).filter(once),
  };
}

/** A session has one topic, one complexity and one channel, but any number of other tags. */
function requestsFor(base: PreviewRequest, tags: readonly ContributorTag[]): readonly PreviewRequest[] {
  if (tags.length === 0) return [];
  const of = (dimension: TagDimension) => [
    ...new Set(tags.filter((tag) => tag.dimension === dimension).map(({ value }) => value.trim().toLowerCase())),
  ];
  const any = (values: readonly string[]) => values.map((value) => (value === "*" ? "any" : value));
  const topics = known<SessionTopic>(TOPICS, of("topic"));
  const complexities = known<SessionComplexity>(COMPLEXITIES, of("complexity"));
  const channels = of("channel").map((value) => (value === "*" ? "cli" : value));
  const rounds = Math.max(1, topics.length, complexities.length, channels.length);
  return Array.from({ length: rounds }, (_, at) => ({
    ...base,
    channel: channels[at] ?? "cli",
    classification: {
      label: "A session",
      topic: topics[at] ?? "other",
      complexity: complexities[at] ?? "simple",
      domain: any(of("domain")),
      flags: any(of("flag")),
    },
    custom: any(of("custom")),
  }));
}

function known<T extends string>(all: readonly T[], wanted: readonly string[]): readonly T[] {
  return all.filter((value) => wanted.includes(value));
}

/**
 * Each contributor as rendered where it was selected, in prompt order. Contributors that no session selects come last.
 */
function contributorsOf(
  probes: readonly Preview[],
  sources: ReadonlyMap<PromptContributor, ContributorSource>,
): readonly LintedContributor[] {
  // Weakest source first, so the strongest one wins for each id.
  const known = new Map([...sources].reverse().map(([{ id, tags = [] }, source]) => [id, { source, tags }]));
  const found = new Map<string, LintedContributor>();
  for (const { prompt } of probes) {
    const sections = new Map(prompt.sections.map((section) => [section.contributor, section]));
    for (const { contributor: id, reason, detail } of prompt.trace) {
      if (found.get(id)?.reason === "included") continue;
      const section = sections.get(id);
      found.set(id, {
        id,
        source: section?.source ?? known.get(id)?.source ?? "builtin",
        tags: known.get(id)?.tags ?? [],
        tokens: section?.tokens ?? 0,
        reason,
        text: section === undefined ? undefined : section.text,
        detail,
      });
    }
  }
  const missed = [...known].filter(([id]) => !found.has(id)).reverse();
  return [...found.values(), ...missed.map(([id, one]) => ({ id, ...one, tokens: 0, reason: "tag-miss" as const }))];
}

function clashesOf(sources: ReadonlyMap<PromptContributor, ContributorSource>): LintInput["clashes"] {
  const kept = new Map<string, ContributorSource>();
  return [...sources].flatMap(([{ id }, source]) => {
    const stronger = kept.get(id);
    if (stronger === undefined) kept.set(id, source);
    return stronger === undefined ? [] : [{ id, kept: stronger, held: source }];
  });
}

function namesOf(agent: Agent): ReadonlySet<string> {
  const policies = [...agent.sections.flatMap((section) => section.policies ?? []), ...agent.policies];
  const ofRules = policies.flatMap((policy) =>
    policy instanceof RulesPolicy ? Object.keys(policy.rules.ruleSet.actions) : [],
  );
  return new Set([
    ...agent.tools.flatMap(({ name, args = [], paths = {} }) => [name, ...args, ...Object.keys(paths)]),
    ...agent.trustedTools.map(({ tool }) => tool),
    ...Object.keys(agent.actions),
    ...Object.values(agent.actions).map(({ tool }) => tool),
    ...ofRules,
    ...VOCABULARY,
    ...NATIVE,
  ]);
}

/** Filter that keeps the first of equal items. */
function once<T>(one: T, at: number, all: readonly T[]): boolean {
  const text = JSON.stringify(one);
  return all.findIndex((other) => JSON.stringify(other) === text) === at;
}
