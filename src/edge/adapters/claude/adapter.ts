import { errorText } from "../../../base/kernel/error-text.ts";
import type { BuiltPrompt } from "../../../base/words/prompt.ts";
import type { Session } from "../../../engine/moments/session.ts";
import { Announcements } from "./announcements.ts";
import { conductHooks } from "./hooks.ts";
import { type Input, openInput } from "./input.ts";
import type { ClaudeOptions, ClaudeSdk, HookMatcher, ThinkingControls } from "./native.ts";
import { observer, type StreamMessage } from "./observe.ts";
import type { MessageSettings } from "./on-user-prompt.ts";
import { ownTools } from "./own-tools.ts";
import { scopesOf } from "./scopes.ts";
import { Shown } from "./shown.ts";
import { systemPromptWith } from "./system-prompt.ts";
import { Thinking } from "./thinking.ts";
import { OWN_SERVER } from "./tool-map.ts";
import { promptRequest } from "./tool-names.ts";

export type ConductSettings = {
  /** The module `@anthropic-ai/claude-agent-sdk`; imported when left out. */
  readonly sdk?: ClaudeSdk;
  /** The query that these options are for, once it runs: /think sets its thinking. */
  readonly query?: () => Partial<ThinkingControls> | undefined;
};

/**
 * The query's options with Conduct in them: its hooks beside the host's own, its prompt, its tools. Call it once for
 * each query. An allow of Conduct's grants nothing: permission mode, rules and `canUseTool` hold as before.
 */
export async function withConduct<O extends object>(
  options: O & ClaudeOptions,
  session: Session,
  { sdk, query }: ConductSettings = {},
): Promise<O> {
  start(options, session);
  const prompt = await session.onPrompt(promptRequest(options, session));
  const thinking = new Thinking(options, () => query?.());
  return optionsWith(options, session, sdk ?? (await importSdk()), { prompt, thinking, shown: new Shown() });
}

/** A query with its options: what `query` of the SDK takes. */
export type QueryParams<P, O> = { readonly prompt: P; readonly options?: O & ClaudeOptions };

export type ConductQuerySettings<P, O, M> = {
  readonly sdk: ClaudeSdk & { query(params: { prompt: P; options?: O }): AsyncIterable<M> & Partial<ThinkingControls> };
  /** The session goes on after this query, as it does where the next message resumes it. */
  readonly keepOpen?: boolean;
};

/**
 * Runs a query under Conduct: takes the modes out of the messages before they are sent, passes the runtime's messages on
 * and reports usage, replies and the end. A message of modes only is answered by a `result` with `num_turns: 0`.
 */
export async function* conductQuery<P extends Input, O extends object, M extends StreamMessage>(
  { prompt, options }: QueryParams<P, O>,
  session: Session,
  { sdk, keepOpen = false }: ConductQuerySettings<P, O, M>,
): AsyncGenerator<M, void, undefined> {
  const given = options ?? ({} as O & ClaudeOptions);
  const scopes = scopesOf(session);
  const observe = observer((notice) => session.notice(notice), { resumed: isResumed(given), totals: scopes.totals });
  let query: ReturnType<typeof sdk.query> | undefined;
  let reason = "completed";
  try {
    start(given, session);
    const announcements = new Announcements();
    const input = await openInput(prompt, (message) => announcements.add(message));
    // Heard before the query begins, so that its prompt knows of it; those after it are heard when their turn comes.
    const heard = input.first === undefined ? undefined : await session.onMessage(input.first.message);
    const built = await session.onPrompt(promptRequest(given, session));
    if (input.first !== undefined && heard !== undefined) announcements.add({ ...input.first, heard });
    const shown = new Shown();
    const ready = await optionsWith(given, session, sdk, {
      prompt: built,
      shown,
      thinking: new Thinking(given, () => query),
      announcements,
      ...(heard === undefined ? {} : { prepared: { heard, prompt: built } }),
    });
    query = sdk.query({ prompt: input.prompt, options: ready });
    for await (const message of query) {
      const plain = shown.plain(message);
      observe(plain);
      yield plain;
    }
  } catch (error) {
    reason = errorText(error);
    throw error;
  } finally {
    if (!keepOpen) scopes.end(reason);
  }
}

function start({ model }: ClaudeOptions, session: Session): void {
  session.notice({ kind: "started", adapter: "claude", ...(model === undefined ? {} : { model }) });
}

type Setup = Omit<MessageSettings, "scopes" | "request"> & { readonly prompt: BuiltPrompt };

function optionsWith<O extends object>(
  options: O & ClaudeOptions,
  session: Session,
  sdk: ClaudeSdk,
  { prompt, ...setup }: Setup,
): O {
  const { canUseTool, permissionPromptToolName, env } = options;
  const scopes = scopesOf(session);
  const systemPrompt = systemPromptWith(options.systemPrompt, scopes.told.begin(prompt, isResumed(options)));
  const hooks = conductHooks({
    ...setup,
    scopes,
    request: promptRequest(options, session),
    asker: canUseTool !== undefined || permissionPromptToolName !== undefined,
    ...(env?.HOME === undefined ? {} : { home: env.HOME }),
  });
  return {
    ...options,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    hooks: beside(options.hooks, hooks),
    mcpServers: { ...options.mcpServers, [OWN_SERVER]: ownTools(sdk, scopes) },
  };
}

/** It goes on with an older conversation. */
function isResumed({ resume, continue: goesOn }: ClaudeOptions): boolean {
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

async function importSdk(): Promise<ClaudeSdk> {
  const name: string = "@anthropic-ai/claude-agent-sdk";
  return (await import(name)) as ClaudeSdk;
}
