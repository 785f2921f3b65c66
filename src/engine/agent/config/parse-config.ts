import { z } from "zod";
import { asObject } from "../../../base/kernel/json.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { agentRules, packOf } from "../agent-rules.ts";
import { buildAgent } from "../build-agent.ts";
import { agentWarnings, configWarnings, senseComplaints, toldWarnings } from "./config-checks.ts";
import { type ConfigFiles, resolveTexts, textFilesOf } from "./config-files.ts";
import {
  type AgentConfig,
  agentSchema,
  type ConfigFile,
  configSchema,
  type EndpointConfig,
  type GatewayConfig,
  type ReviewConfig,
  type ScheduleConfig,
} from "./config-schema.ts";
import { type Complaint, type ConfigFault, type ConfigPath, ConfigSource, sortFaults } from "./config-source.ts";
import type { ChannelConfig } from "./prompt-schema.ts";
import { type Form, readForm, validKeys } from "./schema-faults.ts";

/** A part of an agent and its place in the file. */
export type Placed<T> = { readonly value: T; readonly path: ConfigPath };

/** A map merged from defaults and agent. `at` tells where a key was written. */
export type PlacedMap<T> = Placed<T> & { at(key: string): ConfigPath };

const LISTS = [
  "sections",
  "tools",
  "policies",
  "rules",
  "feedback",
  "trustedTools",
  "promptContributors",
  "custom",
] as const;
const MAPS = [
  "actions",
  "programs",
  "limits",
  "completion",
  "identity",
  "prompt",
  "sessionLabels",
  "checkpoints",
  "mcpServers",
] as const;
const SINGLES = ["model", "runtime", "soul", "memory", "elevation", "network"] as const;

type ListKey = (typeof LISTS)[number];
type MapKey = (typeof MAPS)[number];
type SingleKey = (typeof SINGLES)[number];
type Item<K extends ListKey> = NonNullable<AgentConfig[K]>[number];

/** An agent's configuration merged with the defaults. */
export type PlacedAgent = { readonly name: string; readonly path: ConfigPath } & {
  readonly [K in ListKey]: readonly Placed<Item<K>>[];
} & { readonly [K in MapKey]: PlacedMap<NonNullable<AgentConfig[K]>> } & {
  readonly [K in SingleKey]?: Placed<NonNullable<AgentConfig[K]>>;
};

/**
 * Lists are joined, defaults first, so that no default constraint is lost; a duplicate name is then a fault. Maps are
 * merged key by key, and the agent's own values win.
 */
function mergeDefaults(name: string, own: AgentConfig, defaults: AgentConfig): PlacedAgent {
  const path = ["agents", name];
  const joined = <K extends ListKey>(key: K): readonly Placed<Item<K>>[] => [
    ...place<Item<K>>(defaults[key], ["agents", "defaults", key]),
    ...place<Item<K>>(own[key], [...path, key]),
  ];
  const merged = <K extends MapKey>(key: K): PlacedMap<NonNullable<AgentConfig[K]>> => {
    const [ofDefaults, ofAgent] = [
      ["agents", "defaults", key],
      [...path, key],
    ];
    return {
      value: { ...defaults[key], ...own[key] } as NonNullable<AgentConfig[K]>,
      path: own[key] === undefined && defaults[key] !== undefined ? ofDefaults : ofAgent,
      at: (name) => [...(Object.hasOwn(own[key] ?? {}, name) ? ofAgent : ofDefaults), name],
    };
  };
  const single = (key: SingleKey) => {
    if (own[key] !== undefined) return [[key, { value: own[key], path: [...path, key] }]];
    return defaults[key] === undefined ? [] : [[key, { value: defaults[key], path: ["agents", "defaults", key] }]];
  };
  return {
    name,
    path,
    ...Object.fromEntries([
      ...LISTS.map((key) => [key, joined(key)]),
      ...MAPS.map((key) => [key, merged(key)]),
      ...SINGLES.flatMap(single),
    ]),
  };
}

function withoutPlaces(agent: PlacedAgent): AgentConfig {
  return Object.fromEntries([
    ...LISTS.map((key) => [key, agent[key].map(({ value }) => value)]),
    ...MAPS.map((key) => [key, agent[key].value]),
    ...SINGLES.flatMap((key) => (agent[key] === undefined ? [] : [[key, agent[key].value]])),
  ]);
}

function place<T>(items: readonly T[] | undefined, path: ConfigPath): readonly Placed<T>[] {
  return (items ?? []).map((value, at) => ({ value, path: [...path, at] }));
}

const configForm: Form<ConfigFile> = {
  schema: configSchema,
  unknownKey(path, key) {
    if (path.length > 0) return undefined;
    // A planned key: ignoring it silently would mislead.
    if (key === "store") {
      return { message: `'${key}' is not supported yet`, hint: "it is planned for a later version; remove it for now" };
    }
    return Object.hasOwn(agentSchema.shape, key) ? { hint: `move it to an agent: agents.<name>.${key}` } : undefined;
  },
};

/** Usable agents, or all faults. Warnings do not prevent use. */
export type ParsedConfig =
  | {
      readonly agents: readonly Agent[];
      /** The configuration of each agent with the defaults merged in. */
      readonly configs: readonly AgentConfig[];
      /**
       * The same as written in the file (`30m`, not milliseconds), so that it can be stored, changed and parsed again.
       */
      readonly definitions: readonly JsonObject[];
      readonly channels: { readonly [name: string]: ChannelConfig };
      readonly schedules: readonly ScheduleConfig[];
      readonly gateway: GatewayConfig;
      readonly review: ReviewConfig;
      /** Modules as written, relative to the file. */
      readonly plugins: readonly string[];
      /** Custom models by provider/model. */
      readonly models: { readonly [name: string]: EndpointConfig };
      readonly warnings: readonly ConfigFault[];
    }
  | { readonly faults: readonly ConfigFault[] };

/** Parses conduct.yaml. `file` is its name in faults, `files` the files it names. */
export function parseConfig(text: string, file: string, files: ConfigFiles = {}): ParsedConfig {
  const source = new ConfigSource(text, file);
  const read = readForm(source, configForm);
  if ("faults" in read) return read;
  const { locate } = source;
  const resolved = mergeAll(read.data?.agents ?? validParts(source.value)).map((config) =>
    resolveTexts(config, files.texts ?? new Map(), files.locate),
  );
  const configs = resolved.map(({ agent }) => agent);
  const rules = configs.map((config) => agentRules(config, files.rules ?? new Map(), file, locate));
  const built = configs.map((config, at) => buildAgent(config, rules[at]?.ruleSet));
  const complaints = [
    ...read.complaints,
    ...(read.data !== undefined && configs.length === 0 ? [NO_AGENTS] : []),
    ...resolved.flatMap((one) => one.complaints),
    ...configs.flatMap(senseComplaints),
    ...built.flatMap((one) => one.complaints),
  ];
  const faults = [...complaints.map(locate), ...rules.flatMap((one) => one.faults)];
  if (faults.length > 0) return { faults: sortFaults(faults) };
  const channels = Object.entries(read.data?.channels ?? {}).map(([name, channel]) => [name, channel ?? {}] as const);
  const declared = channels.map(([name]) => name);
  const names = configs.map(({ name }) => name);
  const ofAgents = configs.flatMap((config, at) => [
    ...configWarnings(config, Object.keys(rules[at]?.ruleSet?.actions ?? {})).map(locate),
    ...toldWarnings(config, declared).map(locate),
    ...(rules[at]?.warnings ?? []),
  ]);
  const warnings = [...ofAgents, ...agentWarnings(read.data ?? {}, names).map(locate)];
  return {
    agents: built.map(({ agent }) => agent),
    configs: configs.map(withoutPlaces),
    definitions: mergeAll(asObject(source.value).agents as ConfigFile["agents"]).map((config) =>
      definitionOf(resolveTexts(config, files.texts ?? new Map(), files.locate).agent),
    ),
    channels: Object.fromEntries(channels),
    schedules: read.data?.schedules ?? [],
    gateway: read.data?.gateway ?? {},
    review: read.data?.review ?? {},
    plugins: read.data?.plugins ?? [],
    models: read.data?.models ?? {},
    warnings: sortFaults(warnings),
  };
}

/** Files that conduct.yaml names, as written; none when the text cannot be parsed. */
export function fileReferences(text: string): { readonly rules: readonly string[]; readonly texts: readonly string[] } {
  const { value } = new ConfigSource(text, "");
  const agents = Object.values(validParts(value)).filter((agent) => agent !== null);
  const rules = agents.flatMap((agent) => (agent.rules ?? []).flatMap((item) => packOf(item)?.pack ?? []));
  return { rules: [...new Set(rules)], texts: [...new Set(agents.flatMap(textFilesOf))] };
}

const NO_AGENTS: Complaint = {
  path: ["agents"],
  message: "'agents' is empty",
  hint: "add an agent: its name, and below it tools, policies, feedback, completion or limits ('defaults' is not an agent)",
};

/** Name of the agent when the file has only `defaults`. */
const MAIN = "main";

function mergeAll(agents: ConfigFile["agents"]): readonly PlacedAgent[] {
  const { defaults, ...own } = agents;
  const named = Object.keys(own).length === 0 && defaults != null ? { [MAIN]: {} } : own;
  return Object.entries(named).map(([name, agent]) => mergeDefaults(name, agent ?? {}, defaults ?? {}));
}

/** The definition without empty lists and maps. */
function definitionOf(agent: PlacedAgent): JsonObject {
  const filled = Object.entries(withoutPlaces(agent)).filter(
    ([, value]) => typeof value !== "object" || Object.keys(value).length > 0,
  );
  return JSON.parse(JSON.stringify(Object.fromEntries(filled)));
}

/** The valid parts of a faulty file, so that they are checked in the same run. */
function validParts(content: unknown): ConfigFile["agents"] {
  const agents = Object.entries(asObject(asObject(content).agents));
  return Object.fromEntries(agents.map(([name, agent]) => [name, validKeys(agentSchema.shape, agent)]));
}

/** JSON Schema for editors, written to `docs/schema/conduct.schema.json`. */
export function configJsonSchema(): { readonly [key: string]: unknown } {
  return {
    title: "conduct.yaml",
    description: "Agents and their constraints in Conduct.",
    ...z.toJSONSchema(configSchema, { io: "input", target: "draft-7" }),
  };
}
