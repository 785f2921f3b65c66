import {
  callback,
  checkOptions,
  flag,
  having,
  number,
  object,
  optional,
  type ShapesOf,
} from "../../../base/kernel/check-options.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { Announcements } from "./announcements.ts";
import { type Input, openInput } from "./input.ts";
import type { ClaudeOptions, ClaudeSdk, ThinkingControls } from "./native.ts";
import { observer, type StreamMessage } from "./observe.ts";
import { isResumed, queryOptions } from "./query-options.ts";
import { scopesOf } from "./query-scopes.ts";
import { Shown } from "./shown.ts";
import { Thinking, thinkingAfter } from "./thinking.ts";
import { promptRequest } from "./tool-names.ts";

export type ConductSettings = {
  /** The module `@anthropic-ai/claude-agent-sdk`; imported when left out. */
  readonly sdk?: ClaudeSdk;
  /** How long a call waits for Conduct, and for a person whom its approver asks; then it does not run. Default: an hour. */
  readonly waitMs?: number;
  /** The query that these options are for, once there is one: /think sets its thinking. */
  readonly query?: () => Partial<ThinkingControls> | undefined;
};

/**
 * The query's options with Conduct in them: its hooks beside the host's own, its prompt, its tools. Call it once for
 * each query. An allow of Conduct's grants nothing: permission mode, rules and `canUseTool` hold as before.
 */
export async function withConduct<O extends object>(
  options: O & ClaudeOptions,
  session: SessionMoments,
  settings: ConductSettings = {},
): Promise<O> {
  checkOptions("withConduct", settings, SETTINGS);
  const { sdk, query, waitMs } = settings;
  const begun = begin(options, session, () => query?.());
  const prompt = await session.onPrompt(begun.request);
  return queryOptions(options, { ...begun, ...waiting(waitMs), sdk: sdk ?? (await importSdk()), prompt });
}

/** A query with its options: what `query` of the SDK takes. */
export type QueryParams<P, O> = { readonly prompt: P; readonly options?: O & ClaudeOptions };

export type ConductQuerySettings<P, O, M> = Pick<ConductSettings, "waitMs"> & {
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
  session: SessionMoments,
  settings: ConductQuerySettings<P, O, M>,
): AsyncGenerator<M, void, undefined> {
  checkOptions("conductQuery", settings, { sdk: having("query"), keepOpen: optional(flag), waitMs: optional(number) });
  const { sdk, keepOpen = false, waitMs } = settings;
  const given = options ?? ({} as O & ClaudeOptions);
  const scopes = scopesOf(session);
  const observe = observer((notice) => session.notice(notice), { resumed: isResumed(given), totals: scopes.totals });
  let query: ReturnType<typeof sdk.query> | undefined;
  let reason = "completed";
  try {
    const begun = begin(given, session, () => query);
    const { shown, thinking } = begun;
    const input = await openInput(prompt, () => session.observing === undefined);
    // Heard before the query begins, so that its prompt knows of it; those after it are heard when their turn comes.
    const heard = input.first === undefined ? undefined : await session.onMessage(input.first.message);
    const built = await session.onPrompt(begun.request);
    const prepared = heard === undefined ? {} : { prepared: { heard, prompt: built } };
    const announcements = new Announcements();
    const sent = await input.send(async (message) => {
      announcements.add(message === input.first && heard !== undefined ? { ...message, heard } : message);
      await thinking.expect(message.modes ? thinkingAfter(session.modes, message.message.text) : session.modes);
    });
    const ready = queryOptions(given, { ...begun, ...prepared, ...waiting(waitMs), sdk, prompt: built, announcements });
    const alone = typeof prompt === "string" ? thinking.begin(session.modes) : {};
    query = sdk.query({ prompt: sent, options: { ...ready, ...alone } });
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

function waiting(waitMs: number | undefined): { readonly waitMs?: number } {
  return waitMs === undefined ? {} : { waitMs };
}

/** What every query has of its own. */
function begin(options: ClaudeOptions, session: SessionMoments, query: () => Partial<ThinkingControls> | undefined) {
  const { model } = options;
  const scopes = scopesOf(session);
  session.notice({ kind: "started", adapter: "claude", ...(model === undefined ? {} : { model }) });
  const thinking = new Thinking(options, query, (error) => scopes.tell("thinking", error));
  return { scopes, shown: new Shown(), thinking, request: promptRequest(options, session) };
}

async function importSdk(): Promise<ClaudeSdk> {
  const name: string = "@anthropic-ai/claude-agent-sdk";
  return (await import(name)) as ClaudeSdk;
}

const SETTINGS: ShapesOf<ConductSettings> = {
  sdk: optional(object),
  waitMs: optional(number),
  query: optional(callback),
};
