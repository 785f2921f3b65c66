import { join, resolve } from "node:path";
import { isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { type AppServer, type CodexProgram, withAppServer } from "./app-server.ts";

import { CODEX_EVENTS, isConductHook } from "./hooks-json.ts";

/** A hook of ours as Codex sees it. */
export type CodexHook = {
  /** The file that it is registered in. */
  readonly from: string;
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
  return withAppServer(programOf(codexHome, codexBin), (server) => statusOf(server, codexHome, cwd));
}

/**
 * An operator's explicit step: trusts Conduct's hooks, and no others, as they stand in `hooks.json` now. A later change of
 * one revokes it.
 */
export function trustCodexHooks(codexHome: string, cwd: string, codexBin: string): Promise<CodexTrust> {
  return withAppServer(programOf(codexHome, codexBin), async (server) => {
    const { hooks } = await statusOf(server, codexHome, cwd);
    const value = Object.fromEntries(hooks.map(({ key, hash }) => [key, { trusted_hash: hash }]));
    const edits = [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }];
    await server.request("config/batchWrite", { edits, reloadUserConfig: true });
    return statusOf(server, codexHome, cwd);
  });
}

/** Every hook of ours that Codex knows of when it works in `cwd`, wherever it is registered. */
export async function conductHooks(server: AppServer, cwd: string): Promise<readonly CodexHook[]> {
  const { data } = await server.request("hooks/list", { cwds: [cwd] });
  const entries = Array.isArray(data) ? data.filter(isObject) : [];
  const listed = entries.flatMap(({ hooks }) => (Array.isArray(hooks) ? hooks.filter(isObject) : []));
  return listed.filter(({ command }) => isConductHook(command)).map(hookOf);
}

/** What is wrong with the hooks that are registered there, a sentence for each event that Conduct would not see. */
export function missingHooks(hooks: readonly CodexHook[], where: string): readonly string[] {
  return CODEX_EVENTS.flatMap((event) => {
    const own = hooks.filter((hook) => hook.event === event);
    if (own.length === 0) return [`${event}: no hook of Conduct is registered in ${where}`];
    return own.some(({ trusted }) => trusted) ? [] : [`${event}: the hook is not trusted, so Codex skips it silently`];
  });
}

async function statusOf(server: AppServer, codexHome: string, cwd: string): Promise<CodexTrust> {
  const file = join(resolve(codexHome), "hooks.json");
  const hooks = (await conductHooks(server, cwd)).filter(({ from }) => from === file);
  const faults = missingHooks(hooks, file);
  return { bound: faults.length === 0, hooks, faults };
}

function programOf(codexHome: string, codexBin: string): CodexProgram {
  return { codexBin, env: { ...process.env, CODEX_HOME: codexHome } };
}

/** Codex lists events in camel case: `preToolUse`. */
function hookOf({ sourcePath, key, eventName, currentHash, trustStatus, enabled }: JsonObject): CodexHook {
  const event = String(eventName);
  return {
    from: String(sourcePath),
    key: String(key),
    event: `${event.charAt(0).toUpperCase()}${event.slice(1)}`,
    hash: String(currentHash),
    trusted: (trustStatus === "trusted" || trustStatus === "managed") && enabled !== false,
  };
}
