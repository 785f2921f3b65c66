import { checkOptions, names, number, optional, type ShapesOf } from "../../../base/kernel/check-options.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import { asObject, asString } from "../../../base/kernel/json.ts";
import type { Question } from "../../../base/words/decision.ts";
import type { SessionHost } from "../../../engine/session/session-moments.ts";
import { openOnce } from "../shared/open-once.ts";
import { undecided } from "../shared/refusals.ts";
import { closeStep, finishSubagent, forget, onCall, onIdle, onProgress, onResult, showReplaced } from "./calls.ts";
import { blocked, LiveSessions, ownTools, showTo } from "./live-session.ts";
import { helperPrompts, onMessage, onParams, onRequest } from "./messages.ts";
import type { OpencodeHooks, OpencodeInput } from "./native.ts";
import { waitingText } from "./translate.ts";

/** Options of the OpenCode hooks. */
export type OpencodeOptions = {
  /** How long a call waits for a person; OpenCode itself has no timeout for hooks. Default: two minutes. */
  readonly waitMs?: number;
  /** OpenCode's command line, which a plugin does not receive. */
  readonly argv?: readonly string[];
};

/** Conduct in OpenCode: one session for each of OpenCode's, subagents included, opened at the first hook. */
export function opencodeHooks(host: SessionHost, input: OpencodeInput, options: OpencodeOptions = {}): OpencodeHooks {
  checkOptions("opencodeHooks", options, opencodeKeys);
  const { waitMs = 120_000, argv = process.argv } = options;
  const { client } = input;
  // The terminal interface runs plugins in a worker; a server may have any client.
  const lives = new LiveSessions(host, input, /\/tui\/worker\.[jt]s$/.test(argv[1] ?? ""));
  const headless = argv[2] === "run";
  const show = showTo(client, headless);
  const around = { client, show, headless };
  const helpers = openOnce(() => helperPrompts(client));

  /** False if OpenCode does not say: sending the prompt too often is better than not at all. */
  async function isHelper(system: readonly string[]): Promise<boolean> {
    const prompts = await helpers().catch(() => []);
    return prompts.some((prompt) => system[0]?.startsWith(prompt) === true);
  }

  return {
    tool: ownTools(async (id) => (await lives.of(id)).session),
    async "tool.definition"({ toolID }, output) {
      const { description, inputSchema: jsonSchema } = lives.declared.get(toolID) ?? {};
      if (jsonSchema !== undefined) Object.assign(output, { description, jsonSchema });
    },
    async "chat.message"({ sessionID }, output) {
      const heard = lives.of(sessionID).then((live) => onMessage(live, output, show));
      const { reply } = await heard.catch((error: unknown) => {
        const text = `Conduct could not take this message: ${errorText(error)}. The message was not sent.`;
        show(text);
        throw blocked(text);
      });
      if (reply !== undefined) throw blocked(reply);
    },
    async "experimental.chat.messages.transform"(_, { messages }) {
      const id = messages[0]?.info.sessionID;
      if (id === undefined) return;
      const live = await lives.of(id);
      await closeStep(live);
      if (live.turn === "failed") live.turn = "open";
      showReplaced(live, messages);
      live.text = "";
      live.forgot = false;
    },
    async "experimental.chat.system.transform"({ sessionID, model }, { system }) {
      if (sessionID === undefined || (await isHelper(system))) return;
      await onRequest(await lives.of(sessionID), model, system);
    },
    async "chat.params"(request, output) {
      onParams(lives.find(request.sessionID), request, output);
    },
    async "tool.execute.before"(use, output) {
      const live = await lives.of(use.sessionID).catch((error: unknown) => {
        throw blocked(undecided(error));
      });
      const wait = { waitMs, onAsking: (asked: Question) => show(waitingText(asked)) };
      await onCall(live, use, output, input, wait).finally(() => show(live.session.takeDebug()));
    },
    async "tool.execute.after"(use, output) {
      const live = await lives.of(use.sessionID);
      const child = use.tool === "task" ? asString(asObject(asObject(output).metadata).sessionId) : "";
      const subagent = lives.find(child);
      if (subagent !== undefined) await finishSubagent(child, subagent, output, around);
      await onResult(live, use, output).finally(() => show(live.session.takeDebug()));
    },
    async "experimental.session.compacting"({ sessionID }) {
      forget(await lives.of(sessionID));
    },
    async "experimental.text.complete"({ sessionID }, { text }) {
      const live = lives.find(sessionID);
      if (live !== undefined) live.text = live.text === "" ? text : `${live.text}\n${text}`;
    },
    async event({ event: { type, properties } }) {
      const told = asObject(properties);
      const id = asString(told.sessionID) || asString(asObject(told.info).id);
      const live = lives.find(id);
      if (live === undefined) return;
      if (type === "session.idle") onIdle(id, live, around);
      else if (type !== "session.deleted") onProgress(live, type, told);
      else {
        live.session.notice({ kind: "ended" });
        lives.drop(id);
      }
    },
    /** `opencode run` ends here, after all pending work. */
    async dispose() {
      await Promise.allSettled(lives.all().map(({ ending }) => ending));
    },
  };
}

export const opencodeKeys: ShapesOf<OpencodeOptions> = { waitMs: optional(number), argv: optional(names) };
