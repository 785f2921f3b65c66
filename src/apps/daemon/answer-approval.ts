import { isObject } from "../../base/kernel/json.ts";
import type { ApprovalWord } from "../../edge/adapters/codex/adapter.ts";
import type { StoreKeeper } from "../../edge/host/daemon/daemon-keeper.ts";
import { SessionError } from "../../engine/moments/session-options.ts";
import type { Rooms } from "./rooms.ts";

/** A person's word on a question of a session, be it under way or kept. */
export type AnswerRequest = { readonly answers: ApprovalWord & { readonly session: string } };

/** `not-here`: no session of that id is kept by the daemon. Everything else that goes wrong is an error. */
export type Answered = { readonly kind: "answered" } | { readonly kind: "not-here" | "unknown" | "expired" | "used" };

export async function answerApproval(given: unknown, rooms: Rooms, keeper: StoreKeeper): Promise<Answered> {
  const { session, ...word } = readWord(given);
  const place = await keeper.placeOf(session);
  if (place === undefined) return { kind: "not-here" };
  const { id, parent, workspace } = place;
  return rooms.enter({ id, cwd: workspace, ...(parent === undefined ? {} : { parent }) }, async (entered) => {
    if ("broken" in entered) throw new Error(entered.broken);
    try {
      await entered.room.answer(place, word);
    } catch (error) {
      const fault = error instanceof SessionError ? FAULTS.get(error.code) : undefined;
      if (fault === undefined) throw error;
      return { kind: fault };
    }
    await keeper.settled(id);
    return { kind: "answered" };
  });
}

const FAULTS: ReadonlyMap<string, Exclude<Answered["kind"], "answered">> = new Map([
  ["approval-unknown", "unknown"],
  ["approval-expired", "expired"],
  ["approval-answered", "used"],
]);

function readWord(given: unknown): AnswerRequest["answers"] {
  const { session, approval, answer, by, reason } = isObject(given) ? given : {};
  if (typeof session !== "string" || typeof approval !== "string" || typeof by !== "string") {
    throw new Error("an answer names its session, its question and who gives it");
  }
  if (answer !== "yes" && answer !== "no") throw new Error("an answer is yes or no");
  return { session, approval, answer, by, ...(typeof reason === "string" ? { reason } : {}) };
}
