import { asString, isObject } from "../../base/kernel/json.ts";
import type { ClaudeCodeHooks } from "../../edge/adapters/claude-code/adapter.ts";
import type { StoreKeeper } from "../../edge/host/daemon/daemon-keeper.ts";
import { claudeCodeFailure } from "./failure-answers.ts";
import type { Rooms } from "./rooms.ts";

/** Calls whose session is remembered; a call of one of Conduct's tools names nothing but itself. */
const CALLS = 1_000;

/** Claude Code's hooks, each in the room of its session; what the adapter keeps beside one is kept with it. */
export function claudeCodeInRooms(
  home: string,
  rooms: Rooms,
  keeper: StoreKeeper,
): Pick<ClaudeCodeHooks, "handle" | "callTool"> {
  const sessionOf = new Map<string, string>();
  const failure = claudeCodeFailure(home);

  return {
    async handle(event, from) {
      const { session_id, cwd, tool_use_id, hook_event_name } = isObject(event) ? event : {};
      const [id, name] = [asString(session_id), asString(hook_event_name)];
      if (id === "" || asString(cwd) === "") return failure(name || "PreToolUse", "it names no session and folder");
      if (typeof tool_use_id === "string") remember(sessionOf, tool_use_id, id);
      return rooms.enter({ id, cwd: asString(cwd) }, async (entered) => {
        if ("broken" in entered) return failure(name, entered.broken);
        const { claudeCode } = entered.room;
        if (claudeCode.beside(id) === undefined) {
          const kept = await keeper.adapterBeside(id);
          if (kept !== undefined) claudeCode.restore(id, kept);
        }
        const answer = await claudeCode.handle(event, from);
        const beside = claudeCode.beside(id);
        try {
          if (beside !== undefined) await keeper.saveAdapterBeside(id, beside);
        } catch (error) {
          return failure(name, error instanceof Error ? error.message : String(error));
        }
        return answer;
      });
    },
    async callTool(name, args, call) {
      const id = sessionOf.get(call);
      if (id === undefined) return { text: "Conduct has not allowed this call.", isError: true };
      return rooms.enter({ id, cwd: home }, async (entered) =>
        "room" in entered
          ? entered.room.claudeCode.callTool(name, args, call)
          : { text: entered.broken, isError: true },
      );
    },
  };
}

function remember(calls: Map<string, string>, call: string, session: string): void {
  calls.delete(call);
  calls.set(call, session);
  for (const oldest of calls.keys()) {
    if (calls.size <= CALLS) return;
    calls.delete(oldest);
  }
}
