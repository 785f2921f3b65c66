import { isSameJson } from "../../../base/kernel/canonical-json.ts";
import { asObject, parseExactly } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Decision } from "../../../base/words/decision.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { renderDenial } from "../../../behavior/policy/render-denial.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { type RpcId, resultMessage } from "../shared/mcp/json-rpc.ts";
import { cancelCall, refusalOf, refuseRewrite, tellFault, undecided } from "../shared/refusals.ts";
import type { LiveSession } from "./live-session.ts";
import { type Mapped, mapTool } from "./tool-map.ts";
import {
  answerIn,
  choose,
  chosenIn,
  mergeSeen,
  questionParams,
  refusalText,
  shownUpdate,
  type ToolSeen,
  unreadable,
  withoutAlways,
} from "./translate.ts";
import type { Wire } from "./wire.ts";

/** Timeout for the details of a call that the agent asks about. */
const TELL_MS = 2_000;

/** Handles a permission request: Conduct decides first, then the person on the calls that it allows. */
export async function onPermission({ live, id, params, raw, around }: Asked): Promise<void> {
  const { wire } = around;
  const seen = await tellingOf(live, asObject(params.toolCall));
  const mapped = mapTool(seen, live);
  if (mapped.kind === "own") {
    // Decided when it runs, in `serveOwnTools`.
    const { raw: answer } = await wire.askClient(id, onceOnly(raw));
    wire.toAgent(answer);
    return;
  }
  const refuse = (why: string) => {
    const text = refusalText(seen.title, why);
    live.done.add(seen.id);
    live.denials.push(text);
    show(live, around, `Conduct refused: ${text}`);
    wire.toAgent(resultMessage(id, choose(params, "reject_once", "reject_always")));
  };
  if (mapped.kind === "unreadable") {
    const denial = unreadable(mapped.why);
    tellFault(await live.moments().catch(() => undefined), "acp permission", "bad-call", denial.reason);
    return refuse(renderDenial(denial));
  }
  const call = callOf(live, seen, mapped);
  const decided = await permit(live, call, around);
  if (decided.kind === "refused") return refuse(decided.text);
  const rewritten = await refuseChange(live, call, decided.input);
  if (rewritten !== undefined) return refuse(rewritten);
  live.advice.push(...decided.advice);
  if (decided.asked) {
    grant(live, seen.id, call);
    wire.toAgent(resultMessage(id, choose(params, "allow_once", "allow_always")));
    return;
  }
  const { body, raw: answer } = await wire.askClient(id, decided.watched ? raw : onceOnly(raw));
  const chosen = chosenIn(params, body);
  if (chosen === "allowed") grant(live, seen.id, call);
  else {
    live.done.add(seen.id);
    const session = await live.moments();
    await session.onResult(call, { outcome: chosen === "rejected" ? "denied" : "cancelled", parts: [] });
  }
  wire.toAgent(answer);
}

/** The call with its details: some agents ask before they have reported them. */
async function tellingOf(live: LiveSession, toolCall: JsonObject): Promise<ToolSeen> {
  const asked = mergeSeen(undefined, toolCall);
  const isTold = () => Object.keys(live.seen.get(asked.id)?.input ?? {}).length > 0;
  if (live.seen.has(asked.id) && !isTold()) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => isTold() && resolve();
    const late = setTimeout(resolve, TELL_MS);
    live.waiting.add(look);
    await promise;
    clearTimeout(late);
    live.waiting.delete(look);
  }
  const seen = mergeSeen(live.seen.get(asked.id), toolCall);
  live.seen.set(seen.id, seen);
  return seen;
}

/** A second question with other arguments is another call. */
function callOf(live: LiveSession, { id }: ToolSeen, { call }: Extract<Mapped, { kind: "call" }>): CallInput {
  const before = live.granted.get(id) ?? [];
  const same = before.find((one) => one.tool === call.tool && isSameJson(one.args, call.args));
  return same ?? { id: before.length === 0 ? id : `${id}.${before.length + 1}`, ...call };
}

function grant(live: LiveSession, id: string, call: CallInput): void {
  const before = live.granted.get(id) ?? [];
  if (!before.includes(call)) live.granted.set(id, [...before, call]);
}

/** The answer to a permission request cannot change the call. */
async function refuseChange(live: LiveSession, call: CallInput, input: JsonObject | undefined) {
  if (input === undefined) return undefined;
  const cannot = Object.keys(input).filter((name) => !isSameJson(input[name], call.args[name]));
  const where = "acp permission";
  return refuseRewrite(await live.moments(), call, { runtime: "an agent behind ACP", where, cannot });
}

function onceOnly(raw: string | Buffer): string | Buffer {
  const changed = withoutAlways(asObject(parseExactly(raw.toString())));
  return changed === undefined ? raw : JSON.stringify(changed);
}

export type Around = {
  readonly wire: Wire;
  readonly newId: () => string;
  /** How long a call waits for Conduct's approver before the person at the client is asked. */
  readonly waitMs: number;
  readonly log: (line: string) => void;
  /** The model's name for one of Conduct's own tools. */
  readonly ownToolName: (tool: string) => string;
};

/** A request that Conduct handles, and the session it belongs to. */
export type Asked = {
  readonly live: LiveSession;
  readonly id: RpcId;
  readonly params: JsonObject;
  readonly raw: string | Buffer;
  readonly around: Around;
};

/** `asked`: the person at the client has approved this very call. */
export type Permitted =
  | {
      readonly kind: "run";
      readonly input?: JsonObject;
      readonly advice: readonly string[];
      readonly asked: boolean;
      readonly watched: boolean;
    }
  | { readonly kind: "refused"; readonly text: string };

const TURN_ENDED = "Not run: Conduct has ended this turn. Tell the person what happened, and stop.";

/** The moment `call`. Never rejects: a call that cannot be decided is refused. */
export async function permit(live: LiveSession, call: CallInput, around: Around): Promise<Permitted> {
  if (live.turn === "ended") return { kind: "refused", text: TURN_ENDED };
  try {
    await live.settling;
    const session = await live.moments();
    const { decision, asked } = await decide(live, session, call, around);
    show(live, around, session.takeDebug());
    if (decision.kind === "allow") {
      const { advice, input, because } = decision;
      const watched = because === "shadow" || because === "paused";
      return { kind: "run", advice: advice.map(({ text }) => text), asked, watched, input };
    }
    if (decision.kind === "ask") await cancelCall(session, call);
    else if (decision.endTurn) endTurn(live, around);
    return { kind: "refused", text: refusalOf(decision) };
  } catch (error) {
    return { kind: "refused", text: undecided(error) };
  }
}

async function decide(
  live: LiveSession,
  session: SessionMoments,
  call: CallInput,
  { waitMs, wire }: Around,
): Promise<{ readonly decision: Decision; readonly asked: boolean }> {
  const decision = await session.decide(call, { waitMs });
  if (decision.kind !== "ask") return { decision, asked: false };
  const input = { ...(decision.input ?? call.args) };
  const { body } = await wire.askPerson(questionParams(live.id, `conduct-${decision.approval}`, decision, input));
  const answer = answerIn(body, decision);
  if (answer === "later") return { decision, asked: true };
  await session.resolve(decision.approval, answer, "the person at the client");
  return { decision: await session.decide(call, { waitMs: 0 }), asked: true };
}

/** Ends the turn of an agent that keeps trying a denied call. */
export function endTurn(live: LiveSession, { wire }: Around): void {
  if (live.turn === "ended") return;
  live.turn = "ended";
  wire.notifyAgent("session/cancel", { sessionId: live.id });
}

/** Shows texts to the person, not to the agent. */
export function show(live: LiveSession, { wire }: Around, ...texts: readonly (string | undefined)[]): void {
  for (const text of texts) {
    if (text !== undefined && text !== "") wire.toClient(JSON.stringify(shownUpdate(live.id, text)));
  }
}
