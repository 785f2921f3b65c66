import { isObject } from "../../base/kernel/json.ts";
import type { Fault } from "../../base/words/event.ts";
import type { ClaudeCodeHooks } from "../../edge/adapters/claude-code/adapter.ts";
import type { CodexAnswer } from "../../edge/adapters/codex/answer.ts";
import { readCodexEvent } from "../../edge/adapters/codex/events.ts";
import { StoreKeeper } from "../../edge/host/daemon/daemon-keeper.ts";
import { isPaused } from "../../edge/host/daemon/paused.ts";
import { passingMoments } from "../../edge/host/daemon/paused-moments.ts";
import { readOrigin, serveMoments } from "../../edge/host/daemon/serve-sessions.ts";
import { storePlace } from "../../edge/host/workspace/store-place.ts";
import { openCallStores } from "../../edge/stores/call-stores.ts";
import { answerApproval } from "./answer-approval.ts";
import { claudeCodeInRooms } from "./claude-code.ts";
import { codexFailure } from "./failure-answers.ts";
import { Rooms } from "./rooms.ts";

/** Sessions that nobody has come back to for so long are forgotten. */
const KEPT_MS = 30 * 86_400_000;

/** Answers what hooks and plugins ask, in the daemon or, when there is none, in the process of the hook itself. */
export type Requests = {
  /** `tell` hears what is waited for while a person is asked. */
  handle(request: unknown, tell?: (waits: object) => void): Promise<unknown>;
  readonly claudeCode: Pick<ClaudeCodeHooks, "handle" | "callTool">;
  /** Something is wrong outside of any session: told in those that are open, or in the next one. */
  report(fault: Fault): void;
  /** No call waits for a person any longer. */
  giveUp(): Promise<void>;
  /** Sessions in memory. */
  readonly sessions: number;
  /** All that was decided is kept, and others may go on with it. */
  close(): Promise<void>;
};

const WAY_OUT = "A person can see what is wrong with `conduct doctor`";

export async function openRequests(
  home: string,
  env: NodeJS.ProcessEnv = process.env,
  log: (line: string) => void = () => undefined,
): Promise<Requests> {
  const stores = await openCallStores(storePlace(env, home));
  try {
    // A store whose key is missing is refused as a whole: no session of it may be taken for a new or a damaged one.
    await stores.keys.seal();
  } catch (error) {
    await stores.close();
    throw error;
  }
  const history = async (id: string) => (await stores.events.histories([id]))[0] ?? [];
  const keeper = new StoreKeeper({ store: stores.sessions, history, onLost: (id) => rooms.drop(id) });
  const rooms = new Rooms({ home, keeper, journal: stores.events, keys: stores.keys, log });

  async function moments(request: { readonly moments?: unknown }, tell?: (waits: object) => void): Promise<object> {
    const origin = readOrigin(request.moments);
    return rooms.enter(origin, async (entered) => {
      const host = "room" in entered ? entered.room.host : brokenHost(home, entered.broken);
      const answer = await serveMoments(request, host, tell);
      await keeper.settled(origin.id);
      return answer;
    });
  }

  async function codex(given: unknown): Promise<CodexAnswer> {
    const event = readCodexEvent(given);
    const name = isObject(given) ? String(given.hook_event_name) : "PreToolUse";
    if ("fault" in event) return codexFailure(home)(name, event.fault);
    const { session: id, root, cwd } = event;
    const place = { id, cwd, ...(id === root ? {} : { parent: root }) };
    return rooms.enter(place, async (entered) => {
      if ("room" in entered) return entered.room.codex.handle(given);
      return codexFailure(home)(name, `${entered.broken}. ${WAY_OUT}`);
    });
  }

  async function tool(request: { readonly thread_id?: unknown }): Promise<unknown> {
    const id = String(request.thread_id);
    if ((await keeper.workspaceOf(id)) === undefined)
      return { text: "Conduct has not allowed this call.", isError: true };
    return rooms.enter({ id, cwd: home }, async (entered) => {
      if ("room" in entered) return entered.room.codex.callTool(request);
      return { text: entered.broken, isError: true };
    });
  }

  await stores.sessions.expire(Date.now() - KEPT_MS).catch(() => undefined);
  return {
    async handle(request, tell) {
      if (!isObject(request)) throw new Error("a request is a JSON object");
      if ("moments" in request) return moments(request, tell);
      if ("answers" in request) return answerApproval(request.answers, rooms, keeper);
      if ("conduct_tool" in request) return tool(request);
      if ("hook_event_name" in request) return codex(request);
      throw new Error("nobody here knows this kind of request; is it from another version of Conduct?");
    },
    claudeCode: claudeCodeInRooms(home, rooms, keeper),
    report: (fault) => rooms.report(fault),
    giveUp: () => rooms.giveUp(),
    get sessions() {
      return keeper.size;
    },
    async close() {
      await rooms.close();
      await keeper.close();
      await stores.close();
    },
  };
}

/** Nothing can be decided: nothing runs, unless the operator has said that it may. */
function brokenHost(home: string, broken: string): Parameters<typeof serveMoments>[1] {
  return {
    async open({ id }) {
      if (isPaused(home)) return passingMoments(id);
      throw new Error(`${broken}. ${WAY_OUT}`);
    },
  };
}
