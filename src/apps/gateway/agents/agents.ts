import { join } from "node:path";
import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { AgentsStore, AgentVersion } from "../../../base/ports/stores/agents.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { loadConfigText } from "../../../edge/host/opening/load-config.ts";
import { serverFaults } from "../../../edge/host/opening/load-servers.ts";
import type { ConfigFault } from "../../../engine/agent/config/config-source.ts";
import type { Conduct } from "../../../engine/session/conduct.ts";
import { Listeners } from "../listeners.ts";

/** The author of versions that come from conduct.yaml. */
const FILE = "conduct.yaml";

const MOST_NAME = 100;
const HINT = `use another name of at most ${MOST_NAME} characters`;

export type PutAgent =
  | { readonly kind: "done"; readonly version: AgentVersion }
  | { readonly kind: "faults"; readonly faults: readonly ConfigFault[] }
  | { readonly kind: "moved"; readonly newest: number };

/** An agent in force: its definition, and its stored version if it has one. */
export type KnownAgent = { readonly agent: Agent; readonly definition: JsonObject; readonly version?: AgentVersion };

/**
 * The agents that the gateway serves. Every change is a version with author and reason, in force from the next turn of
 * every session.
 */
export class Agents {
  readonly #conduct: Conduct;
  readonly #store: AgentsStore;
  readonly #clock: Clock;
  readonly #home: string;
  readonly #known = new Map<string, KnownAgent>();
  readonly #changes = new Listeners<string>();

  constructor(conduct: Conduct, store: AgentsStore, clock: Clock, home: string) {
    this.#conduct = conduct;
    this.#home = home;
    this.#store = store;
    this.#clock = clock;
    for (const agent of conduct.agents) this.#known.set(agent.name, { agent, definition: {} });
  }

  get all(): readonly KnownAgent[] {
    return [...this.#known.values()].sort((a, b) => (a.agent.name < b.agent.name ? -1 : 1));
  }

  find(name: string): KnownAgent | undefined {
    return this.#known.get(name);
  }

  /**
   * Stores definitions that changed in conduct.yaml since the file's last version; changes made over the API stay.
   * Returns errors.
   */
  async load(fromFile: { readonly [name: string]: JsonObject }): Promise<readonly string[]> {
    for (const [name, definition] of Object.entries(fromFile)) {
      const newest = (await this.#store.read(name))?.version ?? 0;
      const own = await this.#lastBy(FILE, name, newest);
      if (own !== undefined && canonicalJson(own.definition) === canonicalJson(definition)) continue;
      const reason = own === undefined ? "first seen in conduct.yaml" : "changed in conduct.yaml";
      await this.#store.put(name, newest, { definition, at: this.#clock.now(), by: FILE, reason });
    }
    const broken: string[] = [];
    for (const version of await this.#store.list()) {
      const read = await this.#read(version.name, version.definition);
      if ("agent" in read) this.#use(read.agent, version);
      else {
        const faults = read.faults.map(({ message }) => message).join("; ");
        broken.push(`agent '${version.name}', version ${version.version}: ${faults}`);
      }
    }
    return broken;
  }

  async put(name: string, after: number, definition: JsonObject, by: string, reason: string): Promise<PutAgent> {
    const read = await this.#read(name, definition);
    if ("faults" in read) return { kind: "faults", faults: read.faults };
    const write = { definition: withoutLegacy(definition), at: this.#clock.now(), by, reason };
    if (!(await this.#store.put(name, after, write)))
      return { kind: "moved", newest: (await this.#store.read(name))?.version ?? 0 };
    const version = { name, version: after + 1, ...write };
    this.#use(read.agent, version);
    return { kind: "done", version };
  }

  /** Uses the newest stored version, which another gateway has written. */
  async reload(name: string): Promise<void> {
    const version = await this.#store.read(name);
    const read = version && (await this.#read(name, version.definition));
    if (version !== undefined && read !== undefined && "agent" in read) this.#use(read.agent, version);
  }

  /** Calls the listener when a definition changes. Returns a function that unsubscribes. */
  onChange(listener: (name: string) => void): () => void {
    return this.#changes.subscribe(undefined, listener);
  }

  /** All versions, newest first. */
  async versions(name: string): Promise<readonly AgentVersion[]> {
    const newest = (await this.#store.read(name))?.version ?? 0;
    const found = await Promise.all(Array.from({ length: newest }, (_, at) => this.#store.version(name, newest - at)));
    return found.filter((one) => one !== undefined);
  }

  version(name: string, version: number): Promise<AgentVersion | undefined> {
    return this.#store.version(name, version);
  }

  /** JSON is YAML, so one parser serves both. Files named in it are relative to the operator's home. */
  async #read(
    name: string,
    definition: JsonObject,
  ): Promise<{ readonly agent: Agent } | { readonly faults: readonly ConfigFault[] }> {
    const text = JSON.stringify({ agents: { [name]: withoutLegacy(definition) } }, null, 2);
    const loaded = await loadConfigText(text, join(this.#home, "conduct.yaml"), `agents/${name}`);
    const { parsed } = loaded;
    if ("faults" in parsed) return parsed;
    const faults = serverFaults({ ...loaded, parsed }, process.env);
    if (faults.length > 0) return { faults };
    const [agent] = parsed.agents;
    // `defaults` is merged into every agent and is not an agent itself.
    if (agent?.name !== name || name.length > MOST_NAME) {
      const short = cutGraphemes(name, MOST_NAME);
      const message = `'${short}' is not a valid name for an agent`;
      return {
        faults: [{ file: `agents/${short}`, line: 1, column: 1, path: `agents.${short}`, message, hint: HINT }],
      };
    }
    try {
      this.#conduct.withPlugins(agent);
    } catch (error) {
      const fault = { file: `agents/${name}`, line: 1, column: 1, path: `agents.${name}` };
      return { faults: [{ ...fault, message: errorText(error), hint: "rename the agent's or the plugin's" }] };
    }
    return { agent };
  }

  #use(agent: Agent, version: AgentVersion): void {
    // Two writes may be acknowledged in the other order.
    if ((this.#known.get(agent.name)?.version?.version ?? 0) > version.version) return;
    const inForce = this.#conduct.setAgent(agent);
    this.#known.set(agent.name, { agent: inForce, definition: version.definition, version });
    this.#changes.tell(undefined, agent.name);
  }

  async #lastBy(by: string, name: string, newest: number): Promise<AgentVersion | undefined> {
    for (let at = newest; at > 0; at--) {
      const one = await this.#store.version(name, at);
      if (one?.by === by) return one;
    }
    return undefined;
  }
}

/** Turns a legacy `system_prompt` into `soul`, unless there is a soul already. */
function withoutLegacy(definition: JsonObject): JsonObject {
  const { system_prompt, ...rest } = definition;
  return typeof system_prompt === "string" && rest.soul === undefined ? { ...rest, soul: system_prompt } : rest;
}

export function isLegacy(definition: JsonObject): boolean {
  return typeof definition.system_prompt === "string";
}
