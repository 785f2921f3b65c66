import { nearest } from "../../../base/kernel/nearest.ts";
import { policiesOf } from "./config-checks.ts";
import type { Complaint, ConfigPath } from "./config-fault.ts";
import { tagDoubt } from "./contributor-problems.ts";
import type { PlacedAgent } from "./merge-defaults.ts";
import { VOCABULARY } from "./tool-vocabulary.ts";

type Use = { readonly name: string; readonly path: ConfigPath };

/** Undeclared names. They are probably misspelt, but a runtime may bring its own tools, so they are warnings. */
export function configWarnings(agent: PlacedAgent, ofRules: readonly string[]): readonly Complaint[] {
  const tools = new Set<string>([...agent.tools.map(({ value }) => value.name), ...VOCABULARY]);
  const names = new Set<string>([...Object.keys(agent.actions.value), ...ofRules, ...tools]);
  return [
    ...toolUses(agent).flatMap((use) => unknownName(use, tools, "tool")),
    ...nameUses(agent).flatMap((use) => unknownName(use, names, "tool or action")),
    ...lateCommand(agent),
  ];
}

function toolUses(agent: PlacedAgent): readonly Use[] {
  return Object.entries(agent.actions.value).map(([action, { tool }]) => ({
    name: tool,
    path: [...agent.actions.at(action), "tool"],
  }));
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
      message: "the completion check as a whole ends before this timeout does",
      hint: "raise limits.completion (2m unless set)",
    },
  ];
}

/** Contributors and labels that will probably never take effect. `channels` are those that the file declares. */
export function toldWarnings(agent: PlacedAgent, channels: readonly string[]): readonly Complaint[] {
  return [...tagWarnings(agent, channels), ...labelWarnings(agent)];
}

/** `sessionLabels` without `enabled` has no meaning. */
export function toldComplaints({ sessionLabels: { value, path } }: PlacedAgent): readonly Complaint[] {
  if (value.enabled !== undefined || Object.keys(value).length === 0) return [];
  const message = "'sessionLabels' does not say whether sessions are classified";
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
  const message = "sessions are not classified: 'sessionLabels' names no model";
  return [{ path, message, hint: "add a cheap one, model: provider/model, or model: local/rules" }];
}
