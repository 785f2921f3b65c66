import { errorText } from "../../../base/kernel/error-text.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Decision, Denial } from "../../../base/words/decision.ts";
import type { User } from "../../../base/words/hosting/user.ts";
import { inflightSlice } from "../../../behavior/session/inflight.ts";
import type { Session } from "../../../engine/moments/session.ts";
import { currentSender } from "./current-sender.ts";
import type { StateKeeper } from "./states.ts";

/**
 * The session as its runtime gets it: a decision is in the store before its call runs, and what a result has proven before the
 * model hears of it. So a gateway that is killed in the middle of a turn forgets no call, no denial and no budget that was set aside.
 * A message counts with the role that its sender has when the runtime hears it, not when it was sent.
 */
export function keptSession(
  session: Session,
  state: StateKeeper,
  userOf: (id: string) => Promise<User | undefined>,
): Session {
  const ours: Pick<Session, "onMessage" | "onCall" | "decide" | "onResult"> = {
    async onMessage(message) {
      const { sender } = message;
      return session.onMessage(
        sender === undefined ? message : { ...message, sender: await currentSender(sender, userOf) },
      );
    },
    onCall: async (call) => kept(session, state, call, await session.onCall(call)),
    decide: async (call, wait) => kept(session, state, call, await session.decide(call, wait)),
    async onResult(...given) {
      const delivered = await session.onResult(...given);
      await state.keepOrTell();
      return delivered;
    },
  };
  return new Proxy(session, {
    get(target, name) {
      if (Object.hasOwn(ours, name)) return Reflect.get(ours, name);
      const value: unknown = Reflect.get(target, name, target);
      // Its private fields are on the target, not on the proxy.
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Calls that an earlier process was in the middle of may have done their work: nobody knows, and they are not given back. */
export async function settleLost(session: Session): Promise<void> {
  for (const [id, { call }] of [...session.snapshot().slices.get(inflightSlice)])
    await session.onResult({ id, tool: call.tool }, { outcome: "unknown", parts: [] });
}

/** A call whose decision nobody would remember does not run. */
async function kept(session: Session, state: StateKeeper, call: CallInput, decision: Decision): Promise<Decision> {
  try {
    await state.keep();
    return decision;
  } catch (error) {
    const fault = { where: "gateway", code: "state-not-kept", message: errorText(error) };
    session.notice({ kind: "fault", fault });
    if (decision.kind !== "allow") return decision;
    await session.onResult(call, { outcome: "cancelled", parts: [] });
    return notKept(decision.id, errorText(error));
  }
}

function notKept(id: string, why: string): Denial {
  return {
    kind: "deny",
    id,
    rule: "conduct",
    code: "unreachable",
    reason: `What was decided could not be kept, so the call did not run: ${why}.`,
    missing: [],
    next: "Stop and tell the person you work for.",
    others: [],
    attemptsLeft: 0,
    endTurn: false,
  };
}
