import type { ConfigPath } from "./config-fault.ts";
import type { AgentConfig } from "./config-schema.ts";

/** A part of an agent and the place in the file it came from. */
export type Placed<T> = { readonly value: T; readonly path: ConfigPath };

/** A map merged from two places: `at` tells where one of its keys was written. */
export type PlacedMap<T> = Placed<T> & { at(key: string): ConfigPath };

type ListKey = "sections" | "tools" | "policies" | "rules" | "feedback" | "trustedTools";
type MapKey = "actions" | "limits" | "completion";
type Item<K extends ListKey> = NonNullable<AgentConfig[K]>[number];

/** An agent's configuration with the defaults in it. */
export type PlacedAgent = { readonly name: string; readonly path: ConfigPath } & {
  readonly [K in ListKey]: readonly Placed<Item<K>>[];
} & { readonly [K in MapKey]: PlacedMap<NonNullable<AgentConfig[K]>> };

/**
 * Lists are joined, the defaults' items first; nothing in them is ever replaced, so that no default constraint is lost
 * unseen, and a name that is then there twice is a fault. Maps are merged one key at a time, and the agent's own wins.
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
  return {
    name,
    path,
    sections: joined("sections"),
    tools: joined("tools"),
    policies: joined("policies"),
    rules: joined("rules"),
    feedback: joined("feedback"),
    trustedTools: joined("trustedTools"),
    actions: merged("actions"),
    limits: merged("limits"),
    completion: merged("completion"),
  };
}

/** The merged configuration itself. */
export function withoutPlaces(agent: PlacedAgent): AgentConfig {
  const values = <T>(items: readonly Placed<T>[]): T[] => items.map(({ value }) => value);
  return {
    sections: values(agent.sections),
    tools: values(agent.tools),
    policies: values(agent.policies),
    rules: values(agent.rules),
    feedback: values(agent.feedback),
    trustedTools: values(agent.trustedTools),
    actions: agent.actions.value,
    limits: agent.limits.value,
    completion: agent.completion.value,
  };
}

function place<T>(items: readonly T[] | undefined, path: ConfigPath): readonly Placed<T>[] {
  return (items ?? []).map((value, at) => ({ value, path: [...path, at] }));
}
