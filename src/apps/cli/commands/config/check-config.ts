import { formatDuration } from "../../../../base/kernel/duration.ts";
import type { FeedbackTrigger } from "../../../../base/words/feedback.ts";
import type { Agent, McpServer, SessionLabels } from "../../../../base/words/hosting/agent.ts";
import type { ContributorContext, PromptContributor } from "../../../../base/words/prompt.ts";
import { RulesPolicy, rulesOfAgent } from "../../../../behavior/policy/rules/rules-policy.ts";
import { outgoingFaults } from "../../../../edge/host/opening/load-outgoing.ts";
import type { LoadedPlugin } from "../../../../edge/host/opening/load-plugins.ts";
import { serverFaults } from "../../../../edge/host/opening/load-servers.ts";
import type { AgentConfig, PolicyConfig } from "../../../../engine/agent/config/config-schema.ts";
import type { PluginPart } from "../../../../engine/agent/plugin-parts.ts";
import { describeRule } from "../../../../engine/agent/rules/write-rule.ts";
import { describeOff } from "../../../policy/describe-off.ts";
import { clip, count, hang, oneLine, plural } from "../../../shared/printable.ts";
import type { ConfigCheckArgs } from "../../declared/develop-commands.ts";
import { faultsFound, renderFaults } from "../../line/file-faults.ts";
import { done, type NextAction, type Outcome } from "../../line/outcome.ts";
import type { Paint, Terminal } from "../../line/terminal.ts";
import { configHere, pluginsHere } from "../../stores/config-here.ts";
import { configText } from "../../stores/config-text.ts";
import { modelProblems } from "./model-faults.ts";

/** Checks the file, or the configuration in force here, and summarizes its agents. */
export async function checkConfig({ file: given }: ConfigCheckArgs, terminal: Terminal): Promise<Outcome> {
  const found = await configHere(given, terminal, undefined, [SCHEMA, EXAMPLE]);
  if ("ok" in found) return found;
  const loadedPlugins = await pluginsHere(found, terminal);
  if ("ok" in loadedPlugins) return loadedPlugins;
  const { config, channels, loaded } = found;
  const { paint } = terminal;
  const { configs = [] } = loaded?.parsed ?? {};
  const { faults: wrongModels, warnings: ofModels } = await modelProblems(loaded);
  const faults = [
    ...wrongModels,
    ...(loaded === undefined ? [] : [...serverFaults(loaded, process.env), ...outgoingFaults(loaded, process.env)]),
  ];
  const warnings = [...(loaded?.parsed.warnings ?? []), ...ofModels];
  if (loaded !== undefined && faults.length > 0) {
    const again = { command: `conduct config check ${given ?? ""}`.trim(), description: "Check the file again" };
    return { ...faultsFound("CONFIG_INVALID", faults, loaded.texts, paint, [again]), config };
  }
  const file = given ?? configText(config, terminal.cwd);
  const agents = found.agents.map((agent, at) => summariseAgent(agent, configs[at] ?? {}));
  const plugins = loadedPlugins.plugins.map((one) => summarisePlugin(one, found.agents));
  const shown =
    loaded === undefined || warnings.length === 0 ? "" : `${renderFaults(warnings, loaded.texts, "warning", paint)}\n`;
  return done(
    { file, agents, channels, plugins, warnings },
    `\n${shown}${renderAgents(agents, plugins, Object.keys(channels), warnings.length, terminal)}\n`,
    [{ command: "conduct demo", description: "See rules like these in action" }],
    config,
  );
}

const SCHEMA: NextAction = { command: "conduct config schema", description: "Show the format of conduct.yaml" };
const EXAMPLE: NextAction = { command: "conduct demo", description: "See what a conduct.yaml does, in a demo" };

/** Summarises an agent's rules and policies, for people and programs. */
function summariseAgent(agent: Agent, config: AgentConfig) {
  const ofSections = agent.sections.flatMap(({ heading, policies = [] }, section) =>
    policies.map(({ name }, at) => {
      const policy = config.sections?.[section]?.policies?.[at];
      return `${name}: ${policyText(policy)} (section ${heading})`;
    }),
  );
  return {
    name: agent.name,
    ...summariseTold(agent),
    sections: agent.sections.map(({ heading }) => heading),
    tools: agent.tools.map(({ name, risk }) => (risk === "high" ? `${name} (high risk)` : name)),
    // Actions from rule files are listed with their files.
    actions: Object.entries(config.actions ?? {}).map(([name, { tool, command }]) =>
      command === undefined ? `${name}: ${tool}` : `${name}: ${tool} "${command}"`,
    ),
    // In order of evaluation.
    policies: [
      ...ofSections,
      ...agent.policies.flatMap((policy, at) =>
        policy instanceof RulesPolicy ? [] : [`${policy.name}: ${policyText(config.policies?.[at])}`],
      ),
    ],
    rules: agent.policies.flatMap((policy) =>
      policy instanceof RulesPolicy
        ? policy.rules.ruleSet.rules.map((rule) => `${rule.id}: ${describeRule(rule)}`)
        : [],
    ),
    off: rulesOfAgent(agent).flatMap(({ off = [] }) => off.map(describeOff)),
    feedback: agent.feedback.map(({ provider, trigger }) => `${provider.name}: ${triggerText(trigger)}`),
    completion: completionTexts(config.completion ?? {}),
    limits: limitTexts(agent.limits),
    mcpServers: Object.entries(agent.mcpServers ?? {}).map(([name, server]) => `${name}: ${serverText(server)}`),
    trustedTools: agent.trustedTools.map(({ server, tool }) => (server === undefined ? tool : `${server}/${tool}`)),
  };
}

/** Secrets by name only. */
function serverText(server: McpServer): string {
  const what = "url" in server ? server.url : [server.command, ...(server.args ?? [])].join(" ");
  const secrets = Object.keys(server.secrets ?? {});
  return `${what}${secrets.length === 0 ? "" : ` (${secrets.join(", ")})`}`;
}

/** `turn.calls: 20`; limits of a session have no prefix. */
function limitTexts({ turn = {}, day = {}, ...session }: Agent["limits"]): readonly string[] {
  const texts = (limits: object, scope: string) =>
    Object.entries(limits).map(([name, value]) => `${scope}${name}: ${limitText(name, value)}`);
  return [...texts(session, ""), ...texts(turn, "turn."), ...texts(day, "day.")];
}

/** These apply to every agent, before its own rules. */
const ALWAYS: readonly (readonly [name: string, text: string])[] = [
  ["builtin:workspace", "denies paths outside the folder of the session"],
  ["builtin:protected-paths", "denies Conduct's own files and the hook settings of runtimes"],
  ["builtin:high-risk", "denies tools with risk: high, unless an operator sent /elevated on"],
  ["builtin:complex-command", "denies command lines that are too complex to check"],
  ["builtin:requirements", "denies other calls until a trusted tool has what it asked for"],
  ["builtin:loop-guard", "stops an agent that repeats a call without progress"],
];

function renderAgents(
  agents: readonly ReturnType<typeof summariseAgent>[],
  plugins: readonly ReturnType<typeof summarisePlugin>[],
  channels: readonly string[],
  warnings: number,
  { paint, columns }: Pick<Terminal, "paint" | "columns">,
): string {
  const ways = channels.length === 0 ? "" : `, ${plural(channels.length, "channel")} (${channels.join(", ")})`;
  const also = `${ways}${warnings === 0 ? "" : `, ${plural(warnings, "warning")}`}`;
  const head = `  ${paint("green", "✓ no faults")}  ${plural(agents.length, "agent")}${also}\n`;
  const always = ALWAYS.flatMap(([name, text]) =>
    hang(`    ${paint("dim", name.padEnd(WIDEST_BUILTIN))} `, text, columns),
  );
  const all = `  ${paint("bold", "every agent")}\n${always.join("\n")}\n`;
  const ofPlugins = plugins.map(({ name, brings }) => renderAgent({ name: `plugin ${name}`, brings }, paint, columns));
  return [head, ...agents.map((agent) => renderAgent(agent, paint, columns)), ...ofPlugins, all].join("\n");
}

const WIDEST_BUILTIN = Math.max(...ALWAYS.map(([name]) => name.length));

/** What a plugin adds, and to which agents. */
function summarisePlugin({ plugin, parts }: LoadedPlugin, agents: readonly Agent[]) {
  const brings = parts.map((part) => {
    const to = part.agents === undefined ? "" : ` (for ${part.agents.join(", ")})`;
    return `${partText(part, agents)}${to}`;
  });
  return { name: plugin.name, brings: brings.length === 0 ? ["nothing"] : brings };
}

function partText(part: PluginPart, agents: readonly Agent[]): string {
  switch (part.kind) {
    case "contributor":
      return `contributor ${part.contributor.id}`;
    case "policy":
      return `policy ${part.policy.name}`;
    case "feedback":
      return `feedback ${part.feedback.provider.name}: ${triggerText(part.feedback.trigger)}`;
    case "completion":
      return "a completion check";
    case "tool": {
      const { name } = part.tool;
      const isUsed = agents.some(({ tools }) => tools.some((tool) => tool.name === name));
      return `tool ${name}${isUsed ? "" : ", which no agent has in its tools"}`;
    }
    case "listener":
      return "a listener for events";
  }
}

const LABELS: { readonly [key: string]: string } = { trustedTools: "trusted", mcpServers: "mcp" };

type Rows = { readonly name: string; readonly [key: string]: string | readonly string[] };

function renderAgent({ name, ...parts }: Rows, paint: Paint, columns: number): string {
  const rows = Object.entries(parts).flatMap(([key, items]) => {
    const label = LABELS[key] ?? key;
    return [items]
      .flat()
      .flatMap((item, at) => hang(`    ${paint("dim", (at === 0 ? label : "").padEnd(12))} `, oneLine(item), columns));
  });
  return `${[`  ${paint("bold", name)}`, ...(rows.length === 0 ? ["    no rules"] : rows)].join("\n")}\n`;
}

function policyText(policy: PolicyConfig | undefined): string {
  if (policy?.sequential !== undefined) {
    const needs = Object.entries(policy.sequential).map(([name, before]) => `${name} needs ${before.join(", ")}`);
    return needs.join("; ");
  }
  const { readTools = ["read_file"], writeTools = ["write_file", "edit_file"] } = policy?.readBeforeWrite ?? {};
  return `${writeTools.join(", ")} only after ${readTools.join(" or ")} of the same file`;
}

function completionTexts({ files, evidence, command, any }: NonNullable<AgentConfig["completion"]>): readonly string[] {
  const run = typeof command === "object" ? command.run : command;
  const parts = [
    ...(files === undefined ? [] : [`${files.join(", ")} must exist`]),
    ...(evidence === undefined ? [] : [`${evidence.join(", ")} must have succeeded`]),
    ...(run === undefined ? [] : [`"${run}" must exit with 0`]),
  ];
  return any === true && parts.length > 1 ? [parts.join(", or ")] : parts;
}

function triggerText({ everyNCalls, everyNSeconds, onFileCreated }: FeedbackTrigger): string {
  const when = [
    ...(everyNCalls === undefined
      ? []
      : [everyNCalls === 1 ? "after every call" : `every ${count(everyNCalls)} calls`]),
    ...(everyNSeconds === undefined ? [] : [`every ${count(everyNSeconds)} s`]),
    ...(onFileCreated === undefined ? [] : [`when ${onFileCreated.filename} appears`]),
  ];
  return when.join(" or ");
}

function limitText(name: string, value: number): string {
  if (name === "deadline" || name === "time" || name.endsWith("Ms")) {
    return value < 1_000 ? `${value} ms` : formatDuration(value);
  }
  return name.endsWith("Share") ? `${Math.round(value * 100)} %` : count(value);
}

function summariseTold(agent: Agent) {
  const { model, identity, soul, sessionLabels, memory, elevation, checkpoints } = agent;
  const { name, description, vibe } = identity ?? {};
  const who = [name, description, vibe].filter((part) => part !== undefined);
  return {
    model: model === undefined ? [] : [model],
    identity: who.length === 0 ? [] : [who.join(" · ")],
    soul: soul === undefined ? [] : [textSize(soul)],
    contributors: agent.contributors.map(contributorText),
    prompt: promptTexts(agent.prompt),
    labels: sessionLabels === undefined ? [] : [labelsText(sessionLabels)],
    memory: memory === undefined ? [] : [memory],
    elevation: elevation === undefined ? [] : [elevation],
    checkpoints: Object.entries(checkpoints ?? {}).map(([tool, text]) => `${tool}: ${textSize(text)}`),
  };
}

/** `security: domain:security · priority 50 · 120 characters` */
function contributorText({ id, tags = [], priority = 100, zone, contribute }: PromptContributor): string {
  const when = tags.map(({ dimension, value }) => `${dimension}:${value}`).join(", ") || "every session";
  // Contributors from files give the same content for every session.
  const content = contribute({} as ContributorContext)?.content ?? "";
  const place = `priority ${priority}${zone === undefined ? "" : `, ${zone}`}`;
  return `${id}: ${when} · ${place} · ${plural(content.trim().length, "character")}`;
}

function promptTexts({ skills, docs, messaging, voice, replyTags, ...rest }: Agent["prompt"]): readonly string[] {
  const settings = Object.entries(rest).map(
    ([key, value]) => `${key} ${typeof value === "number" ? `${count(value)} tokens` : value}`,
  );
  return [
    ...(settings.length === 0 ? [] : [settings.join(" · ")]),
    ...(skills === undefined ? [] : [`skills: ${skills.map(({ name }) => name).join(", ")}`]),
    ...(docs === undefined ? [] : [`docs: ${docs.map(({ path }) => path).join(", ")}`]),
    ...(messaging === undefined ? [] : [`messaging: ${textSize(messaging)}`]),
    ...(voice === undefined ? [] : [`voice: ${textSize(voice)}`]),
    ...(replyTags === undefined ? [] : [`reply tags: ${replyTags.map(({ tag }) => tag).join(", ")}`]),
  ];
}

function labelsText({ enabled, model, every = 10, wait }: SessionLabels): string {
  if (!enabled) return "off";
  if (model === undefined) return "skipped: no model is named";
  const waits =
    wait === undefined ? "" : ` · the first prompt waits ${wait < 1_000 ? `${wait} ms` : formatDuration(wait)}`;
  return `by ${model} · again after ${plural(every, "turn")}${waits}`;
}

function textSize(text: string): string {
  const first = oneLine(text.trim().split("\n")[0] ?? "");
  return `${plural(text.trim().length, "character")}: ${clip(first, 50)}`;
}
