import { gatewayModels } from "../src/apps/gateway/agents/models.ts";
import { say, testConversations } from "../src/apps/gateway/test/test-gateway.ts";
import type { Agent } from "../src/base/words/hosting/agent.ts";
import { storePlace } from "../src/edge/host/workspace/store-place.ts";
import { homeStores } from "../src/edge/stores/home-stores.ts";
import { defineAgent } from "../src/engine/agent/define-agent.ts";
import { type ModelRequest, type ScriptedReply, startModelServer } from "../src/testing/test/model-server/index.ts";
import type { Report } from "./report.ts";

const MODEL = "own/scripted";
const TURNS = 10;
/** Turns that ask for something only the memory contains. */
const ASKS: readonly number[] = [2, 7];

type Case = { readonly memory: NonNullable<Agent["memory"]>; readonly notes: number };
const CASES: readonly Case[] = [
  { memory: "on-demand", notes: 20 },
  { memory: "preload", notes: 20 },
  { memory: "on-demand", notes: 500 },
  { memory: "preload", notes: 500 },
];

/**
 * Scripted sessions of ten turns, two of which ask for a note. The scripted model answers from its prompt, and calls
 * `read_memory` only if the note is missing there. How well real models do that is not measured.
 */
export async function measureMemoryUse(report: Report): Promise<void> {
  const sessions = report.quick ? 5 : 40;
  for (const one of CASES) {
    const { calls, asked, requests, turns, tokens } = await play(one, sessions);
    report.figures(`memory: ${one.memory}, ${one.notes} notes, ${sessions} scripted sessions`, [
      { name: "turns that ask for a note", value: asked, unit: "count" },
      { name: "calls of read_memory", value: calls, unit: "count" },
      { name: "requests to the model, each turn", value: Math.round((requests / turns) * 100) / 100, unit: "count" },
      { name: "tokens of Conduct's prompt, each turn", value: Math.round(tokens / turns), unit: "count" },
    ]);
  }
}

async function play({ memory, notes }: Case, sessions: number) {
  const server = await startModelServer({ script: answer });
  const agent = defineAgent({ name: "clerk", model: MODEL, memory, tools: [{ name: "read_file", args: ["path"] }] });
  const own = { [MODEL]: { baseUrl: server.openaiUrl, api: "openai-completions", apiKey: "none" } } as const;
  const world = testConversations({ agents: [agent], models: gatewayModels(own) });
  const { conduct, conversations, events } = world.open();
  try {
    const stores = homeStores(storePlace({}, world.home));
    for (let at = 0; at < notes; at++)
      await stores.memory.save({ user: "ann", agent: "clerk" }, { id: `note-${at}`, text: noteOf(at), at });
    await stores.close();
    for (let at = 0; at < sessions; at++) {
      const conversation = await conversations.start({ agent: "clerk", user: "ann", channel: "web" });
      for (let turn = 0; turn < TURNS; turn++) {
        const wanted = (at * TURNS * 7 + turn * 13) % notes;
        const text = ASKS.includes(turn) ? `Where is ${dockOf(wanted)}?` : `Step ${turn}: carry on.`;
        const ended = await say(conversations, conversation, text);
        if (ASKS.includes(turn) && ended.answer?.includes(gateOf(wanted)) !== true)
          throw new Error(`'${text}' was answered '${ended.answer}' (${ended.why ?? ended.status})`);
      }
    }
    return {
      asked: sessions * ASKS.length,
      turns: sessions * TURNS,
      requests: server.requests.length,
      calls: events.filter((event) => event.type === "call" && event.call.tool === "read_memory").length,
      tokens: events.reduce((sum, event) => sum + (event.type === "prompt" ? event.tokens : 0), 0),
    };
  } finally {
    await conversations.close(0);
    await conduct.close();
    await server.close();
    world.remove();
  }
}

function answer({ system, lastUserText, results }: ModelRequest): ScriptedReply {
  const dock = /Where is (dock \d+)\?/.exec(lastUserText)?.[1];
  if (dock === undefined) return { text: "Carried on." };
  const known = [system, ...results.map(({ text }) => text)].map(
    (text) => new RegExp(`${dock} is at (gate \\d+)`).exec(text)?.[1],
  );
  const gate = known.find((found) => found !== undefined);
  return gate === undefined
    ? { calls: [{ name: "read_memory", input: { query: dock } }] }
    : { text: `It is at ${gate}.` };
}

/** All numbers have the same length, because a search for dock 11 would also find 110 to 119, newest first. */
function dockOf(at: number): string {
  return `dock ${String(at).padStart(3, "0")}`;
}

function gateOf(at: number): string {
  return `gate ${at * 3 + 1}`;
}

/** A note of typical length. */
function noteOf(at: number): string {
  return `The user said that ${dockOf(at)} is at ${gateOf(at)}, and that deliveries come there before noon on weekdays`;
}
