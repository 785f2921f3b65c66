import { daemonHost } from "../../host/daemon-host.ts";
import { type OpencodeOptions, opencodeHooks } from "./adapter.ts";
import type { OpencodePlugin } from "./native.ts";

/**
 * The plugin that OpenCode loads: its sessions are held by this account's daemon, that of `home` where one is named. Loads nothing of
 * the engine, which Bun could not run.
 */
export function conductPlugin({ home, ...options }: OpencodeOptions & { readonly home?: string } = {}): OpencodePlugin {
  const host = daemonHost(home === undefined ? process.env : { ...process.env, CONDUCT_HOME: home });
  return async (input) => opencodeHooks(host, input, options);
}
