import { AsyncLocalStorage } from "node:async_hooks";
import { daemonHost } from "../../host/daemon-host.ts";
import { OpenClawAdapter } from "./adapter.ts";
import type { OpenClawApi } from "./native.ts";
import { registerHooks } from "./register.ts";
import { readSettings } from "./settings.ts";

/** Ends a run of OpenClaw's, by the id of its session. */
type Abort = (sessionId: string) => Promise<void>;
type Loaded = { readonly adapter: OpenClawAdapter; runtime: OpenClawApi["runtime"] };

/** By their settings. OpenClaw registers a plugin several times in one process; its conversations are the same. */
const loaded = new Map<string, Loaded>();

/** Registers Conduct: its sessions are with this account's daemon, or behind the socket that the settings name. */
export function registerConduct(api: OpenClawApi, toolNames: readonly string[], abort: Abort): void {
  const { waitMs } = readSettings(api.pluginConfig);
  registerHooks(api, adapterFor(api, abort), { toolNames, waitMs });
}

function adapterFor({ pluginConfig, runtime }: OpenClawApi, abort: Abort): OpenClawAdapter {
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
  const made: Loaded = {
    adapter: new OpenClawAdapter({ host, operators, waitMs, abort, outside }, () => made.runtime),
    runtime,
  };
  loaded.set(key, made);
  return made.adapter;
}
