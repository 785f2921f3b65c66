import { errorText } from "../../../base/kernel/error-text.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Decision } from "../../../base/words/decision.ts";
import type { Part } from "../../../base/words/result.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { decideInTime } from "../decide-in-time.ts";
import { rewriteRefusal } from "../rewrite-input.ts";
import { fullOutput } from "./full-output.ts";
import type {
  HookAnswer,
  HookEvent,
  PermissionDenied,
  PostToolBatch,
  PostToolUse,
  PostToolUseFailure,
  PreToolUse,
} from "./native.ts";
import { failureOf, outcomeOf } from "./outcome-map.ts";
import { shapeOf } from "./result-shape.ts";
import { type Scope, type Scopes, stepOf } from "./scopes.ts";
import { isOwn } from "./tool-map.ts";
import {
  callKey,
  denied,
  fromDecision,
  fromDelivered,
  fromFault,
  requirementsIn,
  rewrittenInput,
  toCall,
  withContext,
} from "./translate.ts";
import { ALONE, isFinal, refuseFinal } from "./turn-hooks.ts";

/** What the hooks of a call need to know of where they run; the SDK's and the command line's are the same otherwise. */
export type CallSettings = {
  readonly scopes: Scopes;
  /** Will the runtime put a question about this call to a person? */
  asks(event: PreToolUse): boolean;
  /** How long a call waits for a person whom Conduct asks itself; as long as the question is open, when left out. */
  readonly waitMs?: number;
  /** How long the session may take for a decision, its approver included; for ever, when left out. */
  readonly limitMs?: number;
  readonly home?: string;
  /** How the server of Conduct's own tools was configured: `sdk` is this very process. */
  readonly ownSource: string;
};

/** The moment `call`. */
export async function onPreToolUse(settings: CallSettings, event: PreToolUse): Promise<HookAnswer> {
  const { scopes } = settings;
  try {
    const scope = await scopes.of(event);
    const call = callOf(settings, scope, event);
    const final = isFinal(scope, event);
    const early = await refuseFinal(scopes, scope, event);
    if (early !== undefined) return denied(early);
    const asks = settings.asks(event);
    const decision = await decideInTime(decide(scope.session, call, asks, settings.waitMs), {
      limitMs: settings.limitMs,
      giveBack: () => scope.session.onResult(call, { outcome: "cancelled", parts: [] }),
    });
    if (decision.kind === "deny" && final) scopes.final = "none";
    if (final && scope.calls > 0 && enforces(decision)) {
      await scope.session.onResult(call, { outcome: "cancelled", parts: [] });
      return denied(ALONE);
    }
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
      const run = input === undefined ? call : callOf(settings, scope, { ...event, tool_input: input });
      const asked = decision.kind === "ask" ? { asked: true } : {};
      scope.open.set(call.id, { tool: call.tool, key: callKey(run), ...asked });
    }
    return fromDecision(decision, { asks, own: isOwn(event.mcp_server, settings.ownSource), input });
  } catch (error) {
    scopes.tell("PreToolUse", error);
    return fromFault(error);
  }
}

/** The moment `result`, of a call that went through. */
export async function onPostToolUse(settings: CallSettings, event: PostToolUse): Promise<HookAnswer> {
  const { scopes } = settings;
  try {
    const shape = shapeOf(
      event.tool_name,
      event.tool_response,
      event.tool_name === "Bash" ? await fullOutput(event.tool_response) : undefined,
    );
    try {
      const scope = await scopes.of(event);
      const call = callOf(settings, scope, event);
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
}

/** The moment `result`, of a call that failed. */
export async function onFailure(settings: CallSettings, event: PostToolUseFailure): Promise<HookAnswer> {
  const scope = await settings.scopes.of(event);
  scope.open.delete(event.tool_use_id);
  const parts: readonly Part[] = [{ kind: "text", text: event.error }];
  const call = callOf(settings, scope, event);
  // The runtime shows the model its own text of a failure, cut at 10,000 characters.
  const { feedback } = await scope.session.onResult(call, { ...failureOf(event), parts }, { replaceable: false });
  return withContext("PostToolUseFailure", feedback);
}

/** The step is over. A call that was let through and has no result by now was refused by the runtime or a person. */
export async function onBatch({ scopes }: CallSettings, event: PostToolBatch): Promise<HookAnswer> {
  const scope = await scopes.of(event);
  const said: string[] = [];
  for (const { tool_use_id: id, tool_response } of event.tool_calls) {
    const feedback = await refuse(scopes, event, id, String(tool_response ?? ""));
    if (feedback !== undefined) said.push(feedback);
  }
  scope.step += 1;
  scope.calls = 0;
  scope.session.notice({ kind: "step-closed" });
  return withContext("PostToolBatch", said.join("\n\n"));
}

export async function onPermissionDenied({ scopes }: CallSettings, event: PermissionDenied): Promise<HookAnswer> {
  await refuse(scopes, event, event.tool_use_id, event.reason);
  return {};
}

async function refuse(scopes: Scopes, event: HookEvent, id: string, text: string): Promise<string | undefined> {
  const { open, session } = await scopes.of(event);
  const call = open.get(id);
  if (call === undefined) return undefined;
  open.delete(id);
  const { feedback } = await session.onResult(
    { id, tool: call.tool },
    { outcome: "denied", parts: [{ kind: "text", text }] },
  );
  return feedback;
}

function callOf({ home, ownSource }: CallSettings, scope: Scope, event: PreToolUse): CallInput {
  return toCall(event, stepOf(scope), { ...(home === undefined ? {} : { home }), ownSource });
}

/** In shadow, and while Conduct is paused, nothing is refused. */
function enforces(decision: Decision): boolean {
  return decision.kind === "allow" && decision.because !== "shadow" && decision.because !== "paused";
}

type AskingSession = SessionMoments & { onCall(call: CallInput): Promise<Decision> };

/** What the runtime asks a person, Conduct does not ask as well; a session behind a socket cannot leave that out. */
function decide(session: SessionMoments, call: CallInput, asks: boolean, waitMs?: number): Promise<Decision> {
  if (asks && isAsking(session)) return session.onCall(call);
  const wait = asks ? 0 : waitMs;
  return session.decide(call, wait === undefined ? {} : { waitMs: wait });
}

function isAsking(session: SessionMoments): session is AskingSession {
  return "onCall" in session && typeof session.onCall === "function";
}
