import { nearest } from "../../../base/kernel/nearest.ts";
import type { Complaint, ConfigPath } from "./config-fault.ts";
import { policiesOf } from "./config-sense.ts";
import type { PlacedAgent } from "./merge-defaults.ts";
import { VOCABULARY } from "./vocabulary.ts";

type Use = { readonly name: string; readonly path: ConfigPath };

/** Names that nothing declares, here or in the rule files (`ofRules`): most likely misspelt, but a runtime may bring tools of its own, so no faults. */
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
  // A tool of a server is known to that server alone.
  if (known.has(name) || name.includes("/")) return [];
  const meant = nearest(name, known);
  const declare = what === "tool" ? "declare it under tools" : "declare it under tools or actions";
  const hint = meant === undefined ? declare : `did you mean '${meant}'? Otherwise ${declare}`;
  const at = typeof path.at(-1) === "number" || path.at(-1) === "tool" ? "value" : "key";
  return [{ path, at, message: `no ${what} '${name}' is declared`, hint }];
}

const COMPLETION_MS = 120_000;

function lateCommand({ completion, limits }: PlacedAgent): readonly Complaint[] {
  const { command } = completion.value;
  if (typeof command !== "object" || (command.timeout ?? 0) < (limits.value.completion ?? COMPLETION_MS)) return [];
  return [
    {
      path: [...completion.at("command"), "timeout"],
      at: "value",
      message: "the completion check as a whole ends before this timeout does",
      hint: "raise limits.completion (2m unless set)",
    },
  ];
}
