import { AsyncLocalStorage } from "node:async_hooks";
import { daemonHost } from "../../host/daemon/daemon-host.ts";
import { OpenClawAdapter } from "./adapter.ts";
import type { OpenClawApi } from "./native.ts";
import { registerHooks } from "./register.ts";
import { readSettings } from "./settings.ts";

/** Ends a run of OpenClaw's, by the id of its session. */
type Abort = (sessionId: string) => Promise<void>;
type Loaded = { readonly adapter: OpenClawAdapter; runtime: OpenClawApi["runtime"] };

/** By their settings. OpenClaw registers a plugin several times in one process; its conversations are the same. */
const loaded = new Map<string, Loaded>();

/**
 * Registers Conduct: its sessions are with the daemon of `home`, of this account unless given, or behind the socket that the settings
 * name.
 */
export function registerConduct(api: OpenClawApi, toolNames: readonly string[], abort: Abort, home?: string): void {
  const { waitMs } = readSettings(api.pluginConfig);
  registerHooks(api, adapterFor(api, abort, home), { toolNames, waitMs });
}

function adapterFor({ pluginConfig, runtime }: OpenClawApi, abort: Abort, home: string | undefined): OpenClawAdapter {
  const { socket, operators, waitMs } = readSettings(pluginConfig);
  const key = JSON.stringify([socket, operators, waitMs, home]);
  const known = loaded.get(key);
  if (known !== undefined) {
    known.runtime = runtime;
    return known.adapter;
  }
  const env = { ...process.env, ...(home === undefined ? {} : { CONDUCT_HOME: home }) };
  const host = daemonHost(socket === undefined ? env : { ...env, CONDUCT_SOCKET: socket });
  // A run of OpenClaw's lends its rights to all that begins in it; here none has begun.
  const outside = AsyncLocalStorage.snapshot();
  const made: Loaded = {
    adapter: new OpenClawAdapter({ host, operators, waitMs, abort, outside }, () => made.runtime),
    runtime,
  };
  loaded.set(key, made);
  return made.adapter;
}
