import { sha256 } from "../../../base/kernel/canonical-json.ts";

/** The trace of a session's turn: whoever has the event finds the trace, and the other way round. */
export function traceIdOf(session: string, turn: number): string {
  return sha256(JSON.stringify(["conduct.trace", session, turn])).slice(0, 32);
}

/** The span that began with this event. A session that went back has a turn twice, and each has its own. */
export function spanIdOf(of: "turn" | "call", session: string, run: string, seq: number): string {
  return sha256(JSON.stringify(["conduct.span", of, session, run, seq])).slice(0, 16);
}
