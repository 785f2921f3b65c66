import { checkOptions, flag, object, optional } from "../../../base/kernel/check-options.ts";
import type { Notice } from "../../../base/words/event.ts";

/** A message of the query's stream, as far as it reports tokens, cost and the reply. */
export type StreamMessage = { readonly type: string };

type Spent = { readonly inputTokens: number; readonly outputTokens: number; readonly cost: number };
const NOTHING: Spent = { inputTokens: 0, outputTokens: 0, cost: 0 };

/** The runtime's totals per conversation, by its own session id. */
export type Totals = Map<string, Spent>;

/** The session that observes a stream of messages. */
export type ObserverOptions = {
  /** The query continues an older conversation, including the runtime's totals. */
  readonly resumed?: boolean;
  /** Totals of earlier queries of the same session. If unknown, the first turn's cost is unknown too. */
  readonly totals?: Totals;
};

/**
 * Turns the stream's messages into notices. Input tokens are reported with each model response, so that a budget applies
 * within the turn; output tokens and cost only with the turn's result. One observer per query.
 */
export function observer(
  notice: (notice: Notice) => void,
  options: ObserverOptions = {},
): (message: StreamMessage) => void {
  checkOptions("observer", options, { resumed: optional(flag), totals: optional(object) });
  const { resumed = false, totals = new Map() } = options;
  const seen = new Set<string>();
  let reported = NOTHING;

  const report = (spent: Spent): void => {
    const { inputTokens, outputTokens, cost } = spent;
    if (inputTokens > 0 || outputTokens > 0 || cost > 0) notice({ kind: "usage", ...spent });
  };

  return (message) => {
    const {
      message: response,
      modelUsage,
      usage,
      result,
      num_turns,
      total_cost_usd,
      session_id = "",
    } = message as Fields;
    if (message.type === "assistant" && response?.id !== undefined && !seen.has(response.id)) {
      seen.add(response.id);
      const spent = { ...NOTHING, inputTokens: inputOf(response.usage) };
      reported = { ...reported, inputTokens: reported.inputTokens + spent.inputTokens };
      report(spent);
    }
    if (message.type !== "result") return;
    const now = totalOf(modelUsage, total_cost_usd);
    const before = totals.get(session_id) ?? (resumed ? undefined : NOTHING);
    report(minus(before === undefined ? ofTurn(usage) : minus(now, before), reported));
    totals.set(session_id, now);
    reported = NOTHING;
    // A result without a turn of the model is the answer of a command, or Conduct's own.
    if (typeof result === "string" && result !== "" && num_turns !== 0) notice({ kind: "reply", text: result });
  };
}

type Usage = {
  readonly input_tokens?: number;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly output_tokens?: number;
};
type ModelUsage = {
  readonly inputTokens?: number;
  readonly cacheReadInputTokens?: number;
  readonly cacheCreationInputTokens?: number;
  readonly outputTokens?: number;
};
type Fields = {
  readonly message?: { readonly id?: string; readonly usage?: Usage };
  readonly modelUsage?: { readonly [model: string]: ModelUsage };
  readonly usage?: Usage;
  readonly result?: unknown;
  readonly num_turns?: number;
  readonly total_cost_usd?: number;
  readonly session_id?: string;
};

/** Input tokens, cached or not. */
function inputOf(usage: Usage = {}): number {
  return (usage.input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
}

function ofTurn(usage: Usage = {}): Spent {
  return { inputTokens: inputOf(usage), outputTokens: usage.output_tokens ?? 0, cost: 0 };
}

/** Over all models, subagents included. */
function totalOf(models: { readonly [model: string]: ModelUsage } = {}, cost = 0): Spent {
  let [inputTokens, outputTokens] = [0, 0];
  for (const model of Object.values(models)) {
    inputTokens += (model.inputTokens ?? 0) + (model.cacheReadInputTokens ?? 0) + (model.cacheCreationInputTokens ?? 0);
    outputTokens += model.outputTokens ?? 0;
  }
  return { inputTokens, outputTokens, cost };
}

function minus(a: Spent, b: Spent): Spent {
  return {
    inputTokens: Math.max(0, a.inputTokens - b.inputTokens),
    outputTokens: Math.max(0, a.outputTokens - b.outputTokens),
    cost: Math.max(0, a.cost - b.cost),
  };
}
