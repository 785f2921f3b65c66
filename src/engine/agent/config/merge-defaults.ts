import type { ConfigPath } from "./config-fault.ts";
import type { AgentConfig } from "./config-schema.ts";

/** A part of an agent and its place in the file. */
export type Placed<T> = { readonly value: T; readonly path: ConfigPath };

/** A map merged from defaults and agent. `at` tells where a key was written. */
export type PlacedMap<T> = Placed<T> & { at(key: string): ConfigPath };

const LISTS = ["sections", "tools", "policies", "rules", "feedback", "trustedTools", "promptContributors"] as const;
const MAPS = ["actions", "limits", "completion", "identity", "prompt", "sessionLabels", "checkpoints"] as const;
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
export function mergeDefaults(name: string, own: AgentConfig, defaults: AgentConfig): PlacedAgent {
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

export function withoutPlaces(agent: PlacedAgent): AgentConfig {
  return Object.fromEntries([
    ...LISTS.map((key) => [key, agent[key].map(({ value }) => value)]),
    ...MAPS.map((key) => [key, agent[key].value]),
    ...SINGLES.flatMap((key) => (agent[key] === undefined ? [] : [[key, agent[key].value]])),
  ]);
}

function place<T>(items: readonly T[] | undefined, path: ConfigPath): readonly Placed<T>[] {
  return (items ?? []).map((value, at) => ({ value, path: [...path, at] }));
}
