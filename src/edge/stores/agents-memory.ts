import type { AgentsStore, AgentVersion } from "../../base/ports/stores/agents.ts";

/** Keeps agents' definitions, every version of them, in this process. */
export function memoryAgents(): AgentsStore {
  const kept = new Map<string, readonly AgentVersion[]>();
  const versions = (name: string) => kept.get(name) ?? [];

  return {
    async read(name) {
      return structuredClone(versions(name).at(-1));
    },
    async put(name, after, { definition, at, by, reason }) {
      const older = versions(name);
      if (older.length !== after) return false;
      const next = structuredClone({ name, version: after + 1, definition, at, by, reason });
      kept.set(name, [...older, next]);
      return true;
    },
    async version(name, version) {
      return structuredClone(versions(name)[version - 1]);
    },
    async list() {
      return structuredClone([...kept.values()].flatMap((some) => some.slice(-1)).sort(byName));
    },
  };
}

export function byName(a: AgentVersion, b: AgentVersion): number {
  return a.name < b.name ? -1 : 1;
}
