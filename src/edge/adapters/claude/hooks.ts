import { errorText } from "../../../base/kernel/error-text.ts";
import type { Part } from "../../../base/words/result.ts";
import { rewriteRefusal } from "../rewrite-input.ts";
import { fullOutput } from "./full-output.ts";
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
import { failureOf, outcomeOf } from "./outcome-map.ts";
import { shapeOf } from "./result-shape.ts";
import { type Scopes, stepOf } from "./scopes.ts";
import { isOwn } from "./tool-map.ts";
import {
  callKey,
  canAsk,
  denied,
  fromDecision,
  fromDelivered,
  fromFault,
  fromStop,
  isPause,
  requirementsIn,
  rewrittenInput,
  toCall,
  withContext,
} from "./translate.ts";

/** Longer than anything the engine waits for: a hook that runs out of time blocks its call, and lets a stop pass. */
const TIMEOUT_S = 3_600;

export type HookSettings = MessageSettings & {
  /** Can the runtime put a question to a person? */
  readonly asker: boolean;
  readonly home?: string;
};

/** The moments as the SDK's hooks. Each fails closed: by itself where it can say why, else by `onFailure: "block"`. */
export function conductHooks(settings: HookSettings): Hooks {
  return {
    UserPromptSubmit: [matcher(onUserPrompt(settings))],
    PreToolUse: [matcher(showing(settings, onPreToolUse(settings)))],
    PostToolUse: [matcher(showing(settings, onPostToolUse(settings)))],
    PostToolUseFailure: [matcher(showing(settings, onFailure(settings)))],
    PostToolBatch: [matcher(showing(settings, onBatch(settings)))],
    PermissionDenied: [matcher(onPermissionDenied(settings))],
    PostCompact: [matcher(onCompact(settings))],
    SubagentStart: [matcher(onSubagentStart(settings))],
    SubagentStop: [matcher(onSubagentStop(settings))],
    Stop: [matcher(showing(settings, onStop(settings)))],
  };
}

/** The SDK calls a hook with the event it was registered for, and with no other. */
function matcher<E extends HookEvent>(run: (event: E) => Promise<HookAnswer>): Hooks["Stop"][number] {
  const hook: Hook = (event) => run(event as E);
  return { hooks: [hook], timeout: TIMEOUT_S, onFailure: "block" };
}

/** Debug lines for the person ride on the answer. The runtime shows nothing of a subagent's hooks: the main thread's does. */
function showing<E extends HookEvent>({ scopes, shown }: HookSettings, run: (event: E) => Promise<HookAnswer>) {
  return async (event: E): Promise<HookAnswer> => {
    const answer = await run(event);
    return event.agent_id === undefined ? shown.beside(answer, [scopes.takeDebug()]) : answer;
  };
}

function onPreToolUse({ scopes, asker, home }: HookSettings) {
  return async (event: PreToolUse): Promise<HookAnswer> => {
    try {
      const scope = scopes.of(event);
      const call = toCall(event, stepOf(scope), home);
      const asks = canAsk(event, asker);
      const decision = await (asks ? scope.session.onCall(call) : scope.session.decide(call));
      const rewritten = rewrittenInput(event, call, decision);
      const cannot = rewritten !== undefined && "cannot" in rewritten ? rewritten.cannot : undefined;
      if (cannot !== undefined || (decision.kind === "ask" && !asks)) {
        // Nobody was asked, so nobody has said no: the question stays open.
        await scope.session.onResult(call, { outcome: "cancelled", parts: [] });
      }
      if (cannot !== undefined) {
        const reason = rewriteRefusal(call.tool, "Claude", cannot);
        scopes.tell("PreToolUse", reason, "rewrite");
        return denied(reason);
      }
      const input = rewritten !== undefined && "input" in rewritten ? rewritten.input : undefined;
      if (decision.kind === "allow" || (decision.kind === "ask" && asks)) {
        const run = input === undefined ? call : toCall({ ...event, tool_input: input }, stepOf(scope), home);
        scope.open.set(call.id, { tool: call.tool, key: callKey(run) });
      }
      return fromDecision(decision, { asks, own: isOwn(event.mcp_server), input });
    } catch (error) {
      scopes.tell("PreToolUse", error);
      return fromFault(error);
    }
  };
}

function onPostToolUse({ scopes, home }: HookSettings) {
  return async (event: PostToolUse): Promise<HookAnswer> => {
    try {
      const shape = shapeOf(
        event.tool_name,
        event.tool_response,
        event.tool_name === "Bash" ? await fullOutput(event.tool_response) : undefined,
      );
      try {
        const scope = scopes.of(event);
        const call = toCall(event, stepOf(scope), home);
        const decided = scope.open.get(call.id);
        scope.open.delete(call.id);
        // Other hooks and the permission callback can rewrite the input after the decision; what then ran proves nothing.
        const rewritten = decided !== undefined && decided.key !== callKey(call);
        const ended = rewritten ? ({ outcome: "unknown" } as const) : outcomeOf(event.tool_name, event.tool_response);
        const required = requirementsIn(event);
        const delivered = await scope.session.onResult(call, { ...ended, parts: shape.parts, ...required });
        return fromDelivered(delivered, shape);
      } catch (error) {
        scopes.tell("PostToolUse", error);
        const text = `Conduct withheld this result, because it could not be checked (${errorText(error)}). Tell the operator.`;
        const parts: readonly Part[] = [{ kind: "text", text }];
        return fromDelivered({ result: { outcome: "unknown", parts }, changed: true }, shape);
      }
    } catch (error) {
      // A block would still show the model the result; ending the turn does not.
      return { continue: false, stopReason: `Conduct could not check a result: ${errorText(error)}` };
    }
  };
}

function onFailure({ scopes, home }: HookSettings) {
  return async (event: PostToolUseFailure): Promise<HookAnswer> => {
    const scope = scopes.of(event);
    scope.open.delete(event.tool_use_id);
    const parts: readonly Part[] = [{ kind: "text", text: event.error }];
    const call = toCall(event, stepOf(scope), home);
    // The runtime shows the model its own text of a failure, cut at 10,000 characters.
    const { feedback } = await scope.session.onResult(call, { ...failureOf(event), parts }, { replaceable: false });
    return withContext("PostToolUseFailure", feedback);
  };
}

/** The step is over. A call that was let through and has no result by now was refused by the runtime or a person. */
function onBatch({ scopes }: HookSettings) {
  return async (event: PostToolBatch): Promise<HookAnswer> => {
    const scope = scopes.of(event);
    const said: string[] = [];
    for (const { tool_use_id: id, tool_response } of event.tool_calls) {
      const feedback = await refuse(scopes, event, id, String(tool_response ?? ""));
      if (feedback !== undefined) said.push(feedback);
    }
    scope.step += 1;
    scope.session.notice({ kind: "step-closed" });
    return withContext("PostToolBatch", said.join("\n\n"));
  };
}

function onPermissionDenied({ scopes }: HookSettings) {
  return async (event: PermissionDenied): Promise<HookAnswer> => {
    await refuse(scopes, event, event.tool_use_id, event.reason);
    return {};
  };
}

async function refuse(scopes: Scopes, event: HookEvent, id: string, text: string): Promise<string | undefined> {
  const { open, session } = scopes.of(event);
  const call = open.get(id);
  if (call === undefined) return undefined;
  open.delete(id);
  const { feedback } = await session.onResult(
    { id, tool: call.tool },
    { outcome: "denied", parts: [{ kind: "text", text }] },
  );
  return feedback;
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
  return async (event: HookEvent): Promise<HookAnswer> =>
    withContext("SubagentStart", (await scopes.of(event).session.onPrompt(request)).text);
}

/** A subagent may be continued later, so its session stays open; whether the work is done is its parent's question. */
function onSubagentStop({ scopes }: HookSettings) {
  return async (event: HookEvent): Promise<HookAnswer> => {
    if (event.agent_id !== undefined) scopes.find(event.agent_id)?.session.notice({ kind: "step-closed" });
    return {};
  };
}

/** The runtime lets a stop pass when its hook fails; so a failure refuses it once here. */
function onStop({ scopes }: HookSettings) {
  return async (event: Stop): Promise<HookAnswer> => {
    if (isPause(event)) return {};
    try {
      const output = event.last_assistant_message;
      const request = { reason: "end_turn", ...(output === undefined ? {} : { output }) };
      return fromStop(await scopes.main.session.onStop(request));
    } catch (error) {
      scopes.tell("Stop", error);
      if (event.stop_hook_active) return {};
      return {
        decision: "block",
        reason: `It could not be checked whether the work is complete (${errorText(error)}).`,
      };
    }
  };
}
