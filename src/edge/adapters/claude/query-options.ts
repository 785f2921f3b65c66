import type { BuiltPrompt } from "../../../base/words/prompt.ts";
import { conductHooks, type HookSettings } from "./hooks.ts";
import type { ClaudeOptions, ClaudeSdk, HookMatcher } from "./native.ts";
import type { MessageSettings } from "./on-user-prompt.ts";
import { ownTools } from "./own-tools.ts";
import { systemPromptWith } from "./system-prompt.ts";
import { OWN_SERVER } from "./tool-map.ts";

/** What a query begins with. */
export type Beginning = MessageSettings &
  Pick<HookSettings, "waitMs"> & { readonly sdk: ClaudeSdk; readonly prompt: BuiltPrompt };

/** The host's options with Conduct's hooks, prompt and tools in them. */
export function queryOptions<O extends object>(
  options: O & ClaudeOptions,
  { sdk, prompt, ...settings }: Beginning,
): O & ClaudeOptions {
  const { canUseTool, permissionPromptToolName, env } = options;
  const { scopes } = settings;
  const systemPrompt = systemPromptWith(options.systemPrompt, scopes.told.begin(prompt, isResumed(options)));
  const hooks = conductHooks({
    ...settings,
    asker: canUseTool !== undefined || permissionPromptToolName !== undefined,
    ...(env?.HOME === undefined ? {} : { home: env.HOME }),
  });
  return {
    ...options,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    hooks: beside(options.hooks, hooks),
    // A session that is only watched adds nothing to what the model sees.
    ...(scopes.session.observing === "shadow"
      ? {}
      : { mcpServers: { ...options.mcpServers, [OWN_SERVER]: ownTools(sdk, scopes) } }),
  };
}

/** Does it go on with an older conversation? */
export function isResumed({ resume, continue: goesOn }: ClaudeOptions): boolean {
  return resume !== undefined || goesOn === true;
}

/** The host's hooks stay as they are; every hook of an event runs. */
function beside(theirs: object | undefined, ours: { readonly [event: string]: HookMatcher[] }): object {
  const merged: Record<string, unknown[]> = {};
  for (const [event, matchers] of [...Object.entries(theirs ?? {}), ...Object.entries(ours)]) {
    merged[event] = [...(merged[event] ?? []), ...(Array.isArray(matchers) ? matchers : [])];
  }
  return merged;
}
