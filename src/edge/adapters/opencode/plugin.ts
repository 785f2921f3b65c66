import { checkOptions, optional, text } from "../../../base/kernel/check-options.ts";
import { daemonHost } from "../../host/daemon/daemon-host.ts";
import { gateVariables } from "../../host/gate/gate-place.ts";
import { conductHome } from "../../host/workspace/conduct-home.ts";
import { type OpencodeOptions, opencodeHooks, opencodeKeys } from "./adapter.ts";
import type { OpencodePlugin } from "./native.ts";

/**
 * The plugin that OpenCode loads. Its sessions are in this account's daemon, or in that of `home`. Imports nothing of
 * the engine, which Bun cannot run.
 */
export function conductPlugin(given: OpencodeOptions & { readonly home?: string } = {}): OpencodePlugin {
  checkOptions("conductPlugin", given, { ...opencodeKeys, home: optional(text) });
  const { home, ...options } = given;
  const host = daemonHost(home === undefined ? process.env : { ...process.env, CONDUCT_HOME: home });
  return async (input) => ({
    ...(await opencodeHooks(host, input, options)),
    "shell.env": async ({ sessionID = "" }, output) => {
      const before = { ...process.env, ...output.env };
      Object.assign(output.env, gateVariables(home ?? conductHome(), before, sessionID));
    },
  });
}
