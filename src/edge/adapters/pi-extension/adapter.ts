import {
  callback,
  checkOptions,
  having,
  number,
  oneOf,
  optional,
  type ShapesOf,
} from "../../../base/kernel/check-options.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { PersonAnswer } from "../../../base/words/decision.ts";
import type { SessionHost, SessionMoments } from "../../../engine/session/session-moments.ts";
import type { Ask } from "../shared/ask-session.ts";
import { PiMoments } from "../shared/pi/moments.ts";
import { piToolMap, type ToolMap } from "../shared/pi/tool-map.ts";
import { asAgentTool, withheld } from "../shared/pi/translate.ts";
import { timerMs } from "../shared/refusals.ts";
import { LiveSession, originOf } from "./live-session.ts";
import type { PiApi, PiContext, PiInput, PiInputAnswer } from "./native.ts";
import { carries, goOn, messageOf, withPromptAfter, withPromptSection } from "./translate.ts";

/** Where the sessions of the extension are. */
export type PiExtensionOptions = {
  /** Opens sessions: in the daemon (`daemonHost`), or in this process (`localHost`). */
  readonly host: SessionHost;
  /** For tools of other extensions with other names. Default: `piToolMap`. */
  readonly toolMap?: ToolMap;
  /**
   * Where questions go: to the person at Pi's terminal or client, if there is one, or always to Conduct's approver,
   * for clients without dialogs. Default: `person`.
   */
  readonly asks?: "person" | "approver";
  /** How long a call waits for Conduct's approver. Default: 30 seconds. */
  readonly waitMs?: number;
};

/** Also the limit for a daemon that hangs. The question stays open, and the same call passes once it is answered. */
const WAIT_MS = 30_000;
const WAY_OUT = "A person can run `conduct doctor` to see what is wrong.";

/** Runs every session of Pi under Conduct. A failure blocks, because Pi itself ignores a handler that throws. */
export function conductExtension(options: PiExtensionOptions): (pi: PiApi) => void {
  checkOptions("conductExtension", options, KEYS);
  return (pi) => {
    const { open, opened } = sessionsOf(pi, options);

    pi.on("session_start", async (_event, context) => {
      await open(context).catch((error) => {
        tell(context, `Conduct cannot be reached, so no tool will run: ${errorText(error)}. ${WAY_OUT}`, "error");
      });
    });
    pi.on("input", (event, context) => onInput(pi, open, event, context));
    pi.on("before_agent_start", async ({ systemPromptOptions: { forceSystemPrompt: forced } }, context) => {
      if (forced === undefined) return undefined;
      const live = await open(context);
      return { systemPrompt: withPromptAfter(forced, live.moments.prompt) };
    });
    pi.on("context_with_system", async ({ messages }, context) => {
      try {
        const { moments } = await open(context);
        moments.shows(messages);
        await moments.prepare(context.model, pi.getActiveTools(), pi.getThinkingLevel());
        return { messages: withPromptSection(messages, moments.prompt) };
      } catch (error) {
        breakOff(context, `the agent did not get its instructions: ${errorText(error)}`);
        return undefined;
      }
    });
    pi.on("before_provider_request", async ({ payload }, context) => {
      const live = await opened();
      if (live === undefined || carries(payload, live.moments.prompt)) return;
      breakOff(context, "another extension removed Conduct's section from the system prompt");
    });
    pi.on("message_end", async ({ message }) => (await opened())?.heard(message));
    pi.on("model_select", async ({ model }) => (await opened())?.moments.tellModel(model));
    pi.on("tool_call", async (event, context) => {
      try {
        return await (await open(context)).before(event, context.signal);
      } catch (error) {
        const reason = `Conduct cannot be reached, so no tool runs: ${errorText(error)}.`;
        return { block: true, reason: `${reason}\nNext: Stop and tell the person you work for. ${WAY_OUT}` };
      }
    });
    pi.on("tool_result", async (event, context) => {
      try {
        return await (await open(context)).after(event, context.signal);
      } catch (error) {
        return withheld(error);
      }
    });
    pi.on("turn_end", async (_event, context) => {
      const live = await opened();
      if (await live?.closeStep()) context.abort();
    });
    pi.on("agent_before_settle", async (event) => {
      const refusal = await (await opened())?.refusal(event);
      return refusal === undefined ? undefined : goOn(event.entries, refusal);
    });
    pi.on("agent_settled", async () => {
      const moments = (await opened())?.moments;
      const own = moments?.ownLevel(pi.getThinkingLevel());
      if (own !== undefined) pi.setThinkingLevel(own);
      // Already shown.
      moments?.takeShown();
    });
    pi.on("session_compact", async () => (await opened())?.moments.compacted());
    pi.on("session_shutdown", async ({ reason }, context) => {
      const live = await opened();
      await live?.moments.settle();
      // A session with a file may be resumed.
      const over = reason !== "reload" && context.sessionManager.getSessionFile() === undefined;
      if (over) live?.session.notice({ kind: "ended", reason });
      await live?.session.flush();
    });
  };
}

type Open = (context: PiContext) => Promise<LiveSession>;

/** Pi's current session, opened in Conduct at its first event, and again after a failure. */
function sessionsOf(pi: PiApi, options: PiExtensionOptions) {
  const { host, toolMap = piToolMap, asks = "person", waitMs = WAIT_MS } = options;
  let current: { readonly id: string; readonly opening: Promise<LiveSession> } | undefined;

  async function openSession(context: PiContext, id: string): Promise<LiveSession> {
    const { cwd, hasUI } = context;
    const session: SessionMoments = await host.open(originOf({ id, cwd, interactive: hasUI }, () => context.model));
    for (const tool of session.tools()) pi.registerTool(asAgentTool(tool));
    const ask = hasUI && asks === "person" ? askPerson(context, Date.now) : undefined;
    const show = (text: string): void => tell(context, text, "info");
    return new LiveSession(session, new PiMoments(session, { map: toolMap, ask, show, waitMs }));
  }

  const open: Open = (context) => {
    const id = context.sessionManager.getSessionId();
    if (current?.id === id) return current.opening;
    const opening = openSession(context, id);
    const made = { id, opening };
    current = made;
    opening.catch(() => {
      if (current === made) current = undefined;
    });
    return opening;
  };
  return { open, opened: async () => current?.opening.catch(() => undefined) };
}

/** The moment `message`. A message that Conduct could not check does not reach the model. */
async function onInput(pi: PiApi, open: Open, event: PiInput, context: PiContext): Promise<PiInputAnswer> {
  try {
    const { moments } = await open(context);
    const asked = (event.images ?? []).length === 0 ? "as-needed" : "always";
    const heard = await moments.message(messageOf(event), context.model, asked);
    if (heard.reply !== undefined) {
      tell(context, heard.reply, "info");
      return { action: "handled" };
    }
    const level = await moments.prepare(context.model, pi.getActiveTools(), pi.getThinkingLevel());
    if (level !== undefined) pi.setThinkingLevel(level);
    return heard.text === event.text ? { action: "continue" } : { action: "transform", text: heard.text };
  } catch (error) {
    tell(context, `Conduct blocked this message: ${errorText(error)}. ${WAY_OUT}`, "error");
    // The typed text is not lost, and `pi -p` does not exit as if it had answered.
    if (context.hasUI) context.ui.setEditorText(event.text);
    else process.exitCode = 1;
    return { action: "handled" };
  }
}

function breakOff(context: PiContext, why: string): void {
  tell(context, `Conduct has ended this run: ${why}. ${WAY_OUT}`, "error");
  if (!context.hasUI) process.exitCode = 1;
  context.abort();
}

function tell({ hasUI, ui }: PiContext, text: string, type: "info" | "error"): void {
  if (hasUI) ui.notify(text, type);
  else process.stderr.write(`${text}\n`);
}

const KEYS: ShapesOf<PiExtensionOptions> = {
  host: having("open"),
  toolMap: optional(callback),
  asks: optional(oneOf("person", "approver")),
  waitMs: optional(number),
};

const YES = "Yes, this once";
const ALWAYS = "Always in this session";
const NO = "No";
const ANSWERS: ReadonlyMap<string, PersonAnswer> = new Map([
  [YES, "yes"],
  [ALWAYS, "always"],
  [NO, "no"],
]);
/** Maximum characters of a call's input in a question. */
const SHOWN = 2_000;

/** Asks the person at Pi while questions are open. No answer does not count as a no. */
function askPerson({ ui, mode }: PiContext, now: () => number): Ask {
  return async ({ question, rule, input, expiresAt, remember }, call, signal) => {
    const shown = JSON.stringify(input ?? call.args, null, 2);
    const cut = shown.length > SHOWN ? `${shown.slice(0, SHOWN)} … (${shown.length} characters)` : shown;
    const timeout = timerMs(expiresAt - now());
    const choices = remember === true ? [YES, ALWAYS, NO] : [YES, NO];
    const picked = await ui.select(`Conduct (${rule}): ${question}\n${call.tool} ${cut}`, choices, {
      timeout,
      signal,
    });
    const answer = choices.includes(picked ?? "") ? ANSWERS.get(picked ?? "") : undefined;
    return answer === undefined ? undefined : { answer, by: `the person at Pi (${mode})` };
  };
}
