import { didYouMean, nearest } from "../../../base/kernel/nearest.ts";
import { VOCABULARY } from "../../tools/conduct-tool.ts";
import type { ConfigFile, FeedbackConfig, PolicyConfig } from "./config-schema.ts";
import type { Complaint, ConfigPath } from "./config-source.ts";
import { tagDoubt } from "./contributor-problems.ts";
import type { Placed, PlacedAgent } from "./parse-config.ts";
import { serverComplaints } from "./server-schema.ts";

type Use = { readonly name: string; readonly path: ConfigPath };

/** Undeclared names. They are probably misspelt, but a runtime may bring its own tools, so they are warnings. */
export function configWarnings(agent: PlacedAgent, ofRules: readonly string[]): readonly Complaint[] {
  const tools = new Set<string>([...agent.tools.map(({ value }) => value.name), ...VOCABULARY]);
  const names = new Set<string>([...Object.keys(agent.actions.value), ...ofRules, ...tools]);
  return [
    ...toolUses(agent).flatMap((use) => unknownName(use, tools, "tool")),
    ...agent.tools.flatMap(misspeltTool),
    ...nameUses(agent).flatMap((use) => unknownName(use, names, "tool or action")),
    ...lateCommand(agent),
    ...(agent.sessionLabels.value.enabled === true ? [] : agent.rules.flatMap(unclassified)),
  ];
}

/** The classification of sessions that are never classified is unknown, so such a rule always applies. */
function unclassified({ value, path }: PlacedAgent["rules"][number]): readonly Complaint[] {
  if (typeof value === "string" || "pack" in value) return [];
  const { id = "", when = "", unless = "" } = value as { readonly [key: string]: string };
  if (!/\bsession\.(?:topic|complexity|domain|flags)\b/.test(`${when} ${unless}`)) return [];
  const message = `'${id}' reads the session's classification, which this agent does not have`;
  return [{ path, message, hint: "set sessionLabels; until then the rule applies to every call that it is on" }];
}

function toolUses(agent: PlacedAgent): readonly Use[] {
  const ofActions = Object.entries(agent.actions.value).map(([action, { tool }]) => ({
    name: tool,
    path: [...agent.actions.at(action), "tool"],
  }));
  const trusted = agent.trustedTools.flatMap(({ value: { server, tool }, path }) =>
    server === undefined ? [{ name: tool, path: [...path, "tool"] }] : [],
  );
  return [...ofActions, ...trusted];
}

/** A declared tool may be the agent's own, but a name that almost is a known one is probably misspelt. */
function misspeltTool({ value: { name }, path }: PlacedAgent["tools"][number]): readonly Complaint[] {
  const known: readonly string[] = VOCABULARY;
  const meant = known.includes(name) ? undefined : nearest(name, known);
  if (meant === undefined) return [];
  const hint = `did you mean '${meant}'? If the tool is your own, ignore this`;
  return [{ path: [...path, "name"], message: `no runtime has a tool '${name}'`, hint }];
}

/** Agents that schedules and channels name. Agents can also be created in the gateway, so these are warnings. */
export function agentWarnings(
  { schedules = [], channels = {} }: Pick<ConfigFile, "schedules" | "channels">,
  agents: readonly string[],
): readonly Complaint[] {
  const named = [
    ...schedules.map(({ agent }, at) => ({ name: agent, path: ["schedules", at, "agent"] })),
    ...Object.entries(channels).map(([name, channel]) => ({ name: channel?.agent, path: ["channels", name, "agent"] })),
  ];
  return named.flatMap(({ name, path }) =>
    name === undefined || agents.includes(name)
      ? []
      : [
          {
            path,
            message: `no agent '${name}' is defined here`,
            hint: didYouMean(name, agents, `defined: ${agents.join(", ")}`),
          },
        ],
  );
}

function nameUses(agent: PlacedAgent): readonly Use[] {
  const ofPolicies = policiesOf(agent).flatMap(({ value, path }) => [
    ...Object.entries(value.sequential ?? {}).flatMap(([name, needs]) => [
      { name, path: [...path, "sequential", name] },
      ...uses(needs, [...path, "sequential", name]),
    ]),
    ...uses(value.readBeforeWrite?.readTools, [...path, "readBeforeWrite", "readTools"]),
    ...uses(value.readBeforeWrite?.writeTools, [...path, "readBeforeWrite", "writeTools"]),
  ]);
  const ofSections = agent.sections.flatMap(({ value, path }) => uses(value.tools, [...path, "tools"]));
  return [...ofSections, ...ofPolicies, ...uses(agent.completion.value.evidence, agent.completion.at("evidence"))];
}

function uses(names: readonly string[] | undefined, path: ConfigPath): readonly Use[] {
  return (names ?? []).map((name, at) => ({ name, path: [...path, at] }));
}

function unknownName({ name, path }: Use, known: ReadonlySet<string>, what: string): readonly Complaint[] {
  // Only the server knows its own tools.
  if (known.has(name) || name.includes("/")) return [];
  const at = typeof path.at(-1) === "number" || path.at(-1) === "tool" ? undefined : "key";
  return [{ ...undeclaredName(name, path, what, known), at }];
}

export function undeclaredName(name: string, path: ConfigPath, what: string, known: ReadonlySet<string>): Complaint {
  const declare = what === "tool" ? "declare it under tools" : "declare it under tools or actions";
  const meant = nearest(name, known);
  const hint = meant === undefined ? declare : `did you mean '${meant}'? Otherwise ${declare}`;
  return { path, message: `no ${what} '${name}' is declared`, hint };
}

const COMPLETION_MS = 120_000;

function lateCommand({ completion, limits }: PlacedAgent): readonly Complaint[] {
  const { command } = completion.value;
  if (typeof command !== "object" || (command.timeout ?? 0) < (limits.value.completion ?? COMPLETION_MS)) return [];
  return [
    {
      path: [...completion.at("command"), "timeout"],
      message: "this timeout is longer than the timeout of the whole completion check",
      hint: "raise limits.completion (default: 2m)",
    },
  ];
}

/** Contributors and labels that will probably never take effect. `channels` are those that the file declares. */
export function toldWarnings(agent: PlacedAgent, channels: readonly string[]): readonly Complaint[] {
  return [...tagWarnings(agent, channels), ...labelWarnings(agent)];
}

/** `sessionLabels` without `enabled` has no meaning. */
function toldComplaints({ sessionLabels: { value, path } }: PlacedAgent): readonly Complaint[] {
  if (value.enabled !== undefined || Object.keys(value).length === 0) return [];
  const message = "'sessionLabels' has no 'enabled'";
  return [{ path, message, hint: "add enabled: true, or false" }];
}

function tagWarnings(agent: PlacedAgent, channels: readonly string[]): readonly Complaint[] {
  return agent.promptContributors.flatMap(({ value: { id, tags = [] }, path }) =>
    tags.flatMap((tag, at): readonly Complaint[] => {
      const doubt = tagDoubt(tag, channels);
      if (doubt === undefined) return [];
      const message = `contributor '${id}': ${doubt.message}`;
      return [{ path: [...path, "tags", at, doubt.about], message, hint: doubt.hint }];
    }),
  );
}

function labelWarnings({ sessionLabels: { value, path } }: PlacedAgent): readonly Complaint[] {
  if (value.enabled !== true || value.model !== undefined) return [];
  const message = "sessions are not classified: 'sessionLabels' has no model";
  return [{ path, message, hint: "add a cheap model (model: provider/model) or model: local/rules" }];
}

/** Faults of a well-formed file: settings that could never work or would be ignored. */
export function senseComplaints(agent: PlacedAgent): readonly Complaint[] {
  return [
    ...policiesOf(agent).flatMap((policy) => policyComplaints(policy, agent)),
    ...sectionComplaints(agent),
    ...agent.feedback.flatMap(feedbackComplaints),
    ...completionComplaints(agent),
    ...toldComplaints(agent),
    ...serverComplaints(agent),
  ];
}

/** The policies of the sections in order, then the agent's own. */
export function policiesOf(agent: PlacedAgent): readonly Placed<PolicyConfig>[] {
  const ofSections = agent.sections.flatMap(({ value, path }) =>
    (value.policies ?? []).map((policy, at) => ({ value: policy, path: [...path, "policies", at] })),
  );
  return [...ofSections, ...agent.policies];
}

function policyComplaints({ value, path }: Placed<PolicyConfig>, agent: PlacedAgent): readonly Complaint[] {
  const actions = new Map(Object.entries(agent.actions.value));
  const needs = value.sequential ?? {};
  const ofTool = (name: string): readonly string[] => {
    const tool = actions.get(name)?.tool;
    return tool !== undefined && Object.hasOwn(needs, tool) ? (needs[tool] ?? []) : [];
  };
  const cycles = dependencyCycles(needs, ofTool).map((cycle) => {
    const message = `'sequential' contains a cycle, so none of these can ever run: ${cycle.join(" needs ")}`;
    return complain([...path, "sequential"], message);
  });
  if (value.rearmOnCompaction === undefined || value.sequential !== undefined) return cycles;
  const message = "'rearmOnCompaction' next to 'readBeforeWrite' has no effect";
  const hint = "move it into readBeforeWrite: { … }";
  return [...cycles, complain([...path, "rearmOnCompaction"], message, hint, "key")];
}

function feedbackComplaints({ value, path }: Placed<FeedbackConfig>): readonly Complaint[] {
  const { every, on, tokenBudget } = value;
  const complaints: Complaint[] = [];
  if (every !== undefined && Object.keys(every).length === 0) {
    complaints.push(complain([...path, "every"], "'every' needs 'seconds' or 'calls'"));
  }
  if (value.static !== undefined && every === undefined && on === undefined) {
    const hint = "add every: { calls: 10 }, every: { seconds: 60 } or on: { fileCreated: NAME }";
    complaints.push(complain(path, "'static' has no trigger, so it never fires", hint));
  }
  const { cautionAt = 0.7, warnAt = 0.9 } = tokenBudget ?? {};
  if (tokenBudget !== undefined && cautionAt > warnAt) {
    const message = `'cautionAt' (${cautionAt}) must not be above 'warnAt' (${warnAt})`;
    complaints.push(complain([...path, "tokenBudget"], message));
  }
  return complaints;
}

function completionComplaints({ completion: { value, path } }: PlacedAgent): readonly Complaint[] {
  const asked = [value.files, value.evidence].some((list) => list !== undefined && list.length > 0);
  if (asked || value.command !== undefined || Object.keys(value).length === 0) return [];
  return [complain(path, "'completion' is empty", "add files, evidence or a command")];
}

function complain(path: ConfigPath, message: string, hint?: string, at?: "key"): Complaint {
  return { path, at, message, hint };
}

type Needs = { readonly [name: string]: readonly string[] };

/**
 * Cycles of dependencies: none of their members can ever run. `implied` adds dependencies, as an action needs what its
 * tool needs. Each cycle is given once, with its first member repeated at the end.
 */
function dependencyCycles(needs: Needs, implied: (name: string) => readonly string[]): readonly (readonly string[])[] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const open = new Map<string, Iterator<string>>();
  const trail: string[] = [];
  const enter = (name: string) => {
    const own = Object.hasOwn(needs, name) ? (needs[name] ?? []) : [];
    open.set(name, [...own, ...implied(name)].values());
    trail.push(name);
  };
  for (const start of Object.keys(needs)) {
    if (!done.has(start)) enter(start);
    // An explicit stack, because a long chain could overflow the call stack.
    for (let name = trail.at(-1); name !== undefined; name = trail.at(-1)) {
      const next = open.get(name)?.next();
      if (next === undefined || next.done) {
        open.delete(name);
        trail.pop();
        done.add(name);
      } else if (open.has(next.value)) {
        cycles.push([...trail.slice(trail.indexOf(next.value)), next.value]);
      } else if (!done.has(next.value)) enter(next.value);
    }
  }
  return cycles;
}

/**
 * A section's policies see only calls of the section's tools. A prerequisite outside them would never count, and
 * policies of a section without tools would apply to nothing.
 */
function sectionComplaints(agent: PlacedAgent): readonly Complaint[] {
  const actions = new Map(Object.entries(agent.actions.value));
  return agent.sections.flatMap(({ value: { heading, tools = [], policies = [] }, path }): readonly Complaint[] => {
    if (policies.length === 0) return [];
    if (tools.length === 0) {
      const message = `section '${heading}' has policies but no 'tools', so the policies apply to nothing`;
      const hint = "list the section's tools, or move the policies to the agent, where they apply to every tool";
      return [{ path: [...path, "policies"], at: "key", message, hint }];
    }
    const seen = (name: string) => tools.includes(name) || tools.includes(actions.get(name)?.tool ?? "");
    return policies.flatMap((policy, at) =>
      unseenProofs(policy, seen).map((name) => ({
        path: [...path, "policies", at],
        message: `'${name}' never counts: section '${heading}' does not list it under 'tools'`,
        hint: "add it there, or move the policy to the agent, where it sees every call",
      })),
    );
  });
}

function unseenProofs(
  { sequential, readBeforeWrite }: PolicyConfig,
  seen: (name: string) => boolean,
): readonly string[] {
  if (sequential !== undefined) return [...new Set(Object.values(sequential).flat())].filter((name) => !seen(name));
  const reads = readBeforeWrite?.readTools ?? ["read_file"];
  return reads.some(seen) ? [] : reads;
}
