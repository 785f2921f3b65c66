import { randomUUID } from "node:crypto";
import { checkOptions, object, optional, type ShapesOf } from "../../../base/kernel/check-options.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { shownText } from "../../../behavior/results/result-text.ts";
import type { MessageResult } from "../../../engine/moments/message.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import type { TurnEnd } from "../shared/ask-session.ts";
import { joinTexts } from "../shared/content.ts";
import { AgentMoments, GUARD_KEYS, type GuardOptions } from "../shared/framework/agent-moments.ts";
import type { LangChain, Message, ModelRequest, NativeTool, ToolCall, ToolRequest } from "./native.ts";
import { causeOf, endedOf, isControlFlow, isToolMessage, textOf } from "./translate.ts";

/** How a session runs in LangChain. */
export type LangChainOptions = GuardOptions & {
  /** The module `langchain`; imported by default. */
  readonly sdk?: object;
};

/** A session in LangChain or LangGraph. One run at a time. */
export type ConductedLangChain = {
  /** Handles a person's message: run the agent with `text`; with a `reply`, show that and run nothing. */
  message(message: string | IncomingMessage): Promise<MessageResult>;
  /** For `createAgent({ middleware: [guard.middleware] })`: prompt, calls, results and stops. Put it last. */
  // biome-ignore lint/suspicious/noExplicitAny: the types of LangChain are not needed here
  readonly middleware: any;
  /** For a graph of your own: the same tools, guarded, for `new ToolNode(guard.tools(tools))`. */
  tools<T extends object>(tools: readonly T[]): T[];
  /** For a graph of your own: the system prompt for the next model request. */
  prompt(tools?: readonly string[]): Promise<string>;
  /** For a graph of your own: the message for the model if it may not stop yet. */
  stop(output?: string): Promise<string | undefined>;
  /** How the last turn ended; `undefined` while it runs. */
  readonly end: TurnEnd | undefined;
};

/** Runs agents of LangChain, or the tools of a LangGraph, under a session. */
export async function conductLangChain(
  session: SessionMoments,
  options: LangChainOptions = {},
): Promise<ConductedLangChain> {
  checkOptions("conductLangChain", options, KEYS);
  const { sdk: given, ...guard } = options;
  const sdk = (given ?? (await importSdk())) as LangChain;
  const moments = new AgentMoments(session, "langchain", guard);

  /** Never rejects, except with what LangGraph throws to ask a person: the other calls of the response would be lost. */
  async function runTool(
    { id = randomUUID(), name, args }: ToolCall,
    about: { readonly step?: string; readonly signal?: AbortSignal | undefined },
    execute: (args: JsonObject) => Promise<unknown>,
  ): Promise<unknown> {
    const answer = (content: string, isError: boolean) =>
      new sdk.ToolMessage({ content, name, tool_call_id: id, status: isError ? "error" : "success" });
    const verdict = await moments.call({ id, name, input: args, ...about });
    if (verdict.kind === "refused") return answer(verdict.text, true);
    let value: unknown;
    try {
      value = await execute(verdict.input);
    } catch (thrown) {
      const error = causeOf(thrown);
      // The call stays open: after the person's answer the tool runs again under the same id.
      if (isControlFlow(error)) throw thrown;
      const delivery = await moments.result(id, { error, aborted: about.signal?.aborted === true });
      return answer(delivery.kind === "same" ? errorText(error) : delivery.text, true);
    }
    const delivery = await moments.result(id, endedOf(value));
    if (delivery.kind === "same") return value;
    return answer(delivery.text, isToolMessage(value) && value.status === "error");
  }

  const conducts =
    session.observing === "shadow"
      ? []
      : session.tools().map(({ name, description, inputSchema, run }) =>
          sdk.tool(async (input: JsonObject) => shownText((await run(input)).parts), {
            ...{ name, description },
            schema: inputSchema,
          }),
        );

  const middleware = sdk.createMiddleware({
    name: "Conduct",
    tools: conducts,
    async wrapModelCall(request: ModelRequest, next: (request: object) => Promise<Message>) {
      if (moments.endedByPolicy) return new sdk.AIMessage({ content: moments.end?.why ?? "" });
      const { model, systemMessage, tools = [] } = request;
      moments.tellModel(typeof model?.model === "string" ? model.model : undefined);
      const names = tools.flatMap(({ name }) => (typeof name === "string" ? [name] : []));
      const own = systemMessage === undefined ? undefined : textOf(systemMessage);
      const content = joinTexts([own === "" ? undefined : own, await moments.prompt(names)]);
      const effort = moments.thinking;
      const modelSettings =
        effort === undefined ? request.modelSettings : { ...request.modelSettings, reasoning: { effort } };
      const message = await next({ ...request, systemMessage: new sdk.SystemMessage({ content }), modelSettings });
      moments.spent(message.usage_metadata?.input_tokens, message.usage_metadata?.output_tokens);
      return message;
    },
    wrapToolCall: (request: ToolRequest, next: (request: object) => Promise<unknown>) => {
      const { toolCall, state, runtime } = request;
      const about = { step: state?.messages?.at(-1)?.id, signal: runtime?.signal };
      return runTool(toolCall, about, (args) => next({ ...request, toolCall: { ...toolCall, args } }));
    },
    afterAgent: {
      canJumpTo: ["model"],
      async hook({ messages = [] }: { readonly messages?: readonly Message[] }) {
        const last = messages.at(-1);
        const refusal = await moments.stop({ reason: "end_turn", output: last === undefined ? "" : textOf(last) });
        if (refusal === undefined) return undefined;
        return { messages: [new sdk.HumanMessage({ content: refusal })], jumpTo: "model" };
      },
    },
  });

  return {
    middleware,
    get end() {
      return moments.end;
    },
    message: (message) => moments.message(message),
    tools: (tools) => tools.map((tool) => guarded(tool, runTool)),
    prompt: (tools = []) => moments.prompt(tools),
    stop: (output = "") => moments.stop({ reason: "end_turn", output }),
  };
}

type RunTool = (
  call: ToolCall,
  about: { readonly signal?: AbortSignal | undefined },
  execute: (args: JsonObject) => Promise<unknown>,
) => Promise<unknown>;

/** `ToolNode` invokes a tool with the model's call. Anything else would run without a decision and is refused. */
function guarded<T extends object>(tool: T, runTool: RunTool): T {
  const native = tool as unknown as NativeTool;
  const invoke: NativeTool["invoke"] = (input, config) => {
    const call = input as Partial<ToolCall> & { readonly type?: unknown };
    if (call?.type !== "tool_call" || typeof call.name !== "string")
      throw new Error(`'${native.name}' is under Conduct: invoke it with the model's tool call.`);
    const made = { id: call.id, name: call.name, args: call.args };
    return runTool(made, { signal: config?.signal }, (args) => native.invoke({ ...call, args }, config));
  };
  return new Proxy(tool, {
    get(target, key) {
      if (key === "invoke") return invoke;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function importSdk(): Promise<unknown> {
  // Computed, so that neither the build nor the type check needs the package.
  const name: string = "langchain";
  try {
    return await import(name);
  } catch (cause) {
    throw new Error("agent-conduct/langchain needs the package 'langchain': npm install langchain @langchain/core", {
      cause,
    });
  }
}

const KEYS: ShapesOf<LangChainOptions> = { ...GUARD_KEYS, sdk: optional(object) };
