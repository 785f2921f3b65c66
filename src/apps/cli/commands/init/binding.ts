import { join } from "node:path";
import { bindAgents, settingsFor } from "../../../../edge/host/daemon/daemon-agents.ts";
import { type RuntimeSettings, readRuntimes } from "../../../../edge/host/opening/runtime-settings.ts";
import type { SettingsFile } from "../../../install/runtime.ts";
import { readSettings } from "../../../install/settings-file.ts";
import { STARTER_CONFIG } from "../../../install/starter-config.ts";
import { failed, type Outcome } from "../../line/outcome.ts";
import type { InitRequest, InitWorld } from "./init-world.ts";

/** How the runtime will be bound. `files` is the starter configuration if there is no configuration yet. */
export type Binding = {
  readonly settings: RuntimeSettings;
  readonly agent: string;
  /** `runtimes.json` has another entry, or none. */
  readonly isNew: boolean;
  readonly files: readonly SettingsFile[];
};

const STARTER_AGENT = "coding";

/** Keeps an existing binding; a new runtime starts in shadow mode. Returns an outcome if it cannot be bound at all. */
export async function bindingFor({ runtime, args }: InitRequest, world: InitWorld): Promise<Binding | Outcome> {
  const { home } = world;
  const { [runtime.name]: before } = await readRuntimes(home);
  const agent = args.agent ?? before?.agent;
  const wanted = {
    agent,
    enforcement: before?.enforcement ?? ("shadow" as const),
    operator: before?.operator === true || args.operator === true,
  };
  const isNew = before === undefined || before.operator !== wanted.operator || before.agent !== wanted.agent;
  const since = isNew && before === undefined ? new Date(world.now()).toISOString() : (before?.since ?? "");
  const settings = { ...wanted, since };
  const config = join(home, "conduct.yaml");
  if ((await readSettings(config)) === undefined) {
    if (agent !== undefined && agent !== STARTER_AGENT) return noAgent(agent, config);
    return { settings, agent: STARTER_AGENT, isNew, files: [starterFile(config)] };
  }
  // The workspace's own file can only add rules and does not matter here.
  const bound = await bindAgents(home, home);
  if (bound.kind === "broken") {
    const message = `${bound.message}; until that is right every call would be refused`;
    const next = [{ command: `conduct config check ${config}`, description: "See every fault" }];
    return failed("CONFIG_INVALID", message, `conduct config check ${config}`, { next });
  }
  const told = settingsFor(runtime.name, { agents: bound.agents, runtimes: { [runtime.name]: settings } });
  if ("message" in told) {
    const names = bound.agents.map(({ name }) => name);
    const fix = `conduct init ${runtime.name} --agent ${names[0]}`;
    return failed("AGENT_NEEDED", told.message, fix, { result: { agents: names } });
  }
  return { settings, agent: told.agent, isNew, files: [] };
}

/** Written once; afterwards it belongs to the person, and undo leaves it. */
function starterFile(path: string): SettingsFile {
  const about = "what your agents are bound to, for you to change; undoing leaves it";
  return { path, about, add: () => ({ text: STARTER_CONFIG }), remove: (text) => ({ text }), faults: () => [] };
}

function noAgent(agent: string, config: string): Outcome {
  const message = `there is no agent '${agent}': ${config} is not there yet`;
  return failed("AGENT_NEEDED", message, "leave --agent out");
}
