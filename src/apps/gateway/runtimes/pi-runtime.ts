import type { AgentMessage, StreamFn } from "@earendil-works/pi-agent-core";
import type { Api, Model } from "@earendil-works/pi-ai";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { encodingOf, loadTokenizer } from "../../../behavior/results/token-counter.ts";
import { DEFAULT_WINDOW } from "../../../behavior/results/truncate-result.ts";
import { renderReport } from "../../../behavior/session/compaction/transcript.ts";
import { conductPi, type PiTurn } from "../../../edge/adapters/pi/adapter.ts";
import { replaceMoments } from "../../../engine/session/session-moments.ts";
import { TranscriptCompaction } from "../conversations/compaction.ts";
import { askModel } from "../conversations/compaction-model.ts";
import { markerOf, readTranscript } from "../conversations/compaction-pi.ts";
import { DEMO_AGENT, DEMO_TOOLS } from "../demo/demo-tools.ts";
import type { ServerTool } from "../mcp/hosted-servers.ts";
import { asPiTool, isOfServer, nameTools, serverToolMap } from "../mcp/server-tools.ts";
import {
  type HostedEnd,
  type HostedOptions,
  type HostedRuntime,
  type HostedSession,
  recordFailures,
} from "./hosted.ts";
import { pluginTools, sandboxTools } from "./sandbox-tools.ts";
import { TranscriptWriter } from "./transcript-writer.ts";

export type PiModel = { readonly model: Model<Api>; readonly stream: StreamFn; readonly apiKey?: string };

export type PiRuntimeOptions = {
  /** Returns the agent's model. Rejects with a sentence that says what is missing. */
  readonly modelOf: (agent: Agent) => Promise<PiModel>;
  /** Timeout of a tool. */
  readonly toolMs?: number;
};

/** Runs agents on pi-agent-core, the runtime that is part of the checkout. */
export function piRuntime(options: PiRuntimeOptions): HostedRuntime {
  return recordFailures({ name: "pi", open: (hosted) => openPi(hosted, options) });
}

async function openPi(hosted: HostedOptions, { modelOf, toolMs }: PiRuntimeOptions): Promise<HostedSession> {
  const { agent, workspace, commands, reserveBudget } = hosted;
  let served: ReadonlyMap<string, ServerTool> = new Map();
  let missingServers: readonly string[] = [];
  const session = replaceMoments(hosted.session, {
    onPrompt: (request) => hosted.session.onPrompt({ ...request, missingServers }),
    /** The message that makes the call is saved with the decision, before the call runs. */
    async decide(call, wait) {
      const decision = await hosted.session.decide(call, wait);
      await transcript.saving;
      return decision;
    },
  });
  const { Agent: PiAgent } = await import("@earendil-works/pi-agent-core");
  const found = await modelOf(agent);
  const { model, stream, apiKey } = found;
  const more = { ...(agent.name === DEMO_AGENT ? DEMO_TOOLS : {}), ...pluginTools(hosted.tools, workspace) };
  const { tools, missing } = sandboxTools(agent, { workspace, commands, more, limitMs: toolMs });
  const unknown = missing.filter((name) => !isOfServer(agent, name));
  if (unknown.length > 0) {
    const message = `the gateway hosts no tool ${unknown.map((name) => `'${name}'`).join(", ")}; ${agent.name} runs without it`;
    session.notice({ kind: "fault", fault: { where: `agent ${agent.name}`, code: "tool-not-hosted", message } });
  }
  const { messages, last } = readTranscript(hosted.transcript.filter(isOurs));
  const notes: string[] = [];
  const counter = await loadTokenizer(encodingOf(model.id));
  const compaction = new TranscriptCompaction({
    window: agent.limits.window ?? (model.contextWindow > 0 ? model.contextWindow : DEFAULT_WINDOW),
    answer: model.maxTokens,
    counter,
    last,
    told: () => conducted.told,
    ask: askModel(found, { reserveBudget, notice: (notice) => session.notice(notice) }, counter),
    keep: (next) => transcript.save("now", [markerOf(next)]),
    onCompacted(report) {
      const { before, after, drops } = report;
      conducted.compacted({ before, after, ...drops });
      notes.push(renderReport(report));
    },
  });
  const pi = new PiAgent({
    streamFn: stream,
    getApiKey: apiKey === undefined ? undefined : () => apiKey,
    transformContext: (sent, signal) => compaction.fit(sent, signal),
    sessionId: session.id,
    initialState: { model, tools: [...tools], messages: messages.map(asMessage) },
  });
  const conducted = conductPi(pi, session, { toolMap: serverToolMap(() => served) });

  /** The servers' tools as they are now. Pi tells the model what has changed. */
  async function takeServerTools(): Promise<void> {
    const found = await hosted.servers.tools();
    const others = pi.state.tools.filter(({ name }) => !served.has(name));
    served = nameTools(found.tools);
    missingServers = found.missing;
    pi.state.tools = [...others, ...[...served].map(([name, tool]) => asPiTool(name, tool))];
  }

  const transcript = new TranscriptWriter(hosted.keep, pi.state.messages.length, (position) =>
    pi.state.messages.slice(position).map(asEntry),
  );
  const unsubscribe = pi.subscribe(async (event) => {
    if (event.type === "message_end" && hasCalls(event.message)) void transcript.save("soon");
    if (event.type !== "turn_end") return;
    if (hosted.isShared === true) await transcript.save();
    else transcript.saveLater();
  });
  return {
    async prompt(message, { signal, onText }) {
      notes.length = 0;
      const abort = () => pi.abort();
      signal.addEventListener("abort", abort, { once: true });
      const stop = pi.subscribe((event) => {
        // If the turn was cancelled while its message was read, the agent had nothing to abort then.
        if (event.type === "agent_start" && signal.aborted) pi.abort();
        if (event.type !== "message_update") return;
        const { assistantMessageEvent: update } = event;
        if (update.type === "text_delta") onText(update.delta);
      });
      let end: HostedEnd = { status: "cancelled", text: "", notes: [] };
      try {
        const { text, ...from } = message;
        await takeServerTools();
        if (!signal.aborted) end = endOf(await conducted.prompt(text, [], from));
      } catch (error) {
        end = { status: "failed", text: "", why: errorText(error), notes: [] };
      } finally {
        stop();
        signal.removeEventListener("abort", abort);
      }
      const saved = transcript.save("soon");
      return { ...end, notes: [...notes, ...end.notes], unheard: conducted.takeUnheard(), saved };
    },
    steer: ({ text, ...from }) => conducted.steer(text, from),
    async close() {
      pi.abort();
      await pi.waitForIdle();
      unsubscribe();
      // What could not be saved was reported at the end of its turn.
      await transcript.save().catch(() => undefined);
      conducted.detach();
    },
  };
}

function endOf({ status, text, why, notes, debug }: PiTurn): HostedEnd {
  const shown = [...notes, ...debug];
  if (status === "aborted") return { status: "cancelled", text, notes: shown };
  if (status === "unchecked") return { status: "complete", text, notes: shown };
  // An empty answer is an error of the model.
  if (status === "complete" && text.trim() === "")
    return { status: "failed", text, why: "the model gave an empty answer", notes: shown };
  return { status, text, notes: shown, why };
}

function hasCalls(message: AgentMessage): boolean {
  return message.role === "assistant" && message.content.some(({ type }) => type === "toolCall");
}

function asEntry(message: AgentMessage): JsonObject {
  return JSON.parse(JSON.stringify(message));
}

/** The transcript may also contain entries of another runtime that the agent used before. */
function isOurs({ role }: JsonObject): boolean {
  return typeof role === "string";
}

function asMessage(entry: JsonObject): AgentMessage {
  return entry as unknown as AgentMessage;
}
