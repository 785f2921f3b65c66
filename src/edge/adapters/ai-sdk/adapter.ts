import { checkOptions, object, optional, type ShapesOf } from "../../../base/kernel/check-options.ts";
import type { MessageResult } from "../../../engine/moments/message.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import type { TurnEnd } from "../shared/ask-session.ts";
import { AgentMoments, GUARD_KEYS, type GuardOptions } from "../shared/framework/agent-moments.ts";
import { tellFault } from "../shared/refusals.ts";
import type { AiSdk, AiTool, AiTools, ApprovalRequest, EndedStep, Settings, Steering, Step } from "./native.ts";
import { asAiTool, isHeld, modelName, ownStatus, stopReason, withPrompt } from "./translate.ts";

/** How a session runs in the AI SDK. */
export type AiSdkOptions = GuardOptions & {
  /** The module `ai`; imported by default. */
  readonly sdk?: AiSdk;
};

/** A session in the AI SDK. One generation runs at a time. */
export type ConductedAiSdk = {
  /** Handles a person's message: send `text` to the model; with a `reply`, show that and call no model. */
  message(message: string | IncomingMessage): Promise<MessageResult>;
  /** Adds Conduct to the settings of one `generateText` or `streamText`, or of a `ToolLoopAgent`. */
  settings<S extends object>(settings: S): Promise<S>;
  /** What a call of a `ToolLoopAgent` needs, so that a stop can be refused. */
  // biome-ignore lint/suspicious/noExplicitAny: the AI SDK's type is not needed here
  generation(): Promise<{ experimental_steering: any }>;
  /** Puts the tools of an agent that one of your tools starts under the session `session.child(id)`. */
  readonly session: SessionMoments;
  /** How the last turn ended; `undefined` while it runs. */
  readonly end: TurnEnd | undefined;
};

/** Steps of a generation without `stopWhen`; the AI SDK's own default is one, after which no result is read. */
const STEPS = 50;

/** Runs generations of the AI SDK under a session. */
export function conductAiSdk(session: SessionMoments, options: AiSdkOptions = {}): ConductedAiSdk {
  checkOptions("conductAiSdk", options, KEYS);
  const { sdk: given, ...guard } = options;
  const moments = new AgentMoments(session, "ai-sdk", guard);
  let steering: Steering | undefined;
  let generations = 0;
  let step = "";

  const load = async () => given ?? ((await importSdk()) as AiSdk);

  function guarded(name: string, tool: AiTool): AiTool {
    const { execute, toModelOutput } = tool;
    if (execute === undefined) return tool;
    const replaced = new Set<string>();
    return {
      ...tool,
      async execute(input, about) {
        const { toolCallId: id, abortSignal: signal } = about;
        let own: unknown;
        const value = await moments.run({ id, name, input, step, signal }, async (args) => {
          own = await lastValue(execute(args, about));
          return own;
        });
        if (value !== own) replaced.add(id);
        return value;
      },
      // A tool's own conversion expects its own value, not Conduct's text.
      ...(toModelOutput === undefined
        ? {}
        : {
            toModelOutput: (about) =>
              replaced.has(about.toolCallId) ? { type: "text", value: about.output } : toModelOutput(about),
          }),
    };
  }

  return {
    session,
    get end() {
      return moments.end;
    },
    message: (message) => moments.message(message),
    async generation() {
      steering = (await load()).experimental_createSteering();
      return { experimental_steering: steering };
    },
    async settings<S extends object>(settings: S): Promise<S> {
      const own = settings as Settings;
      const sdk = await load();
      generations += 1;
      const generation = `generation-${generations}`;
      steering = own.experimental_steering ?? sdk.experimental_createSteering();
      // In shadow mode nothing is added to the model's input.
      const conducts = session.observing === "shadow" ? [] : session.tools();
      const tools: AiTools = {
        ...Object.fromEntries(conducts.map((tool) => [tool.name, asAiTool(tool, sdk)])),
        ...own.tools,
      };
      const names = Object.keys(tools);
      const stops = own.stopWhen ?? (({ steps }: { readonly steps: readonly unknown[] }) => steps.length >= STEPS);
      const added: Settings = {
        tools: Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, guarded(name, tool)])),
        stopWhen: [...(Array.isArray(stops) ? stops : [stops]), () => moments.endedByPolicy],
        experimental_steering: steering,
        async toolApproval(asked: ApprovalRequest) {
          const status = await ownStatus(own, asked);
          if (isHeld(status)) return status;
          const { toolCallId: id, toolName: name, input } = asked.toolCall;
          const verdict = await moments.call({ id, name, input, step });
          return verdict.kind === "refused" ? { type: "denied", reason: verdict.text } : status;
        },
        async prepareStep(about: Step) {
          step = `${generation}-${about.stepNumber}`;
          const theirs = await own.prepareStep?.(about);
          moments.tellModel(modelName(about.model));
          const prompt = await moments.prompt(names);
          return {
            ...theirs,
            instructions: withPrompt(theirs?.instructions ?? about.initialInstructions, prompt),
            reasoning: moments.thinking ?? theirs?.reasoning,
          };
        },
        async onStepEnd(ended: EndedStep) {
          await (own.onStepEnd ?? own.onStepFinish)?.(ended);
          await endStep(ended);
        },
      };
      return { ...settings, ...added };
    },
  };

  async function endStep({ text, finishReason, toolCalls, usage }: EndedStep): Promise<void> {
    moments.spent(usage?.inputTokens, usage?.outputTokens);
    if (toolCalls.length > 0) return moments.settle();
    if (finishReason === "error") return;
    const refusal = await moments.stop({ reason: stopReason(finishReason), output: text });
    if (refusal === undefined) return;
    void steering?.steer(refusal).then((outcome) => {
      if (outcome.type === "delivered") return;
      tellFault(session, "stop", "not-delivered", `the stop was refused, but the generation ended: ${outcome.reason}`);
    });
  }
}

/** A tool may stream preliminary values; the last one is its result. */
async function lastValue(result: unknown): Promise<unknown> {
  const value = await result;
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value)) return value;
  let last: unknown;
  for await (const one of value as AsyncIterable<unknown>) last = one;
  return last;
}

async function importSdk(): Promise<unknown> {
  // Computed, so that neither the build nor the type check needs the package.
  const name: string = "ai";
  try {
    return await import(name);
  } catch (cause) {
    throw new Error("agent-conduct/ai-sdk needs the package 'ai', version 7: npm install ai", { cause });
  }
}

const KEYS: ShapesOf<AiSdkOptions> = { ...GUARD_KEYS, sdk: optional(object) };
