import { asList, asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { LiveSession, UnderWay } from "./live-session.ts";
import type { ToldPrompt } from "./told-prompt.ts";

/** What the adapter keeps beside the session, as JSON: a daemon that is started anew goes on from it. */
export type KeptLive = Omit<LiveSession, "session" | "window">;

export function keepLive({ session: _, window: __, ...live }: LiveSession): JsonObject {
  // What is undefined is left out.
  return JSON.parse(JSON.stringify({ ...live, calls: [...live.calls] })) as JsonObject;
}

/** The inverse. We wrote it ourselves, and the store has kept it as it was. */
export function readKeptLive(kept: JsonObject): KeptLive {
  const { root, calls, step, prompt, owed, endedTurn, transcript } = kept;
  const { had, given } = asObject(prompt);
  return {
    root: asString(root),
    calls: new Map(asList(calls).flatMap(readCall)),
    step: typeof step === "number" ? step : 0,
    prompt: {
      ...(isObject(had) ? { had: had as unknown as ToldPrompt } : {}),
      ...(isObject(given) ? { given: given as unknown as ToldPrompt } : {}),
    },
    owed: asList(owed).map(asString),
    ...(typeof endedTurn === "string" ? { endedTurn } : {}),
    ...(typeof transcript === "string" ? { transcript } : {}),
  };
}

function readCall(entry: Json): readonly [string, UnderWay][] {
  if (!Array.isArray(entry)) return [];
  const [id, call] = entry as readonly Json[];
  return isObject(call) ? [[asString(id), call as unknown as UnderWay]] : [];
}
