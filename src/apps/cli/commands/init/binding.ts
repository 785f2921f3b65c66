import { join } from "node:path";
import { bindAgents, settingsFor } from "../../../../edge/host/daemon/daemon-agents.ts";
import { type RuntimeSettings, readRuntimes } from "../../../../edge/host/opening/runtime-settings.ts";
import type { SettingsFile } from "../../../install/runtime.ts";
import { readSettings } from "../../../install/settings-file.ts";
import { STARTER_CONFIG } from "../../../install/starter-config.ts";
import type { Outcome } from "../../line/outcome.ts";
import { textOf } from "../behavior/world.ts";
import type { InitRequest } from "./answers.ts";
import type { InitWorld } from "./world.ts";

/** How the runtime will be bound. `files` is the starter configuration, where there is none yet. */
export type Binding = {
  readonly settings: RuntimeSettings;
  readonly agent: string;
  /** `runtimes.json` says something else yet, or nothing. */
  readonly isNew: boolean;
  readonly files: readonly SettingsFile[];
};

/** The agent of the starter configuration. */
const STARTER_AGENT = "coding";

/** What a runtime is bound to stays as it is; one that is new is watched only. An outcome when it could not be bound at all. */
export async function bindingFor({ runtime, args }: InitRequest, world: InitWorld): Promise<Binding | Outcome> {
  const { home } = world;
  const { [runtime.name]: before } = await readRuntimes(home);
  const agent = textOf(args.agent) ?? before?.agent;
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
  // The workspace's own file only adds to it, and is nobody's concern here.
  const bound = await bindAgents(home, home);
  if (bound.kind === "broken") {
    const message = `${bound.message}; until that is right every call would be refused`;
    const next = [{ command: `conduct config check ${config}`, description: "See every fault" }];
    return { ok: false, code: "CONFIG_INVALID", message, fix: `conduct config check ${config}`, next };
  }
  const told = settingsFor(runtime.name, { agents: bound.agents, runtimes: { [runtime.name]: settings } });
  if ("message" in told) {
    const names = bound.agents.map(({ name }) => name);
    const fix = `conduct init ${runtime.name} --agent ${names[0]}`;
    return { ok: false, code: "AGENT_NEEDED", message: told.message, fix, result: { agents: names }, next: [] };
  }
  return { settings, agent: told.agent, isNew, files: [] };
}

/** Written once; from then on it is the person's, and undoing leaves it. */
function starterFile(path: string): SettingsFile {
  const about = "what your agents are bound to, for you to change; undoing leaves it";
  return { path, about, add: () => ({ text: STARTER_CONFIG }), remove: (text) => ({ text }), faults: () => [] };
}

function noAgent(agent: string, config: string): Outcome {
  const message = `there is no agent '${agent}': ${config} is not there yet`;
  return { ok: false, code: "AGENT_NEEDED", message, fix: "leave --agent out", next: [] };
}
