import { checkOptions, object, optional, type ShapesOf } from "../../../base/kernel/check-options.ts";
import { shownText } from "../../../behavior/results/result-text.ts";
import type { MessageResult } from "../../../engine/moments/message.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import type { TurnEnd } from "../shared/ask-session.ts";
import { AgentMoments, GUARD_KEYS, type GuardOptions } from "../shared/framework/agent-moments.ts";
import type {
  AfterHookContext,
  HookContext,
  InputStep,
  MastraTools,
  OutputStep,
  Settings,
  ToolHooks,
  ToolResultStep,
} from "./native.ts";
import { endedOf, extended, modelName, replaceInput, resultPart, stopReason, withPrompt } from "./translate.ts";

/** How a session runs in Mastra. */
export type MastraOptions = GuardOptions & {
  /** The module `@mastra/core/tools`; imported by default. */
  readonly sdk?: object;
};

/** A session in Mastra. One run at a time. */
export type ConductedMastra = {
  /** Handles a person's message: run the agent with `text`; with a `reply`, show that and run nothing. */
  message(message: string | IncomingMessage): Promise<MessageResult>;
  /** For `new Agent(guard.agent({ … }))`: adds a processor and tool hooks to the settings of an agent. */
  agent<S extends object>(settings: S): S;
  /** How the last turn ended; `undefined` while it runs. */
  readonly end: TurnEnd | undefined;
};

/** Mastra ends the run when a stop was refused this often. The session's own bound is far lower. */
const RETRIES = 50;

/** Runs agents of Mastra under a session. */
export async function conductMastra(session: SessionMoments, options: MastraOptions = {}): Promise<ConductedMastra> {
  checkOptions("conductMastra", options, KEYS);
  const { sdk: given, ...guard } = options;
  const sdk = (given ?? (await importSdk())) as MastraTools;
  const moments = new AgentMoments(session, "mastra", guard);
  /** Calls whose tool waits for the application's person. */
  const suspended = new Set<string>();
  /** Texts that take the place of a result, until the processor has put them there. */
  const texts = new Map<string, string>();
  let requests = 0;

  const processor = {
    id: "conduct",
    async processInputStep(about: InputStep) {
      const { model, tools = {}, systemMessages, modelSettings, abort } = about;
      if (moments.endedByPolicy) abort(moments.end?.why ?? "The turn was ended by a rule.");
      if (suspended.size === 0) await moments.settle();
      requests += 1;
      moments.tellModel(modelName(model));
      const prompt = await moments.prompt(Object.keys(tools));
      const effort = moments.thinking;
      return {
        systemMessages: withPrompt(systemMessages, prompt),
        modelSettings: effort === undefined ? modelSettings : { ...modelSettings, reasoning: effort },
      };
    },
    processToolResult(about: ToolResultStep) {
      const text = texts.get(about.toolCallId);
      texts.delete(about.toolCallId);
      if (text !== undefined) about.messageList.updateToolInvocation(resultPart(about, text));
      return about.messageList;
    },
    async processOutputStep({ finishReason, toolCalls = [], text = "", usage, messages, abort }: OutputStep) {
      moments.spent(usage?.inputTokens, usage?.outputTokens);
      if (toolCalls.length > 0 || finishReason === "error") return messages;
      const refusal = await moments.stop({ reason: stopReason(finishReason), output: text });
      if (refusal !== undefined) abort(refusal, { retry: true });
      return messages;
    },
  };

  const hooksOver = (own: ToolHooks = {}): ToolHooks => ({
    async beforeToolCall(about: HookContext) {
      // The application's own hook may refuse the call or change its input, so Conduct decides last.
      const theirs = (await own.beforeToolCall?.(about)) as { readonly proceed?: unknown } | undefined;
      if (theirs?.proceed === false) return theirs;
      const { toolName: name, input, context } = about;
      const id = context?.toolCallId;
      if (id === undefined) return { proceed: false, output: `Not run: Mastra gave the call of '${name}' no id.` };
      // Conduct keeps the input, and the hook may change the object, so Conduct gets a copy.
      const asked = { id, name, input: { ...(input as object) }, step: `request-${requests}` };
      const verdict = await moments.call({ ...asked, signal: context?.abortSignal });
      if (verdict.kind === "refused") return { proceed: false, output: verdict.text };
      replaceInput(input, verdict.input);
      noticeSuspend(id, context);
      return undefined;
    },
    async afterToolCall(about: AfterHookContext) {
      const id = about.context?.toolCallId ?? "";
      if (suspended.has(id)) return;
      const delivery = await moments.result(id, endedOf(about));
      if (delivery.kind === "text") {
        // A tool that threw has no result to replace: the error of this hook takes the place of its own.
        if (about.error !== undefined) throw new Error(delivery.text, { cause: about.error });
        texts.set(id, delivery.text);
      }
      await own.afterToolCall?.(about);
    },
  });

  function noticeSuspend(id: string, context: HookContext["context"]): void {
    suspended.delete(id);
    const own = context?.suspend;
    if (context === undefined || own === undefined) return;
    context.suspend = (...about) => {
      suspended.add(id);
      return own(...about);
    };
  }

  // In shadow mode nothing is added to the model's input.
  const conducts = session.observing === "shadow" ? [] : session.tools();
  const ownTools = Object.fromEntries(
    conducts.map(({ name, description, inputSchema, run }) => [
      name,
      sdk.createTool({
        ...{ id: name, description, inputSchema },
        execute: async (input: unknown) => shownText((await run(input as never)).parts),
      }),
    ]),
  );

  return {
    get end() {
      return moments.end;
    },
    message(message) {
      suspended.clear();
      texts.clear();
      return moments.message(message);
    },
    agent<S extends object>(settings: S): S {
      const own = settings as Settings;
      const added: Settings = {
        tools: extended<object>(own.tools, (tools) => ({ ...ownTools, ...tools })),
        // The processor is the last to see the request, and the first to see results and the answer.
        inputProcessors: extended<unknown[]>(own.inputProcessors, (list = []) => [...list, processor]),
        outputProcessors: extended<unknown[]>(own.outputProcessors, (list = []) => [processor, ...list]),
        maxProcessorRetries: own.maxProcessorRetries ?? RETRIES,
        hooks: hooksOver(own.hooks),
      };
      return { ...settings, ...added };
    },
  };
}

async function importSdk(): Promise<unknown> {
  // Computed, so that neither the build nor the type check needs the package.
  const name: string = "@mastra/core/tools";
  try {
    return await import(name);
  } catch (cause) {
    throw new Error("agent-conduct/mastra needs the package '@mastra/core': npm install @mastra/core zod", { cause });
  }
}

const KEYS: ShapesOf<MastraOptions> = { ...GUARD_KEYS, sdk: optional(object) };
