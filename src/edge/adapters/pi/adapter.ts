import type { Agent, AgentEvent, AgentMessage } from "@earendil-works/pi-agent-core";
import type { ImageContent, TextContent, UserMessage } from "@earendil-works/pi-ai";
import { callback, checkOptions, number, optional, type ShapesOf } from "../../../base/kernel/check-options.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import type { Ask, TurnEnd } from "../shared/ask-session.ts";
import { withoutStart } from "../shared/content.ts";
import type { ForPerson } from "../shared/person-texts.ts";
import { type Compacted, PiMoments } from "../shared/pi/moments.ts";
import { piToolMap, type ToolMap } from "../shared/pi/tool-map.ts";
import { asAgentTool, textOf, withTools } from "../shared/pi/translate.ts";
import { assertHooked, conductHooks, hooksOf, setHooks } from "./hooks.ts";

/** The agent, its session, and how a person is asked. */
export type PiOptions = {
  /** For tools with other names than Pi's own. Default: `piToolMap`. */
  readonly toolMap?: ToolMap;
  /** Asks a person. Without it, a question refuses the call. */
  readonly ask?: Ask;
  /** How long a call waits for Conduct and for the person its approver asks; then it is blocked. Default: one hour. */
  readonly waitMs?: number;
  /** Gets each text for the person at once: notes, and debug lines of verbose mode. */
  readonly show?: (text: string) => void;
};

/**
 * How a turn ended. `unchecked`: the application's own `finishTurn` ended it before Conduct was asked. `answered`: the
 * message was for Conduct, whose answer is `text`; the model was not asked, and the transcript is unchanged.
 */
export type PiTurn = ForPerson & {
  readonly status: TurnEnd["status"] | "aborted" | "failed" | "unchecked" | "answered";
  readonly text: string;
  readonly why?: string;
};

/** The message's id, and its sender if it is not the session's own. */
type From = Omit<IncomingMessage, "text">;

/** A Pi agent under Conduct. */
export type ConductedPi = {
  readonly agent: Agent;
  readonly session: SessionMoments;
  /** Runs one turn. `from` comes from the transport. Rejects during another turn. */
  prompt(text: string, images?: readonly ImageContent[], from?: From): Promise<PiTurn>;
  /** Adds a message to the current turn; returns false if there is none. */
  steer(text: string, from?: From): boolean;
  /** Withdraws steered messages that no run has read. Clears Pi's queue of steered messages. */
  takeUnheard(): readonly IncomingMessage[];
  /** The prompt of this turn, put before the transcript in every request. */
  readonly told: string;
  /** For an application that cuts the transcript in its own `transformContext`: evidence in the cut part is lost. */
  compacted(figures?: Compacted): void;
  /** Takes Conduct's hooks off the agent. */
  detach(): void;
};

const WAIT_MS = 3_600_000;
/** A question that timed out is still answered as a question; only a session that never answers reaches the limit. */
const GRACE_MS = 1_000;

/**
 * Runs an agent of pi-agent-core under a session. Its own hooks run first. Hooks set afterwards would disable Conduct,
 * so the next run refuses to start.
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
  // In shadow mode nothing is added to the model's input.
  const tools = session.observing === "shadow" ? [] : session.tools().map(asAgentTool);
  let busy = false;

  /** A message that Conduct has already handled. */
  function say(text: string, images: readonly ImageContent[] = []): AgentMessage {
    const texts: TextContent[] = text === "" && images.length > 0 ? [] : [{ type: "text", text }];
    const message: AgentMessage = { role: "user", content: [...texts, ...images], timestamp: Date.now() };
    announced.add(message);
    return message;
  }

  /** Handles a message that Pi read by itself. Rewritten in place, so that no later request has its mode words. */
  async function hear(message: UserMessage): Promise<void> {
    const typed = textOf(message);
    const from = steered.get(message);
    steered.delete(message);
    const { text } = await moments.message({ ...from, text: typed }, agent.state.model, "always");
    if (text === typed) return;
    const rest = cutStart(message.content, typed.length - text.length);
    message.content = rest.length === 0 ? MODES_ONLY : rest;
  }

  function giveTools(): void {
    const names = new Set(agent.state.tools.map(({ name }) => name));
    const missing = tools.filter(({ name }) => !names.has(name));
    if (missing.length === 0) return;
    agent.state.tools = [...agent.state.tools, ...missing];
    // Before the first message the tools belong in the system message; later Pi itself announces the change.
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
        // Texts of runs that were not started here do not belong to this turn.
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

/** Replaces a message of modes only: Pi calls the model anyway, and mode words are not for the model. */
const MODES_ONLY = "(The user has changed your modes. No answer is needed; continue with your open work.)";

/** The content without the first characters of its text; a text block that becomes empty is dropped. */
export function cutStart(content: UserMessage["content"], length: number): UserMessage["content"] {
  if (typeof content === "string") return content.slice(length);
  const texts = content.filter((block) => block.type === "text").map(({ text }) => text);
  const rest = [...withoutStart(texts, length)];
  return content.flatMap((block): (TextContent | ImageContent)[] => {
    if (block.type !== "text") return [block];
    const text = rest.shift() ?? "";
    return text === "" && block.text !== "" ? [] : [{ ...block, text }];
  });
}
