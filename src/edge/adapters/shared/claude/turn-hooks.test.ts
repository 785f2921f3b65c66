import { expect, it } from "vitest";
import type { CompletionChecker } from "../../../../base/words/hosting/completion.ts";
import { testConduct } from "../../../../engine/session/test/test-conduct.ts";
import type { HookAnswer, PreToolUse, Stop } from "./native.ts";
import { Scopes } from "./scopes.ts";
import { onBatch, onPreToolUse, onStop } from "./tool-hooks.ts";

/** The work is done when `done` says so. */
function play(done: { now: boolean }, options: { readonly enforcement?: "shadow" } = {}) {
  const completion: CompletionChecker = {
    check: () => (done.now ? { complete: true } : { complete: false, feedback: "The report is missing." }),
  };
  const { open, events } = testConduct({ completion });
  const session = open(options);
  const scopes = new Scopes(session, (id) => session.child(id));
  const settings = { scopes, asks: () => false, ownSource: "sdk" };
  let calls = 0;
  const call = (tool_name: string, more: object = {}): Promise<HookAnswer> => {
    calls += 1;
    const event = { hook_event_name: "PreToolUse", cwd: "/w", tool_name, tool_input: {}, tool_use_id: `c${calls}` };
    return onPreToolUse(settings, { ...event, ...more } as PreToolUse);
  };
  return {
    session,
    call,
    final: (more: object = {}) => call("StructuredOutput", more),
    batch: () => onBatch(settings, { hook_event_name: "PostToolBatch", cwd: "/w", tool_calls: [] }),
    stop: () => onStop(scopes, { hook_event_name: "Stop", cwd: "/w", stop_hook_active: false } as Stop),
    stops: () => events.flatMap((event) => (event.type === "stop" ? [event.status] : [])),
    called: () => events.flatMap((event) => (event.type === "call" ? [event.call.tool] : [])),
  };
}
const refusal = ({ hookSpecificOutput: said }: HookAnswer) =>
  said?.hookEventName === "PreToolUse" ? said.permissionDecisionReason : undefined;

it("FIN-1 an early structured output is refused with the missing work and is not a call; a complete one is a call", async () => {
  const done = { now: false };
  const { final, batch, stop, stops, called } = play(done);
  expect(refusal(await final())).toContain("The report is missing.");
  await batch();
  done.now = true;
  expect(await final()).toEqual({});
  expect(await stop()).toEqual({});
  expect([stops(), called()]).toEqual([["refused", "complete"], ["claude/StructuredOutput"]]);
});

it.each([
  { case: "enforced", options: {}, said: "by itself" },
  { case: "in shadow", options: { enforcement: "shadow" } as const, said: undefined },
])(
  "FIN-2 a structured output after another call of the same response is refused unless in shadow mode: $case",
  async ({ options, said }) => {
    const { call, final, batch } = play({ now: true }, options);
    await call("Glob");
    const answer = refusal(await final());
    if (said === undefined) expect(answer).toBeUndefined();
    else expect(answer).toContain(said);
    await batch();
    expect(await final()).toEqual({});
  },
);

it("FIN-3 the check of a structured output counts only for the stop right after it", async () => {
  const done = { now: true };
  const { call, final, batch, stop, stops } = play(done);
  await final();
  await batch();
  await call("Glob");
  done.now = false;
  expect((await stop()).decision).toBe("block");
  expect(stops()).toEqual(["complete", "refused"]);
});

it("FIN-4 a structured output that cannot be checked is refused once", async () => {
  const { session, final, batch } = play({ now: true });
  Object.assign(session, { onStop: () => Promise.reject(new Error("gone")) });
  expect(refusal(await final())).toContain("(gone)");
  await batch();
  expect(refusal(await final())).toBeUndefined();
});

it("FIN-5 a subagent's structured output is not checked as the end of the turn", async () => {
  const { final, stops } = play({ now: false });
  expect(await final({ agent_id: "x1" })).toEqual({});
  expect(stops()).toEqual([]);
});
