import type { Agent, AgentEvent, AgentMessage } from "@earendil-works/pi-agent-core";
import type { ImageContent, TextContent, UserMessage } from "@earendil-works/pi-ai";
import { callback, checkOptions, number, optional, type ShapesOf } from "../../../base/kernel/check-options.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import type { Ask } from "./decide.ts";
import { assertHooked, conductHooks, hooksOf, setHooks } from "./hooks.ts";
import { type Compacted, PiMoments, type TurnEnd } from "./moments.ts";
import { asAgentTool, withTools } from "./own-tools.ts";
import type { ForPerson } from "./shown.ts";
import { piToolMap, type ToolMap } from "./tool-map.ts";
import { textOf } from "./translate.ts";
import { MODES_ONLY, withoutStart } from "./typed-message.ts";

export type PiOptions = {
  /** For tools that are not named as Pi's own. Default: `piToolMap`. */
  readonly toolMap?: ToolMap;
  /** Where a person can be asked. Without it a question refuses the call. */
  readonly ask?: Ask;
  /** How long a call waits for Conduct, and for a person whom its approver asks; then it does not run. Default: an hour. */
  readonly waitMs?: number;
  /** Hears at once what the person shall see besides the model's answer: notes, and what verbose mode tells. */
  readonly show?: (text: string) => void;
};

/**
 * How a turn ended. `unchecked`: the application's own `finishTurn` ended it before Conduct was asked. `answered`: the
 * message was for Conduct, which answers it in `text`; the model was not asked, and the transcript is as it was.
 */
export type PiTurn = ForPerson & {
  readonly status: TurnEnd["status"] | "aborted" | "failed" | "unchecked" | "answered";
  /** The last words of whoever answered. */
  readonly text: string;
  readonly why?: string;
};

/** Which message it is, and who sent it, where that is not the session's own sender. */
type From = Omit<IncomingMessage, "text">;

/** An agent of Pi's under Conduct. */
export type ConductedPi = {
  readonly agent: Agent;
  readonly session: SessionMoments;
  /** One turn, to its end. `from` is the transport's to tell. Rejects when a turn is under way. */
  prompt(text: string, images?: readonly ImageContent[], from?: From): Promise<PiTurn>;
  /** A further message into the turn under way, which is heard when Pi takes it in; false when none is under way. */
  steer(text: string, from?: From): boolean;
  /** Messages that were steered and that no run has taken in. They, and what else was steered, leave Pi's queue. */
  takeUnheard(): readonly IncomingMessage[];
  /** What the agent is told in this turn: it is put before the transcript of every request. */
  readonly told: string;
  /** For an application that cuts the transcript in its own `transformContext`: evidence does not outlive what was cut. */
  compacted(figures?: Compacted): void;
  /** Gives the agent its own hooks and tools back. */
  detach(): void;
};

const WAIT_MS = 3_600_000;
/** A question whose wait is over is answered as one; only a session that has nothing to say at all runs into the limit. */
const GRACE_MS = 1_000;

/**
 * Puts an agent of pi-agent-core under a session. Hooks it already has run first; hooks set afterwards would switch
 * Conduct off, so that the next run then refuses to start.
 */
export function conductPi(agent: Agent, session: SessionMoments, options: PiOptions = {}): ConductedPi {
  checkOptions("conductPi", options, KEYS);
  const { waitMs = WAIT_MS } = options;
  const moments = new PiMoments(session, {
    map: options.toolMap ?? piToolMap,
    ask: options.ask,
    waitMs,
    limitMs: waitMs + GRACE_MS,
    show: options.show,
  });
  const announced = new WeakSet<AgentMessage>();
  const steered = new Map<AgentMessage, IncomingMessage>();
  const terminating: boolean[] = [];
  const own = hooksOf(agent);
  const hooks = conductHooks(agent, own, moments, {
    terminates: () => terminating.length > 0 && terminating.every(Boolean),
    refusal: (text) => say(text),
  });
  // A session that is only watched adds nothing to what the model sees.
  const tools = session.observing === "shadow" ? [] : session.tools().map(asAgentTool);
  let busy = false;

  /** A message whose turn Conduct knows already. */
  function say(text: string, images: readonly ImageContent[] = []): AgentMessage {
    const texts: TextContent[] = text === "" && images.length > 0 ? [] : [{ type: "text", text }];
    const message: AgentMessage = { role: "user", content: [...texts, ...images], timestamp: Date.now() };
    announced.add(message);
    return message;
  }

  /** A message that Pi has taken in by itself: it is rewritten where it stands, so that no later request has its modes. */
  async function hear(message: UserMessage): Promise<void> {
    const typed = textOf(message);
    const from = steered.get(message);
    steered.delete(message);
    const { text } = await moments.message({ ...from, text: typed }, agent.state.model, "always");
    if (text === typed) return;
    const rest = withoutStart(message.content, typed.length - text.length);
    message.content = rest.length === 0 ? MODES_ONLY : rest;
  }

  function giveTools(): void {
    const names = new Set(agent.state.tools.map(({ name }) => name));
    const missing = tools.filter(({ name }) => !names.has(name));
    if (missing.length === 0) return;
    agent.state.tools = [...agent.state.tools, ...missing];
    // Before the first message the tools belong in the head of the transcript; later Pi itself announces the change.
    const [head, ...rest] = agent.state.messages;
    if (head?.role === "system" && rest.length === 0) agent.state.messages = [withTools(head, missing)];
  }

  async function onEvent(event: AgentEvent): Promise<void> {
    if (event.type === "agent_start") {
      assertHooked(agent, hooks);
      moments.begin();
    }
    if (event.type === "agent_end") await moments.settle();
    if (event.type === "tool_execution_end") terminating.push(event.result?.terminate === true);
    if (event.type !== "message_end") return;
    const { message } = event;
    if (message.role === "assistant") {
      terminating.length = 0;
      moments.spent(message.usage);
    }
    if (message.role === "user" && !announced.has(message)) await hear(message);
  }

  setHooks(agent, hooks);
  giveTools();
  const unsubscribe = agent.subscribe(onEvent);
  return {
    agent,
    session,
    async prompt(text, images = [], from = {}) {
      if (busy || agent.state.isStreaming) {
        throw new Error(
          "This agent is in the middle of a turn: wait for its end, or use agent.steer or agent.followUp.",
        );
      }
      busy = true;
      try {
        giveTools();
        // What was shown of runs that were not begun here is not of this turn.
        moments.takeShown();
        const asked = images.length === 0 ? "as-needed" : "always";
        const heard = await moments.message({ ...from, text }, agent.state.model, asked);
        if (heard.reply !== undefined) return { status: "answered", text: heard.reply, ...moments.takeShown() };
        await agent.prompt(say(heard.text, images));
      } finally {
        busy = false;
      }
      return { ...turnOf(agent, moments.end), ...moments.takeShown() };
    },
    steer(text, from = {}) {
      if (!agent.state.isStreaming) return false;
      const message: AgentMessage = { role: "user", content: text, timestamp: Date.now() };
      steered.set(message, { ...from, text });
      agent.steer(message);
      return true;
    },
    takeUnheard() {
      const unheard = [...steered.values()];
      steered.clear();
      if (unheard.length > 0) agent.clearSteeringQueue();
      return unheard;
    },
    get told() {
      return moments.prompt;
    },
    compacted: (figures) => moments.compacted(figures),
    detach() {
      unsubscribe();
      setHooks(agent, own);
      agent.state.tools = agent.state.tools.filter((tool) => !tools.includes(tool));
    },
  };
}

function turnOf(agent: Agent, end: TurnEnd | undefined): Omit<PiTurn, keyof ForPerson> {
  const last = agent.state.messages.findLast((message) => message.role === "assistant");
  const text = last === undefined ? "" : textOf(last);
  const why = agent.state.errorMessage;
  if (why !== undefined) return { status: last?.stopReason === "aborted" ? "aborted" : "failed", text, why };
  return end === undefined ? { status: "unchecked", text } : { ...end, text };
}

const KEYS: ShapesOf<PiOptions> = {
  toolMap: optional(callback),
  ask: optional(callback),
  waitMs: optional(number),
  show: optional(callback),
};
