import { join, resolve } from "node:path";
import { isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { type AppServer, withAppServer } from "./app-server.ts";

import { CODEX_EVENTS, isConductHook } from "./hooks-json.ts";

/** A hook of ours in `hooks.json` as Codex sees it. */
export type CodexHook = {
  readonly key: string;
  readonly event: string;
  readonly hash: string;
  readonly trusted: boolean;
};

/** Codex skips an untrusted hook without a word: unless `bound`, nothing of Conduct is enforced there. */
export type CodexTrust = {
  readonly bound: boolean;
  readonly hooks: readonly CodexHook[];
  /** What is wrong, a sentence each; empty when `bound`. */
  readonly faults: readonly string[];
};

/** Whether Codex, working in `cwd`, will really run every hook that Conduct needs. The self-test of this adapter. */
export function codexTrustStatus(codexHome: string, cwd: string, codexBin: string): Promise<CodexTrust> {
  return withAppServer({ codexHome, codexBin }, (server) => statusOf(server, codexHome, cwd));
}

/**
 * An operator's explicit step: trusts Conduct's hooks, and no others, as they stand in `hooks.json` now. A later change of
 * one revokes it.
 */
export function trustCodexHooks(codexHome: string, cwd: string, codexBin: string): Promise<CodexTrust> {
  return withAppServer({ codexHome, codexBin }, async (server) => {
    const { hooks } = await statusOf(server, codexHome, cwd);
    const value = Object.fromEntries(hooks.map(({ key, hash }) => [key, { trusted_hash: hash }]));
    const edits = [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }];
    await server.request("config/batchWrite", { edits, reloadUserConfig: true });
    return statusOf(server, codexHome, cwd);
  });
}

async function statusOf(server: AppServer, codexHome: string, cwd: string): Promise<CodexTrust> {
  const file = join(resolve(codexHome), "hooks.json");
  const { data } = await server.request("hooks/list", { cwds: [cwd] });
  const entries = Array.isArray(data) ? data.filter(isObject) : [];
  const listed = entries.flatMap(({ hooks }) => (Array.isArray(hooks) ? hooks.filter(isObject) : []));
  const hooks = listed.filter(({ sourcePath, command }) => sourcePath === file && isConductHook(command)).map(hookOf);
  const faults = CODEX_EVENTS.flatMap((event) => {
    const own = hooks.filter((hook) => hook.event === event);
    if (own.length === 0) return [`${event}: no hook of Conduct is registered in ${file}`];
    return own.some(({ trusted }) => trusted) ? [] : [`${event}: the hook is not trusted, so Codex skips it silently`];
  });
  return { bound: faults.length === 0, hooks, faults };
}

/** Codex lists events in camel case: `preToolUse`. */
function hookOf({ key, eventName, currentHash, trustStatus, enabled }: JsonObject): CodexHook {
  const event = String(eventName);
  return {
    key: String(key),
    event: `${event.charAt(0).toUpperCase()}${event.slice(1)}`,
    hash: String(currentHash),
    trusted: (trustStatus === "trusted" || trustStatus === "managed") && enabled !== false,
  };
}
