import type { Session } from "../../../engine/moments/session.ts";
import { conductHooks } from "./hooks.ts";
import type { ClaudeOptions, ClaudeSdk, HookMatcher } from "./native.ts";
import { observer, type StreamMessage } from "./observe.ts";
import { ownTools } from "./own-tools.ts";
import { scopesOf } from "./scopes.ts";
import { systemPromptWith } from "./system-prompt.ts";
import { OWN_SERVER } from "./tool-map.ts";

export type ConductSettings = {
  /** The module `@anthropic-ai/claude-agent-sdk`; imported when left out. */
  readonly sdk?: ClaudeSdk;
};

/**
 * The query's options with Conduct in them: its hooks beside the host's own, its prompt, its tools. Call it once for
 * each query. An allow of Conduct's grants nothing: permission mode, rules and `canUseTool` hold as before.
 */
export async function withConduct<O extends object>(
  options: O & ClaudeOptions,
  session: Session,
  settings: ConductSettings = {},
): Promise<O> {
  const { canUseTool, permissionPromptToolName, model, env } = options;
  const scopes = scopesOf(session);
  session.notice({ kind: "started", adapter: "claude", ...(model === undefined ? {} : { model }) });
  const prompt = await session.onPrompt();
  const systemPrompt = systemPromptWith(options.systemPrompt, prompt.text);
  const server = ownTools(settings.sdk ?? (await importSdk()), scopes);
  const hooks = conductHooks({
    scopes,
    asker: canUseTool !== undefined || permissionPromptToolName !== undefined,
    promptHash: prompt.hash,
    ...(env?.HOME === undefined ? {} : { home: env.HOME }),
  });
  return {
    ...options,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    hooks: beside(options.hooks, hooks),
    mcpServers: { ...options.mcpServers, [OWN_SERVER]: server },
  };
}

/** A query with its options: what `query` of the SDK takes. */
export type QueryParams<P, O> = { readonly prompt: P; readonly options?: O & ClaudeOptions };

export type ConductQuerySettings<P, O, M> = {
  readonly sdk: ClaudeSdk & { query(params: { prompt: P; options?: O }): AsyncIterable<M> };
  /** The session goes on after this query, as it does where the next message resumes it. */
  readonly keepOpen?: boolean;
};

/** Runs a query under Conduct: passes its messages on and reports usage, replies and the end. */
export async function* conductQuery<P, O extends object, M extends StreamMessage>(
  { prompt, options }: QueryParams<P, O>,
  session: Session,
  { sdk, keepOpen = false }: ConductQuerySettings<P, O, M>,
): AsyncGenerator<M, void, undefined> {
  const given = options ?? ({} as O & ClaudeOptions);
  const scopes = scopesOf(session);
  const resumed = "resume" in given || "continue" in given;
  const observe = observer((notice) => session.notice(notice), { resumed, totals: scopes.totals });
  let reason = "completed";
  try {
    for await (const message of sdk.query({ prompt, options: await withConduct(given, session, { sdk }) })) {
      observe(message);
      yield message;
    }
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
    throw error;
  } finally {
    if (!keepOpen) scopes.end(reason);
  }
}

/** The host's hooks stay as they are; every hook of an event runs. */
function beside(theirs: object | undefined, ours: { readonly [event: string]: HookMatcher[] }): object {
  const merged: Record<string, unknown[]> = {};
  for (const [event, matchers] of [...Object.entries(theirs ?? {}), ...Object.entries(ours)]) {
    merged[event] = [...(merged[event] ?? []), ...(Array.isArray(matchers) ? matchers : [])];
  }
  return merged;
}

async function importSdk(): Promise<ClaudeSdk> {
  const name: string = "@anthropic-ai/claude-agent-sdk";
  return (await import(name)) as ClaudeSdk;
}
