import type {
  Hook,
  HookAnswer,
  HookEvent,
  Hooks,
  PermissionDenied,
  PostToolBatch,
  PostToolUse,
  PostToolUseFailure,
  PreToolUse,
  Stop,
} from "./native.ts";
import { type MessageSettings, onUserPrompt } from "./on-user-prompt.ts";
import {
  type CallSettings,
  onBatch,
  onFailure,
  onPermissionDenied,
  onPostToolUse,
  onPreToolUse,
} from "./tool-hooks.ts";
import { canAsk, withContext } from "./translate.ts";
import { onStop, onSubagentStop } from "./turn-hooks.ts";

/** How long a call waits for Conduct, and for a person whom it asks. */
const WAIT_MS = 3_600_000;
/** A question whose wait is over is answered as one; only a session that has nothing to say at all runs into the limit. */
const GRACE_MS = 1_000;
/** What the runtime adds: its own limit tells the model less, so ours comes first. */
const RUNTIME_MS = 10_000;

export type HookSettings = MessageSettings & {
  /** Can the runtime put a question to a person? */
  readonly asker: boolean;
  readonly waitMs?: number;
  readonly home?: string;
};

/** The moments as the SDK's hooks. Each fails closed: by itself where it can say why, else by `onFailure: "block"`. */
export function conductHooks(settings: HookSettings): Hooks {
  const { scopes, asker, waitMs = WAIT_MS, home } = settings;
  const timeout = Math.ceil((waitMs + GRACE_MS + RUNTIME_MS) / 1_000);
  const matcher = matcherWith(timeout);
  const calls: CallSettings = {
    scopes,
    asks: (event) => canAsk(event, asker),
    waitMs,
    limitMs: waitMs + GRACE_MS,
    ...(home === undefined ? {} : { home }),
    ownSource: "sdk",
  };
  return {
    UserPromptSubmit: [matcher(onUserPrompt(settings))],
    PreToolUse: [matcher(showing(settings, (event: PreToolUse) => onPreToolUse(calls, event)))],
    PostToolUse: [matcher(showing(settings, (event: PostToolUse) => onPostToolUse(calls, event)))],
    PostToolUseFailure: [matcher(showing(settings, (event: PostToolUseFailure) => onFailure(calls, event)))],
    PostToolBatch: [matcher(showing(settings, (event: PostToolBatch) => onBatch(calls, event)))],
    PermissionDenied: [matcher((event: PermissionDenied) => onPermissionDenied(calls, event))],
    PostCompact: [matcher(onCompact(settings))],
    SubagentStart: [matcher(onSubagentStart(settings))],
    SubagentStop: [matcher((event) => onSubagentStop(scopes, event))],
    Stop: [matcher(showing(settings, (event: Stop) => onStop(scopes, event)))],
  };
}

/** The SDK calls a hook with the event it was registered for, and with no other. A stop passes when its time is over. */
function matcherWith(timeout: number) {
  return <E extends HookEvent>(run: (event: E) => Promise<HookAnswer>): Hooks["Stop"][number] => {
    const hook: Hook = (event) => run(event as E);
    return { hooks: [hook], timeout, onFailure: "block" };
  };
}

/** Debug lines for the person ride on the answer. The runtime shows nothing of a subagent's hooks: the main thread's does. */
function showing<E extends HookEvent>({ scopes, shown }: HookSettings, run: (event: E) => Promise<HookAnswer>) {
  return async (event: E): Promise<HookAnswer> => {
    const answer = await run(event);
    return event.agent_id === undefined ? shown.beside(answer, [scopes.takeDebug()]) : answer;
  };
}

function onCompact({ scopes }: HookSettings) {
  return async (event: HookEvent): Promise<HookAnswer> => {
    scopes.find(event.agent_id)?.session.notice({ kind: "compacted" });
    if (event.agent_id === undefined) scopes.told.forget();
    return {};
  };
}

/** What the agent is told binds its subagents too, and their own prompt does not say it. */
function onSubagentStart({ scopes, request }: HookSettings) {
  return async (event: HookEvent): Promise<HookAnswer> => {
    const { session } = await scopes.of(event);
    return withContext("SubagentStart", (await session.onPrompt(request)).text);
  };
}
