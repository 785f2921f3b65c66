import { describe, expect, it } from "vitest";
import { RelyingSessions } from "./relying-sessions.ts";

const DAY = 24 * 3_600_000;
type Seen = (sessions: RelyingSessions) => void;

const hook =
  (event: string, session = "s"): Seen =>
  (sessions) =>
    sessions.sawHook(session, event, 0);
const request =
  (moment: string, status: number, session = "s"): Seen =>
  (sessions) =>
    sessions.sawRequest(session, moment, status, 0);

describe("sessions that rely on the running daemon", () => {
  it.each<readonly [string, readonly Seen[], boolean]>([
    ["no session", [], false],
    ["a hook", [hook("PreToolUse")], true],
    ["a session that has ended", [hook("PreToolUse"), hook("SessionEnd")], false],
    ["another session has ended", [hook("PreToolUse"), hook("SessionEnd", "other")], true],
    ["a late stop", [hook("PreToolUse"), hook("SessionEnd"), hook("SubagentStop")], false],
    ["a stop in an open session", [hook("PreToolUse"), hook("Stop")], true],
    ["a session over HTTP", [request("open", 201)], true],
    ["a session that was refused", [request("open", 400)], false],
    ["a failed request of an open session", [request("open", 201), request("call", 500)], true],
    ["a closed session", [request("open", 201), request("close", 200)], false],
    ["a request that names the session of a hook", [hook("PreToolUse"), request("close", 404)], true],
    ["a session that is gone", [request("open", 201), request("call", 404)], false],
  ])("DMN-60 %s", (_, seen, isOpen) => {
    const sessions = new RelyingSessions();
    for (const one of seen) one(sessions);
    expect(sessions.isAnyOpen(0)).toBe(isOpen);
  });

  it("DMN-61 a session without a request for a day counts as gone; a request in between keeps it", () => {
    const sessions = new RelyingSessions();
    hook("PreToolUse")(sessions);
    expect(sessions.isAnyOpen(DAY)).toBe(true);
    sessions.sawHook("s", "PostToolUse", DAY);
    expect(sessions.isAnyOpen(2 * DAY)).toBe(true);
    expect(sessions.isAnyOpen(2 * DAY + 1)).toBe(false);
  });
});
