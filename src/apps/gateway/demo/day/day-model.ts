import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { GatewayModels } from "../../agents/models.ts";
import { modelTrouble } from "../../runtimes/claude-turn.ts";
import type { DayReply } from "./day-script.ts";

/** Dollars for a million tokens, as a middle-sized model costs. */
const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

/** A model that gives the next reply of the script, whatever it is asked. `onCall` runs before each reply. */
export function dayModel({ onCall, now }: { readonly onCall: () => void; readonly now: () => number }) {
  let replies: readonly DayReply[] = [];
  let calls = 0;

  async function open() {
    const { createFauxCore, fauxAssistantMessage, fauxText, fauxToolCall } = await import(
      "@earendil-works/pi-ai/providers/faux"
    );
    const { createAssistantMessageEventStream } = await import("@earendil-works/pi-ai");
    const core = createFauxCore({
      api: "demo",
      provider: "demo",
      models: [{ id: "day", name: "Demo day", contextWindow: 128_000, maxTokens: 8_000 }],
    });
    function answer(): AssistantMessage {
      onCall();
      const [reply = { text: "Done." }, ...rest] = replies;
      replies = rest;
      const timestamp = now();
      if (reply.fails !== undefined)
        return fauxAssistantMessage([], { stopReason: "error", errorMessage: modelTrouble(reply.fails), timestamp });
      calls += 1;
      const [tool, args] = reply.call ?? [];
      const content = [fauxText(reply.text)];
      if (tool === undefined || args === undefined) return fauxAssistantMessage(content, { timestamp });
      const call = fauxToolCall(tool, JSON.parse(JSON.stringify(args)), { id: `day_${calls}` });
      return fauxAssistantMessage([...content, call], { stopReason: "toolUse", timestamp });
    }
    const stream: Awaited<ReturnType<GatewayModels["of"]>>["stream"] = (model, context, options) => {
      core.appendResponses([answer]);
      const out = createAssistantMessageEventStream();
      const run = async () => {
        for await (const event of core.streamSimple(model, context, options)) {
          if (event.type === "done") out.push({ ...event, message: withCost(event.message) });
          else out.push(event);
        }
        out.end();
      };
      void run();
      return out;
    };
    return { model: core.getModel(), stream };
  }

  let opened: ReturnType<typeof open> | undefined;
  const models: GatewayModels = {
    nameOf: async () => "demo/day",
    of: () => {
      opened ??= open();
      return opened;
    },
  };
  return {
    models,
    /** Sets the replies of the next turn. */
    script(next: readonly DayReply[]): void {
      replies = next;
    },
  };
}

/** The scripted provider reports tokens without their cost. */
function withCost(message: AssistantMessage): AssistantMessage {
  const { usage } = message;
  const dollars = (tokens: number, price: number) => (tokens * price) / 1_000_000;
  const cost = {
    input: dollars(usage.input, PRICE.input),
    output: dollars(usage.output, PRICE.output),
    cacheRead: dollars(usage.cacheRead, PRICE.cacheRead),
    cacheWrite: dollars(usage.cacheWrite, PRICE.cacheWrite),
  };
  const total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
  return { ...message, usage: { ...usage, cost: { ...cost, total } } };
}
