import type { FeedbackProvider, FeedbackProviderConfig, FeedbackTrigger } from "../../base/words/feedback.ts";
import type { Agent, AgentSection, AnyPolicy, Limits, PromptSettings } from "../../base/words/hosting/agent.ts";
import type { CompletionChecker } from "../../base/words/hosting/completion.ts";
import type { PromptContributor, PromptSection } from "../../base/words/prompt.ts";
import type { RuleSet } from "../../base/words/rule.ts";
import {
  CommandChecker,
  CompositeChecker,
  EvidenceChecker,
  FileOutputChecker,
} from "../../behavior/completion/completion-checkers.ts";
import {
  DeadlineFeedback,
  RepeatedFailureFeedback,
  StaticFeedbackProvider,
  TokenBudgetFeedback,
} from "../../behavior/feedback/feedback-providers.ts";
import { ReadBeforeWritePolicy } from "../../behavior/policy/builtin/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { tighterBudget } from "../../behavior/session/budget.ts";
import { policiesOf } from "./config/config-checks.ts";
import type { CompletionConfig, FeedbackConfig, LimitsConfig, PolicyConfig } from "./config/config-schema.ts";
import type { Complaint, ConfigPath } from "./config/config-source.ts";
import type { PlacedAgent } from "./config/parse-config.ts";
import type { ContributorConfig, PromptConfig } from "./config/prompt-schema.ts";
import { buildServer } from "./config/server-schema.ts";
import { type AgentInput, type AgentProblem, agentProblems, fillAgent } from "./define-agent.ts";

/** Builds the agent that the file describes. `complaints` is what `defineAgent` would reject, with places. */
export function buildAgent(
  config: PlacedAgent,
  ruleSet: RuleSet | undefined,
): { readonly agent: Agent; readonly complaints: readonly Complaint[] } {
  const completion = buildCompletion(config.completion.value, config.actions.value);
  const agent = fillAgent({
    name: config.name,
    sections: config.sections.map(({ value }) => buildSection(value)),
    tools: config.tools.map(({ value }) => value),
    actions: ruleSet?.actions ?? config.actions.value,
    ...(Object.keys(config.programs.value).length === 0 ? {} : { programs: config.programs.value }),
    policies: [
      ...config.policies.map(({ value }) => buildPolicy(value)),
      ...(ruleSet === undefined ? [] : [new RulesPolicy(ruleSet)]),
    ],
    feedback: config.feedback.map(({ value }) => buildFeedback(value)),
    completion,
    limits: buildLimits(config.limits.value),
    trustedTools: config.trustedTools.map(({ value }) => value),
    ...buildPromptParts(config),
  });
  const complaints = agentProblems(agent).map((problem) => ({
    path: [...placeOf(problem, agent, config), ...(problem.at ?? [])],
    message: problem.message,
    hint: problem.hint,
  }));
  return { agent, complaints };
}

function buildSection({ policies, ...section }: PlacedAgent["sections"][number]["value"]): AgentSection {
  return { ...section, policies: policies?.map(buildPolicy) };
}

function buildLimits({ gather, check, completion, session = {}, ...limits }: LimitsConfig): Limits {
  const times = { gatherMs: gather, checkMs: check, completionMs: completion };
  const deadlines = [limits.deadline, session.deadline].filter((one) => one !== undefined);
  const deadline = deadlines.length === 0 ? undefined : Math.min(...deadlines);
  const given = Object.entries({ ...times, deadline }).filter(([, ms]) => ms !== undefined);
  return { ...limits, ...tighterBudget(limits, session), ...Object.fromEntries(given) };
}

/** Of several parts with one name the last is meant: it is the one whose name was already taken. */
function placeOf({ about, name }: AgentProblem, agent: Agent, config: PlacedAgent): ConfigPath {
  const last = (names: readonly string[], places: readonly { readonly path: ConfigPath }[]) =>
    places[names.lastIndexOf(name)]?.path ?? config.path;
  switch (about) {
    case "agent":
      return config.path;
    case "limit":
      return config.limits.at(name);
    case "policy": {
      // The policy of the rules is not in the file: the policy that took its name is meant.
      const policies = policiesOf(config);
      const ofSections = agent.sections.flatMap((section) => section.policies ?? []);
      return last(
        [...ofSections, ...agent.policies].slice(0, policies.length).map((one) => one.name),
        policies,
      );
    }
    case "tool":
      return last(
        agent.tools.map((tool) => tool.name),
        config.tools,
      );
    case "feedback":
      return last(
        agent.feedback.map(({ provider }) => provider.name),
        config.feedback,
      );
    case "contributor":
      return last(
        agent.contributors.map(({ id }) => id),
        config.promptContributors,
      );
  }
}

/** The schema makes sure that there is exactly one kind. */
function buildPolicy({ name, sequential, readBeforeWrite, rearmOnCompaction }: PolicyConfig): AnyPolicy {
  if (sequential === undefined) return new ReadBeforeWritePolicy({ ...readBeforeWrite, name });
  return new SequentialDependencyPolicy({ dependencies: sequential, rearmOnCompaction, name });
}

/** Cheap checks come first. `undefined` when nothing is required. */
function buildCompletion(
  { files, evidence, command, any }: CompletionConfig,
  actions: Agent["actions"],
): CompletionChecker | undefined {
  const impliedBy = Object.fromEntries((evidence ?? []).map((fact) => [fact, implying(fact, actions)]));
  const checkers: CompletionChecker[] = [
    ...(files === undefined ? [] : [new FileOutputChecker({ files })]),
    ...(evidence === undefined ? [] : [new EvidenceChecker({ actions: evidence, impliedBy })]),
    ...(command === undefined ? [] : [commandChecker(command)]),
  ];
  const [only] = checkers;
  return checkers.length > 1 ? new CompositeChecker({ checkers, allMustPass: any !== true }) : only;
}

function implying(fact: string, actions: Agent["actions"] = {}): readonly string[] {
  return Object.keys(actions).filter((name) => actions[name]?.implies?.includes(fact));
}

function commandChecker(command: NonNullable<CompletionConfig["command"]>): CommandChecker {
  if (typeof command === "string") return new CommandChecker({ command });
  const { run, timeout } = command;
  return new CommandChecker({ command: run, timeoutMs: timeout });
}

/** A provider without `every` and `on` runs as often as is useful for its kind. */
function buildFeedback(config: FeedbackConfig): FeedbackProviderConfig {
  const { every, on } = config;
  const { provider, usual } = buildProvider(config);
  if (every === undefined && on === undefined) return { provider, trigger: usual };
  const onFileCreated = on && { filename: on.fileCreated };
  return { provider, trigger: { everyNCalls: every?.calls, everyNSeconds: every?.seconds, onFileCreated } };
}

function buildProvider(config: FeedbackConfig): {
  readonly provider: FeedbackProvider;
  readonly usual: FeedbackTrigger;
} {
  const { name, deadline, static: feedback, tokenBudget, repeatedFailure } = config;
  if (feedback !== undefined) return { provider: new StaticFeedbackProvider({ feedback, name }), usual: {} };
  if (deadline !== undefined) {
    const warningThresholdSeconds = deadline?.warnAt === undefined ? undefined : deadline.warnAt / 1_000;
    return { provider: new DeadlineFeedback({ warningThresholdSeconds, name }), usual: { everyNSeconds: 30 } };
  }
  if (tokenBudget !== undefined) {
    return { provider: new TokenBudgetFeedback({ ...tokenBudget, name }), usual: { everyNCalls: 10 } };
  }
  return { provider: new RepeatedFailureFeedback({ ...repeatedFailure, name }), usual: { everyNCalls: 1 } };
}

type PromptParts = Omit<AgentInput, "name" | "sections" | "tools" | "policies" | "feedback" | "completion" | "limits">;

/** Files that the configuration names have already been read. */
function buildPromptParts(config: PlacedAgent): PromptParts {
  const { soul, model, memory, elevation, network, sessionLabels, identity, checkpoints } = config;
  const { enabled, ...labels } = sessionLabels.value;
  return {
    soul: soul?.value,
    model: model?.value,
    memory: memory?.value,
    elevation: elevation?.value,
    custom: config.custom.length === 0 ? undefined : config.custom.map(({ value }) => value),
    network: network?.value,
    mcpServers: unlessEmpty(
      Object.fromEntries(Object.entries(config.mcpServers.value).map(([name, given]) => [name, buildServer(given)])),
    ),
    sessionLabels: enabled === undefined ? undefined : { enabled, ...labels },
    identity: unlessEmpty(identity.value),
    checkpoints: unlessEmpty(checkpoints.value),
    contributors: config.promptContributors.map(({ value }) => buildContributor(value)),
    prompt: buildPrompt(config.prompt.value),
  };
}

function buildPrompt({ skills, docs, ...rest }: PromptConfig): PromptSettings {
  return {
    ...rest,
    skills: skills?.filter((skill) => typeof skill !== "string"),
    docs: docs?.map((doc) => (typeof doc === "string" ? { path: doc } : doc)),
  };
}

function unlessEmpty<T extends object>(map: T): T | undefined {
  return Object.keys(map).length === 0 ? undefined : map;
}

/** A contributor from a file gives the same section in every session. */
export function buildContributor(config: ContributorConfig): PromptContributor {
  const { id, tags, priority, zone, exceptRuntimes, ...given } = config;
  const section: PromptSection = Object.freeze(given);
  return Object.freeze({
    id,
    tags: tags === undefined ? undefined : Object.freeze(tags.map((tag) => Object.freeze({ ...tag }))),
    priority,
    zone,
    shouldContribute: exceptRuntimes === undefined ? undefined : ({ runtime }) => !exceptRuntimes.includes(runtime),
    contribute: () => section,
  });
}
