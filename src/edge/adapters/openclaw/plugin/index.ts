import { AsyncLocalStorage } from "node:async_hooks";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { daemonHost } from "../../../host/daemon-host.ts";
import { OpenClawAdapter } from "../adapter.ts";
import type { OpenClawApi } from "../native.ts";
import { registerHooks } from "../register.ts";
import { readSettings } from "../settings.ts";
import manifest from "./openclaw.plugin.json" with { type: "json" };

type Loaded = { readonly adapter: OpenClawAdapter; runtime: OpenClawApi["runtime"] };

/** OpenClaw registers a plugin several times in one process; its conversations are the same. */
const loaded = new Map<string, Loaded>();

/** What OpenClaw loads: its sessions are with this account's daemon, or behind the socket that it is told. */
export default {
  id: manifest.id,
  name: manifest.name,
  description: manifest.description,
  register(api: OpenClawApi): void {
    const { waitMs } = readSettings(api.pluginConfig);
    registerHooks(api, adapterFor(api), { toolNames: manifest.contracts.tools, waitMs });
  },
};

function adapterFor({ pluginConfig, runtime }: OpenClawApi): OpenClawAdapter {
  const { socket, operators, waitMs } = readSettings(pluginConfig);
  const key = JSON.stringify([socket, operators, waitMs]);
  const known = loaded.get(key);
  if (known !== undefined) {
    known.runtime = runtime;
    return known.adapter;
  }
  const host = daemonHost(socket === undefined ? process.env : { ...process.env, CONDUCT_SOCKET: socket });
  // A run of OpenClaw's lends its rights to all that begins in it; here none has begun.
  const outside = AsyncLocalStorage.snapshot();
  const options = { host, operators, waitMs, abort, outside };
  const made: Loaded = { adapter: new OpenClawAdapter(options, () => made.runtime), runtime };
  loaded.set(key, made);
  return made.adapter;
}

/** Found by OpenClaw, for the plugins that it loads. */
const SDK = "openclaw/plugin-sdk/agent-harness-runtime";

/** The hook that asks for it answers first: the call is refused in any case. */
function abort(sessionId: string): void {
  setTimeout(async () => {
    try {
      const sdk: { abortAgentHarnessRun?(id: string): boolean } = await import(SDK);
      sdk.abortAgentHarnessRun?.(sessionId);
    } catch (error) {
      console.warn(`[conduct] the run goes on, without any call: ${errorText(error)}`);
    }
  });
}
