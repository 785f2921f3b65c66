import type { CompletionChecker } from "../../base/words/completion.ts";
import type { FeedbackProvider, FeedbackProviderConfig, FeedbackTrigger } from "../../base/words/feedback.ts";
import type { Agent, AgentSection, AnyPolicy, Limits, PromptSettings } from "../../base/words/hosting/agent.ts";
import type { RuleSet } from "../../base/words/rule.ts";
import { CommandChecker } from "../../behavior/completion/command-checker.ts";
import { CompositeChecker } from "../../behavior/completion/composite-checker.ts";
import { EvidenceChecker } from "../../behavior/completion/evidence-checker.ts";
import { FileOutputChecker } from "../../behavior/completion/file-output-checker.ts";
import { DeadlineFeedback } from "../../behavior/feedback/deadline-feedback.ts";
import { RepeatedFailureFeedback } from "../../behavior/feedback/repeated-failure-feedback.ts";
import { StaticFeedbackProvider } from "../../behavior/feedback/static-feedback-provider.ts";
import { TokenBudgetFeedback } from "../../behavior/feedback/token-budget-feedback.ts";
import { ReadBeforeWritePolicy } from "../../behavior/policy/builtin/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { buildContributor } from "./build-contributor.ts";
import type { Complaint, ConfigPath } from "./config/config-fault.ts";
import type { CompletionConfig, FeedbackConfig, LimitsConfig, PolicyConfig } from "./config/config-schema.ts";
import type { PlacedAgent } from "./config/merge-defaults.ts";
import type { PromptConfig } from "./config/told-schema.ts";
import { type AgentInput, type AgentProblem, agentProblems, fillAgent } from "./define-agent.ts";

/** An agent as the file describes it, and what `defineAgent` would have against it, each with its place. */
export function buildAgent(
  config: PlacedAgent,
  ruleSet: RuleSet | undefined,
): { readonly agent: Agent; readonly complaints: readonly Complaint[] } {
  const completion = buildCompletion(config.completion.value);
  const agent = fillAgent({
    name: config.name,
    sections: config.sections.map(({ value }) => buildSection(value)),
    tools: config.tools.map(({ value }) => value),
    actions: ruleSet?.actions ?? config.actions.value,
    policies: [
      ...config.policies.map(({ value }) => buildPolicy(value)),
      ...(ruleSet === undefined ? [] : [new RulesPolicy(ruleSet)]),
    ],
    feedback: config.feedback.map(({ value }) => buildFeedback(value)),
    completion,
    limits: buildLimits(config.limits.value),
    trustedTools: config.trustedTools.map(({ value }) => value),
    ...buildTold(config),
  });
  const complaints = agentProblems(agent).map((problem) => ({
    path: [...placeOf(problem, agent, config), ...(problem.at ?? [])],
    at: "value" as const,
    message: problem.message,
    hint: problem.hint,
  }));
  return { agent, complaints };
}

function buildSection({ policies, ...section }: PlacedAgent["sections"][number]["value"]): AgentSection {
  return { ...section, ...(policies === undefined ? {} : { policies: policies.map(buildPolicy) }) };
}

function buildLimits({ gather, check, completion, ...limits }: LimitsConfig): Limits {
  return {
    ...limits,
    ...(gather === undefined ? {} : { gatherMs: gather }),
    ...(check === undefined ? {} : { checkMs: check }),
    ...(completion === undefined ? {} : { completionMs: completion }),
  };
}

/** Of things that share a name the last is shown: it is the one that came to the name when it was taken. */
function placeOf({ about, name }: AgentProblem, agent: Agent, config: PlacedAgent): ConfigPath {
  if (about === "limit") return config.limits.at(name);
  const parts: readonly { readonly about: AgentProblem["about"]; readonly name: string; readonly path: ConfigPath }[] =
    [
      ...agent.sections.flatMap(({ policies = [] }, section) =>
        policies.map((policy, at) => ({
          about: "policy" as const,
          name: policy.name,
          path: [...pathOf(config.sections[section]), "policies", at],
        })),
      ),
      // The rules' own policy stands nowhere in the file: who took its name is meant.
      ...config.policies.map(({ path }, at) => ({
        about: "policy" as const,
        name: agent.policies[at]?.name ?? "",
        path,
      })),
      ...agent.tools.map((tool, at) => ({ about: "tool" as const, name: tool.name, path: pathOf(config.tools[at]) })),
      ...agent.feedback.map(({ provider }, at) => ({
        about: "feedback" as const,
        name: provider.name,
        path: pathOf(config.feedback[at]),
      })),
      ...agent.contributors.map(({ id }, at) => ({
        about: "contributor" as const,
        name: id,
        path: pathOf(config.promptContributors[at]),
      })),
    ];
  return parts.findLast((part) => part.about === about && part.name === name)?.path ?? config.path;
}

function pathOf(placed: { readonly path: ConfigPath } | undefined): ConfigPath {
  return placed?.path ?? [];
}

/** A policy as the file describes it. The schema has seen to it that there is exactly one kind. */
function buildPolicy(config: PolicyConfig): AnyPolicy {
  const { sequential, readBeforeWrite, rearmOnCompaction } = config;
  const named = config.name === undefined ? {} : { name: config.name };
  if (sequential === undefined) return new ReadBeforeWritePolicy({ ...readBeforeWrite, ...named });
  const rearm = rearmOnCompaction === undefined ? {} : { rearmOnCompaction };
  return new SequentialDependencyPolicy({ dependencies: sequential, ...rearm, ...named });
}

/** The checker a file describes, the cheap parts asked first; `undefined` when it asks for nothing. */
function buildCompletion(config: CompletionConfig): CompletionChecker | undefined {
  const { files, evidence, command, any } = config;
  const checkers: CompletionChecker[] = [
    ...(files === undefined ? [] : [new FileOutputChecker({ files })]),
    ...(evidence === undefined ? [] : [new EvidenceChecker({ actions: evidence })]),
    ...(command === undefined ? [] : [commandChecker(command)]),
  ];
  const [only] = checkers;
  return checkers.length > 1 ? new CompositeChecker({ checkers, allMustPass: any !== true }) : only;
}

function commandChecker(command: NonNullable<CompletionConfig["command"]>): CommandChecker {
  if (typeof command === "string") return new CommandChecker({ command });
  const { run, timeout } = command;
  return new CommandChecker({ command: run, timeoutMs: timeout });
}

/** A provider and when it runs. What has no `every` and no `on` runs as often as is useful for its kind. */
function buildFeedback(config: FeedbackConfig): FeedbackProviderConfig {
  const { every, on } = config;
  const { provider, usual } = build(config);
  if (every === undefined && on === undefined) return { provider, trigger: usual };
  const trigger = {
    everyNCalls: every?.calls === undefined ? undefined : every.calls,
    everyNSeconds: every?.seconds === undefined ? undefined : every.seconds,
    onFileCreated: on === undefined ? undefined : { filename: on.fileCreated },
  };
  return { provider, trigger };
}

function build(config: FeedbackConfig): { readonly provider: FeedbackProvider; readonly usual: FeedbackTrigger } {
  const { deadline, static: said, tokenBudget } = config;
  const named = config.name === undefined ? {} : { name: config.name };
  if (said !== undefined) return { provider: new StaticFeedbackProvider({ feedback: said, ...named }), usual: {} };
  if (deadline !== undefined) {
    const warn = deadline?.warnAt === undefined ? {} : { warningThresholdSeconds: deadline.warnAt / 1_000 };
    return { provider: new DeadlineFeedback({ ...warn, ...named }), usual: { everyNSeconds: 30 } };
  }
  if (tokenBudget !== undefined) {
    return { provider: new TokenBudgetFeedback({ ...tokenBudget, ...named }), usual: { everyNCalls: 10 } };
  }
  const provider = new RepeatedFailureFeedback({ ...config.repeatedFailure, ...named });
  return { provider, usual: { everyNCalls: 1 } };
}

type Told = Omit<AgentInput, "name" | "sections" | "tools" | "policies" | "feedback" | "completion" | "limits">;

/** What an agent is told, as the file describes it; the files that hold parts of it have been read. */
function buildTold(config: PlacedAgent): Told {
  const { soul, model, memory, elevation, network, sessionLabels, identity, checkpoints } = config;
  const { enabled, ...labels } = sessionLabels.value;
  return {
    soul: soul === undefined ? undefined : soul.value,
    model: model === undefined ? undefined : model.value,
    memory: memory === undefined ? undefined : memory.value,
    elevation: elevation === undefined ? undefined : elevation.value,
    network: network === undefined ? undefined : network.value,
    sessionLabels: enabled === undefined ? undefined : { enabled, ...labels },
    ...(isEmpty(identity.value) ? {} : { identity: identity.value }),
    ...(isEmpty(checkpoints.value) ? {} : { checkpoints: checkpoints.value }),
    contributors: config.promptContributors.map(({ value }) => buildContributor(value)),
    prompt: buildPrompt(config.prompt.value),
  };
}

function buildPrompt({ skills, docs, ...rest }: PromptConfig): PromptSettings {
  return {
    ...rest,
    ...(skills === undefined ? {} : { skills: skills.filter((skill) => typeof skill !== "string") }),
    ...(docs === undefined ? {} : { docs: docs.map((doc) => (typeof doc === "string" ? { path: doc } : doc)) }),
  };
}

function isEmpty(map: object): boolean {
  return Object.keys(map).length === 0;
}
