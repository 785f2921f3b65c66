import type { AgentEvent, AgentMessage, StreamFn } from "@earendil-works/pi-agent-core";
import type { Api, Model } from "@earendil-works/pi-ai";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { DEFAULT_WINDOW } from "../../../behavior/results/result-budget.ts";
import { encodingOf, loadTokenizer } from "../../../behavior/results/tokens.ts";
import { renderReport } from "../../../behavior/session/compaction/compaction.ts";
import { type ConductedPi, conductPi, type PiTurn } from "../../../edge/adapters/pi/adapter.ts";
import type { IncomingMessage } from "../../../engine/moments/session-options.ts";
import { TranscriptCompaction } from "../conversations/compaction.ts";
import { askModel } from "../conversations/compaction-model.ts";
import { markerOf, readTranscript } from "../conversations/compaction-pi.ts";
import { DEMO_AGENT, DEMO_TOOLS } from "../demo/demo-tools.ts";
import {
  fromOf,
  type HostedEnd,
  type HostedMessage,
  type HostedOptions,
  type HostedRuntime,
  type HostedSession,
  type HostedTurn,
} from "./hosted.ts";
import { sandboxTools } from "./sandbox-tools.ts";

/** The model of an agent, ready to be asked. */
export type PiModel = { readonly model: Model<Api>; readonly stream: StreamFn; readonly apiKey?: string };

export type PiRuntimeOptions = {
  /** Gives the agent's model; rejects with a sentence that says what is missing. */
  readonly modelOf: (agent: Agent) => Promise<PiModel>;
  /** How long a tool is waited for. */
  readonly toolMs?: number;
};

/** Agents on pi-agent-core: the runtime that comes with the checkout. */
export function piRuntime(options: PiRuntimeOptions): HostedRuntime {
  return { name: "pi", open: (hosted) => openPi(hosted, options) };
}

async function openPi(hosted: HostedOptions, { modelOf, toolMs }: PiRuntimeOptions): Promise<HostedSession> {
  const { agent, session, workspace, commands, approvals } = hosted;
  const { Agent: PiAgent } = await import("@earendil-works/pi-agent-core");
  const found = await modelOf(agent);
  const { model, stream, apiKey } = found;
  const more = agent.name === DEMO_AGENT ? DEMO_TOOLS : {};
  const { tools, missing } = sandboxTools(agent, { workspace, commands, more, limitMs: toolMs });
  if (missing.length > 0) {
    const message = `the gateway hosts no tool ${missing.map((name) => `'${name}'`).join(", ")}; ${agent.name} does without`;
    session.notice({ kind: "fault", fault: { where: `agent ${agent.name}`, code: "tool-not-hosted", message } });
  }
  const { messages, last } = readTranscript(hosted.transcript.filter(isOurs));
  const notes: string[] = [];
  const counter = await loadTokenizer(encodingOf(model.id));
  const compaction = new TranscriptCompaction({
    window: model.contextWindow > 0 ? model.contextWindow : (agent.limits.window ?? DEFAULT_WINDOW),
    answer: model.maxTokens,
    counter,
    last,
    told: () => conducted.told,
    ask: askModel(found, session, counter),
    keep: (next) => keepFresh([markerOf(next)]),
    onCompacted(report) {
      const { before, after, drops } = report;
      conducted.compacted({ before, after, ...drops });
      notes.push(renderReport(report));
    },
  });
  const pi = new PiAgent({
    streamFn: stream,
    ...(apiKey === undefined ? {} : { getApiKey: () => apiKey }),
    transformContext: (sent, signal) => compaction.fit(sent, signal),
    sessionId: session.id,
    initialState: { model, tools: [...tools], messages: messages.map(asMessage) },
  });
  const conducted = conductPi(pi, session, {
    async ask(question, call, signal) {
      const { user = "" } = session.view;
      const { approval, rule, expiresAt } = question;
      const asked = {
        approval,
        session: session.id,
        agent: agent.name,
        user,
        rule,
        tool: call.tool,
        question: question.question,
        expiresAt,
      };
      return approvals.ask(asked, signal);
    },
  });
  let kept = pi.state.messages.length;
  /** What could not be kept is kept with what comes next. `more` comes after the messages that it speaks of. */
  async function keepFresh(more: readonly JsonObject[] = []): Promise<void> {
    const fresh = pi.state.messages.slice(kept);
    if (fresh.length + more.length === 0) return;
    await hosted.keep([...fresh.map(asEntry), ...more]);
    kept += fresh.length;
  }
  const unsubscribe = pi.subscribe(async (event) => {
    if (isPlaceToKeep(event)) await keepFresh();
  });
  return {
    async prompt(turn) {
      notes.length = 0;
      const end = await runTurn(conducted, turn);
      const unheard = conducted.takeUnheard().map(asHosted);
      return { ...end, notes: [...notes, ...end.notes], unheard };
    },
    steer: (message) => conducted.steer(message.text, fromOf(message)),
    async close() {
      pi.abort();
      await pi.waitForIdle();
      unsubscribe();
      conducted.detach();
    },
  };
}

async function runTurn(conducted: ConductedPi, { signal, onText, ...message }: HostedTurn): Promise<HostedEnd> {
  const { agent } = conducted;
  const abort = () => agent.abort();
  signal.addEventListener("abort", abort, { once: true });
  const stop = agent.subscribe((event) => {
    // A turn that was cancelled while its message was read: the agent had nothing to abort then.
    if (event.type === "agent_start" && signal.aborted) agent.abort();
    if (event.type !== "message_update") return;
    const { assistantMessageEvent: update } = event;
    if (update.type === "text_delta") onText(update.delta);
  });
  try {
    if (signal.aborted) return { status: "cancelled", text: "", notes: [] };
    return endOf(await conducted.prompt(message.text, [], fromOf(message)));
  } catch (error) {
    return { status: "failed", text: "", why: errorText(error), notes: [] };
  } finally {
    stop();
    signal.removeEventListener("abort", abort);
  }
}

function asHosted({ id, ...message }: IncomingMessage): HostedMessage {
  return id === undefined ? message : { ...message, messageId: id };
}

function endOf({ status, text, why, notes, debug }: PiTurn): HostedEnd {
  const shown = [...notes, ...debug];
  const because = why === undefined ? {} : { why };
  if (status === "aborted") return { status: "cancelled", text, notes: shown };
  if (status === "unchecked") return { status: "complete", text, notes: shown };
  // An answer without a word is an error of the model's, not silence.
  if (status === "complete" && text.trim() === "")
    return { status: "failed", text, why: "the model gave an empty answer", notes: shown };
  return { status, text, notes: shown, ...because };
}

/** What is to be run is kept before it runs, and what came of it right after; an answer needs no more than one write. */
function isPlaceToKeep(event: AgentEvent): boolean {
  if (event.type === "turn_end" || event.type === "agent_end") return true;
  if (event.type !== "message_end" || event.message.role !== "assistant") return false;
  return event.message.content.some(({ type }) => type === "toolCall");
}

function asEntry(message: AgentMessage): JsonObject {
  return JSON.parse(JSON.stringify(message));
}

/** An agent that was on another runtime before has that one's entries, too. */
function isOurs({ role }: JsonObject): boolean {
  return typeof role === "string";
}

/** What was kept is what Pi gave. */
function asMessage(entry: JsonObject): AgentMessage {
  return entry as unknown as AgentMessage;
}
