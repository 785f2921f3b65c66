import type { AgentMessage } from "@earendil-works/pi-agent-core";
import { z } from "zod";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Compaction, TranscriptMessage } from "../../../behavior/session/compaction/transcript.ts";

/** Role of a transcript entry that records a compaction. Models never see it. */
const MARKER = "compaction";

const texts = z.array(z.string());
const places = z.array(z.number().int().min(0));
const markerSchema = z.object({
  role: z.literal(MARKER),
  cut: z.number().int().min(0),
  kept: places,
  current: places,
  summary: z.object({
    goal: z.string(),
    decisions: texts,
    open: texts,
    files: texts,
    errors: texts,
    left: z.number(),
  }),
  directives: texts,
  said: z.object({ words: texts, left: z.number() }),
  drops: z.object({ messages: z.number(), calls: z.record(z.string(), z.number()) }),
  shortened: z.array(z.object({ at: z.number().int().min(0), text: z.string() })),
});

/** Converts a Pi message. Thinking is sent back to the model, so it counts as text. */
export function readMessage(message: AgentMessage): TranscriptMessage {
  switch (message.role) {
    case "system": {
      const tools = (message.toolsAdded ?? []).map((tool) => JSON.stringify(tool));
      const sections = Object.values(message.sections ?? {}).filter((text) => text !== null);
      return { kind: "system", text: [textIn(message.content), ...sections, ...tools].join("\n") };
    }
    case "user":
      return { kind: "user", text: textIn(message.content), images: imagesIn(message.content) };
    case "toolResult":
      return {
        kind: "result",
        call: message.toolCallId,
        tool: message.toolName,
        text: textIn(message.content),
        images: imagesIn(message.content),
        failed: message.isError,
      };
    case "assistant":
      return {
        kind: "assistant",
        text: message.content
          .flatMap((block) =>
            block.type === "text" ? [block.text] : block.type === "thinking" ? [block.thinking] : [],
          )
          .join("\n"),
        calls: message.content.flatMap((block) =>
          block.type === "toolCall" ? [{ id: block.id, tool: block.name, args: JSON.stringify(block.arguments) }] : [],
        ),
      };
    default:
      // Messages of extensions are not sent to the model.
      return { kind: "system", text: "" };
  }
}

export function showCompacted(
  messages: readonly AgentMessage[],
  { cut, kept, current, shortened }: Compaction,
  note: string,
): AgentMessage[] {
  const texts = new Map(shortened.map(({ at, text }) => [at, text]));
  const tail = messages.slice(cut).map((message, at) => shorten(message, texts.get(at + cut)));
  const at = (place: number) => messages.slice(place, place + 1);
  const told: AgentMessage[] = note === "" ? [] : [{ role: "user", content: note, timestamp: 0 }];
  return [...kept.flatMap(at), ...told, ...current.flatMap(at), ...tail];
}

/** Creates a transcript entry that the next turn and the next process can read. */
export function markerOf(compaction: Compaction): JsonObject {
  return JSON.parse(JSON.stringify({ role: MARKER, ...compaction }));
}

/** Splits a stored transcript into messages and the latest compaction. Invalid markers are skipped. */
export function readTranscript(entries: readonly JsonObject[]): {
  readonly messages: readonly JsonObject[];
  readonly last: Compaction | undefined;
} {
  const messages: JsonObject[] = [];
  let last: Compaction | undefined;
  for (const entry of entries) {
    if (entry.role !== MARKER) {
      messages.push(entry);
      continue;
    }
    const read = markerSchema.safeParse(entry);
    if (read.success && read.data.cut <= messages.length) last = read.data;
  }
  return { messages, last };
}

function shorten(message: AgentMessage, text: string | undefined): AgentMessage {
  if (text === undefined || message.role !== "toolResult") return message;
  return { ...message, content: [{ type: "text", text }] };
}

type Content = string | readonly { readonly type: string; readonly text?: string }[];

function textIn(content: Content): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text ?? ""] : [])).join("\n");
}

function imagesIn(content: Content): number {
  return typeof content === "string" ? 0 : content.filter(({ type }) => type === "image").length;
}
